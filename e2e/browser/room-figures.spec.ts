import { execFileSync } from 'node:child_process'
import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { inEveryLook } from '../looks.ts'
import { openPage } from '../page.ts'
import { isInside, openViewer, rename, said, speak } from '../viewer.ts'

/** What the Room says of people and measures: one figure in every place, also while others act, and what viewers read of a measure. */
test.describe.configure({ mode: 'serial' })
let app: RunningApp
let companion: CompanionClient
let lee: LinkPerson
let roomid = 0
let cid = ''

test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
  cid = (await companion.rpc.channels.create({ profileId: 'local', name: 'late_night' })).cid
  await companion.rpc.rooms.link({ profileId: 'local', cid, roomid })
  for (const accid of ['lee', 'mei'])
    await companion.call('/user/create.action', {
      accid,
      name: accid === 'lee' ? 'Lee' : 'Mei',
      token: `token-of-${accid}`,
    })
  await companion.call('/chatroom/setMemberRole.action', {
    roomid,
    operator: 'ana',
    target: 'mei',
    opt: 1,
    optvalue: true,
  })
  lee = signInPerson(app.ready.service, 'lee', 'token-of-lee')
  await expect.poll(() => lee.online()).toBe(true)
  await lee.request('roomEnter', { roomid })
})
test.afterAll(async () => {
  lee?.close()
  companion?.close()
  await app?.dispose()
})

const log = (page: Page) => page.getByRole('log')
const tab = (page: Page, name: RegExp) => page.getByRole('group', { name: 'Room' }).getByRole('button', { name })
const card = (page: Page) => page.getByRole('region', { name: 'User card' })
const openRoom = async (page: Page): Promise<void> => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await expect(log(page)).toBeVisible()
}
/** Every figure of how many are in the room that the screen has at one moment: in the head, beside the picture, on the tab. A time may follow the same word. */
const inRoom = (page: Page): Promise<number[]> =>
  page.evaluate(() =>
    [...document.body.innerText.matchAll(/(?:Online|People)\s+(\d+)(?![\d-])/g)].map(([, figure]) => Number(figure)),
  )
/** What the service says of it. */
const online = async (): Promise<number | undefined> =>
  (await companion.rpc.operations.chatrooms.get({ profileId: 'local', call: { roomid, needOnlineUserCount: true } }))
    .chatroom.onlineusercount
/** Every rest of a mute that the screen has at one moment. */
const rests = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.body.innerText.matchAll(/Muted (?:for another )?(\d+ (?:min|s)(?: \d+ s)?)/g)].map(
      ([, rest]) => rest ?? '',
    ),
  )

test('how many are in the room, how many are held back and for how long is the same in every place, also while other moderators act', async ({
  page,
  browser,
}) => {
  await openRoom(page)
  const [rvb, kestrel] = [
    await openViewer(browser, app.ready.service.mediaUrl, cid),
    await openViewer(browser, app.ready.service.mediaUrl, cid),
  ]
  for (const viewer of [rvb, kestrel]) await isInside(viewer)
  await rename(kestrel, 'kestrel')
  await speak(kestrel, 'hello everybody')
  await expect(log(page)).toContainText('hello everybody')
  // The host's app, Lee and two guests.
  await expect.poll(() => inRoom(page)).toEqual([4, 4, 4])
  expect(await online()).toBe(4)
  await tab(page, /^People/).click()
  // The two lists of those inside have as many in all.
  const listed = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^User card/ }) })
  const list = (name: string) =>
    page.getByRole('group', { name: 'Which people' }).getByRole('button', { name, exact: true })
  await list('Fixed, online').click()
  await expect(listed).toHaveCount(1)
  await list('Not fixed').click()
  await expect(listed).toHaveCount(3)
  await rvb.context().close()
  await expect.poll(() => inRoom(page)).toEqual([3, 3, 3])

  // Another moderator, elsewhere: nobody touches this page.
  await expect(tab(page, /^Muted, blacklisted 0$/)).toBeVisible()
  await companion.call('/chatroom/temporaryMute.action', { roomid, operator: 'mei', target: 'lee', muteDuration: 600 })
  await expect(tab(page, /^Muted, blacklisted 1$/)).toBeVisible()
  const row = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /User card Lee/ }) })
  await row.getByRole('button', { name: /User card Lee/ }).click()
  await expect(card(page)).toContainText('Muted for another')
  for (const name of [/^People/, /^Muted, blacklisted/]) {
    await tab(page, name).click()
    await expect(row).toContainText(/Muted 9 min \d+ s|Muted 10 min/)
    // Read at one moment: on the card and in the list.
    const [first, ...others] = await rests(page)
    expect(others).toEqual([first])
  }
  const { ret } = await companion.rpc.rooms.history({ profileId: 'local', call: { roomid, limit: 20 } })
  const guest = ret.list.find(({ attach }) => attach === 'hello everybody')!.from
  await companion.call('/chatroom/setMemberRole.action', {
    roomid,
    operator: 'mei',
    target: guest,
    opt: -1,
    optvalue: true,
  })
  await expect(tab(page, /^Muted, blacklisted 2$/)).toBeVisible()
  await expect.poll(() => inRoom(page)).toEqual([2, 2, 2])
  await companion.call('/chatroom/temporaryMute.action', { roomid, operator: 'mei', target: 'lee', muteDuration: 0 })
  await expect(tab(page, /^Muted, blacklisted 1$/)).toBeVisible()
  await expect(card(page)).not.toContainText('Muted for another')
  await companion.call('/chatroom/setMemberRole.action', {
    roomid,
    operator: 'mei',
    target: guest,
    opt: -1,
    optvalue: false,
  })
  await expect(tab(page, /^Muted, blacklisted 0$/)).toBeVisible()
  await kestrel.context().close()
})

test('viewers and the person concerned read of a measure what the app says that they read', async ({
  page,
  browser,
}) => {
  await openRoom(page)
  const [rvb, other] = [
    await openViewer(browser, app.ready.service.mediaUrl, cid),
    await openViewer(browser, app.ready.service.mediaUrl, cid),
  ]
  for (const viewer of [rvb, other]) await isInside(viewer)
  await rename(rvb, 'rvb')
  await speak(rvb, 'buy cameras')
  await log(page).getByText('buy cameras').click()
  await page.keyboard.press('u')
  await expect(card(page)).toContainText(
    'Viewers and the person read who was muted and for how long, not by whom or why.',
  )
  await inEveryLook(page, 'room-measures', async (language) => {
    await log(page).getByText('buy cameras').click()
    await page.keyboard.press('u')
    await expect(page.getByRole('region', { name: language === 'en' ? 'User card' : '用户卡片' })).toBeVisible()
  })
  await log(page).getByText('buy cameras').click()
  await page.keyboard.press('u')
  await card(page).getByPlaceholder('Reason, which other apps in the room may show').fill('advertising again')
  await card(page)
    .getByRole('group', { name: 'Mute' })
    .getByRole('button', { name: /^10 min/ })
    .click()
  await expect(said(other)).toContainText('rvb was muted for 10 min.')
  // The person reads it below the log, and there alone.
  await expect(rvb.getByText(/^You are muted for (10 min|9 min \d+ s)\.$/)).toBeVisible()
  await expect(said(rvb)).not.toContainText('rvb was muted')
  // Other apps are told who did it and why.
  const told = () => lee.of('roomMessage').flatMap(({ type, attach }) => (type === 5 ? [attach] : []))
  await expect
    .poll(() => told().some((attach) => attach.includes('advertising again') && attach.includes('"operator":"ana"')))
    .toBe(true)

  await page.keyboard.press('Escape')
  await log(page).getByText('buy cameras').click()
  await page.keyboard.press('x')
  const question = page.getByRole('dialog', { name: 'Blacklist rvb?' })
  await expect(question).toContainText('Viewers and the person read who was removed, not by whom or why.')
  await question.getByRole('textbox').fill('cameras once more')
  await page.keyboard.press('Enter')
  await expect(said(other)).toContainText('rvb was removed from this chat.')
  await expect(rvb.getByText('You were removed from this chat.')).toBeVisible()
  for (const viewer of [rvb, other]) {
    const text = await viewer.locator('body').innerText()
    for (const word of ['advertising', 'cameras once more', 'ana']) expect(text).not.toContain(word)
  }
  for (const viewer of [rvb, other]) await viewer.context().close()
})

test('a key does not shorten a mute that runs, the button beside the notice does, and undoing that brings it back', async ({
  page,
}) => {
  await lee.request('roomSend', { roomid, type: 0, attach: 'mute me for a day', clientId: 'c1' })
  await openRoom(page)
  await log(page).getByText('mute me for a day').click()
  await page.keyboard.press('4')
  await page.keyboard.press('u')
  await expect(card(page)).toContainText('Muted for another 23 h 59 min')
  await page.keyboard.press('1')
  await expect(page.getByRole('status').filter({ hasText: /^Lee is muted until 20\d\d-.* already/ })).toBeVisible()
  await expect(card(page)).toContainText('Muted for another 23 h 59 min')
  await page.getByRole('button', { name: 'Shorten to 1 min' }).click()
  await expect(card(page)).toContainText(/Muted for another (1 min|\d\d s)/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(card(page)).toContainText(/Muted for another 23 h 5\d min/)
  await card(page).getByRole('button', { name: 'Actions', exact: true }).click()
  await expect(card(page)).toContainText('Undo of: Timed mute 1 min · Timed mute 23 h 59 min')
  await page.getByRole('group', { name: 'Room' }).getByRole('button', { name: 'Log', exact: true }).click()
  await expect(page.getByRole('row').nth(1)).toContainText('Undo of: Timed mute 1 min')
})

test('the pause of slow mode is set by Enter or Save, and by nothing else', async ({ page }) => {
  await openRoom(page)
  const field = page.getByLabel('Slow mode, seconds between lines')
  const slow = async (): Promise<number | undefined> =>
    (await companion.rpc.rooms.panels({ profileId: 'local' })).find((panel) => panel.roomid === roomid)?.slow
  await field.fill('30')
  await log(page).click()
  await expect(page.getByRole('button', { name: 'Save' })).toBeVisible()
  await field.press('Escape')
  await expect(field).toHaveValue('0')
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await field.fill('20')
  await field.press('Enter')
  await expect.poll(slow).toBe(20)
  await field.fill('0')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(slow).toBe(0)
  // Neither leaving the field nor Esc did anything.
  const taken = await companion.rpc.rooms.actions({ profileId: 'local', roomid })
  expect(taken.flatMap(({ what }) => (what.kind === 'slowMode' ? [what.seconds] : []))).toEqual([0, 20])
})

test('what a room counts is not known while the service is down', async ({ page }) => {
  await openRoom(page)
  await expect(tab(page, /^People \d+$/)).toBeVisible()
  const [service] = execFileSync('pgrep', ['-P', String(app.process.pid), '-f', 'out/main/service.js'])
    .toString()
    .trim()
    .split('\n')
  process.kill(Number(service), 'SIGKILL')
  for (const name of ['People –', 'Muted, blacklisted –', 'Held –'])
    await expect(tab(page, new RegExp(`^${name}$`))).toBeVisible()
  expect(await inRoom(page)).toEqual([])
  await expect(page.getByRole('heading', { name: 'Queue –' })).toBeVisible()
  for (const name of ['Online', 'Lines / min', 'Speaking, hour'])
    await expect(
      page
        .locator('dl > div')
        .filter({ has: page.getByText(name, { exact: true }) })
        .getByRole('definition'),
    ).toHaveText('–')
  await expect(tab(page, /^People \d+$/)).toBeVisible({ timeout: 30_000 })
})
