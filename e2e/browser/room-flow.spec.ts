import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { openPage } from '../page.ts'

/** When the lines of a room stand still and when they go on: a marked line stays in sight until something was done to it or it is let go. */
test.describe.configure({ mode: 'serial' })
let app: RunningApp
let companion: CompanionClient
let roomid = 0
let told = 0
const people = new Map<string, LinkPerson>()

test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
  for (const accid of ['lee', 'bo']) {
    await companion.call('/user/create.action', { accid, name: accid.toUpperCase(), token: `token-of-${accid}` })
    people.set(accid, signInPerson(app.ready.service, accid, `token-of-${accid}`))
  }
  await expect.poll(() => [...people.values()].every((each) => each.online())).toBe(true)
  for (const person of people.values()) await person.request('roomEnter', { roomid })
  // By the API: on the link an account says no 60 lines at once.
  for (let line = 1; line <= 60; line++)
    await companion.call('/chatroom/sendMsg.action', {
      roomid,
      msgId: `of lee ${line}`,
      fromAccid: 'lee',
      msgType: 0,
      attach: `line ${line} of Lee`,
    })
})
test.afterAll(async () => {
  for (const person of people.values()) person.close()
  companion?.close()
  await app?.dispose()
})

const say = async (accid: string, attach: string): Promise<void> => {
  await people.get(accid)?.request('roomSend', { roomid, type: 0, attach, clientId: `c${told++}` })
}
const log = (page: Page) => page.getByRole('log')
const row = (page: Page, text: string) => page.locator('[data-room-row]').filter({ hasText: text })
const freeze = (page: Page) => page.getByRole('button', { name: /^(Freeze|Frozen)/ })
const waiting = (page: Page) => page.getByRole('button', { name: / new lines?$/ })
const openRoom = async (page: Page): Promise<void> => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await expect(log(page).getByText('line 60 of Lee')).toBeVisible()
}
/** Lifts what the measures of a test left, for the next one. */
const lift = () =>
  companion.call('/chatroom/temporaryMute.action', { roomid, operator: 'ana', target: 'lee', muteDuration: 0 })

/** Something is said, and the log does not show it: the line that is marked stays where it was, if it is not at the very end, where the button comes that leads to the newest. */
async function expectStill(page: Page, marked: string, more: string): Promise<void> {
  const before = await row(page, marked).boundingBox()
  await say('bo', more)
  await expect(waiting(page)).toBeVisible()
  await expect(log(page).getByText(more)).toHaveCount(0)
  expect(await row(page, marked).boundingBox()).toEqual(before)
}
/** Something is said, and the log shows it by itself. */
async function expectFlow(page: Page, more: string): Promise<void> {
  await say('bo', more)
  await expect(log(page).getByText(more)).toBeInViewport()
  await expect(waiting(page)).toHaveCount(0)
  await expect(freeze(page)).toHaveAttribute('aria-pressed', 'false')
}

test('after a measure by a key the log goes on under a pointer that rests, with the mark on its line', async ({
  page,
}) => {
  await openRoom(page)
  await log(page).getByText('line 58 of Lee').click()
  await expectStill(page, 'line 58 of Lee', 'while it is marked')
  await page.keyboard.press('m')
  await expect(log(page).getByText(/^LEE muted for .* by /)).toBeInViewport()
  await expectFlow(page, 'after the mute')
  await expect(row(page, 'line 58 of Lee')).toHaveClass(/focused/)

  // A press of the pointer that was not moved since would be about whatever line came there: it only holds the lines.
  await page.mouse.down()
  await page.mouse.up()
  await expect(row(page, 'line 58 of Lee')).toHaveClass(/focused/)
  await say('bo', 'under the pointer')
  await expect(waiting(page)).toBeVisible()
  await page.mouse.move(1, 1)
  await expect(log(page).getByText('under the pointer')).toBeInViewport()

  // The same line, again: its mark holds the log until it is deleted.
  await log(page).getByText('line 58 of Lee').click()
  await page.mouse.move(1, 1)
  await expectStill(page, 'line 58 of Lee', 'while it is marked again')
  await page.keyboard.press('d')
  await expectFlow(page, 'after the deletion')
  await expect(row(page, 'line 58 of Lee')).toContainText('Removed')

  await page.keyboard.press('x')
  await page.getByRole('dialog').getByRole('textbox').fill('spam')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expectFlow(page, 'after the blacklisting')
  await companion.call('/chatroom/setMemberRole.action', {
    roomid,
    operator: 'ana',
    target: 'lee',
    opt: -1,
    optvalue: false,
  })
  await people.get('lee')?.request('roomEnter', { roomid })
  await lift()
})

test('after a measure by a button the rows stay under the pointer until it leaves', async ({ page }) => {
  await openRoom(page)
  await say('lee', 'said by Lee')
  for (const more of ['one', 'two', 'three']) await say('bo', more)
  await expect(log(page).getByText('three')).toBeInViewport()
  await log(page).getByText('said by Lee').click()
  const mute = row(page, 'said by Lee').getByRole('button', { name: /^Mute/ })
  await mute.click()
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  await expectStill(page, 'said by Lee', 'under the used pointer')
  await page.mouse.move(1, 1)
  await expect(log(page).getByText('under the used pointer')).toBeInViewport()
  await expectFlow(page, 'after the pointer left')

  // The card of the person whose line is marked.
  await log(page).getByText('said by Lee').click()
  await page.keyboard.press('u')
  await page.getByRole('region', { name: 'User card' }).getByRole('button', { name: 'Lift the timed mute' }).click()
  await expectFlow(page, 'after the lifting')
})

test('Esc and End let the mark go, and the log goes on', async ({ page }) => {
  await openRoom(page)
  for (const key of ['Escape', 'End']) {
    await log(page).getByText('said by Lee').click()
    await expectStill(page, 'said by Lee', `before ${key}`)
    await page.keyboard.press(key)
    await expect(page.locator('[data-room-row].focused')).toHaveCount(0)
    await expectFlow(page, `after ${key}`)
  }
  // With the arrows, far above: what is marked there is not read back into a freeze.
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(freeze(page)).toHaveAttribute('aria-pressed', 'false')
  await page.keyboard.press('Escape')
  await expectFlow(page, 'after the first lines')
})

test('a log that was frozen on purpose, or that somebody reads above, stands still through measures', async ({
  page,
}) => {
  await openRoom(page)
  await say('lee', 'said once more')
  for (const more of ['and', 'some', 'others']) await say('bo', more)
  await expect(log(page).getByText('others')).toBeInViewport()
  await page.keyboard.press('f')
  await log(page).getByText('said once more').click()
  await page.mouse.move(1, 1)
  await page.keyboard.press('1')
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  await expectStill(page, 'said once more', 'while it is frozen')
  await page.keyboard.press('Escape')
  await expect(freeze(page)).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('f')
  await expectFlow(page, 'after the freeze')
  await lift()

  await log(page).hover()
  await page.mouse.wheel(0, -400)
  await expect(freeze(page)).toHaveAttribute('aria-pressed', 'true')
  await log(page).getByText('line 50 of Lee').click()
  await page.mouse.move(1, 1)
  await page.keyboard.press('1')
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  await expectStill(page, 'line 50 of Lee', 'while it is read above')
  await page.keyboard.press('End')
  await expectFlow(page, 'after reading')
})

test('a marked line that went out of sight with the log is shown by the next key, which does nothing to it', async ({
  page,
}) => {
  await lift()
  await openRoom(page)
  await log(page).getByText('after reading').click()
  await page.mouse.move(1, 1)
  await page.keyboard.press('1')
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  for (let line = 1; line <= 40; line++)
    await companion.rpc.rooms.say({ profileId: 'local', roomid, text: `line ${line} of the host` })
  await expect(log(page).getByText('line 40 of the host')).toBeInViewport()
  await expect(row(page, 'after reading')).not.toBeInViewport()
  const actions = async (): Promise<number> =>
    (await companion.rpc.rooms.actions({ profileId: 'local', roomid })).length
  const before = await actions()
  await page.keyboard.press('d')
  await expect(row(page, 'after reading')).toBeInViewport()
  await expect(freeze(page)).toHaveAttribute('aria-pressed', 'false')
  expect(await actions()).toBe(before)
  await page.keyboard.press('d')
  await expect(row(page, 'after reading')).toContainText('Removed')
  await expect(log(page).getByText('line 40 of the host')).toBeInViewport()
})
