import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { inEveryLook } from '../looks.ts'
import { expectAccessible, openPage } from '../page.ts'

/** A moderator sets keys and presets of a mute, uses them in the Room, and reads on the user card what is in force. */
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let app: RunningApp
let companion: CompanionClient
let lee: LinkPerson
let mei: LinkPerson
let roomid = 0
let told = 0

test.beforeAll(async () => {
  app = await startApp()
  companion = await openCompanion(app)
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
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
  mei = signInPerson(app.ready.service, 'mei', 'token-of-mei')
  await expect.poll(() => lee.online() && mei.online()).toBe(true)
  for (const person of [lee, mei]) await person.request('roomEnter', { roomid })
  await say(mei, 'Welcome, list is above')
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
  lee?.close()
  mei?.close()
  companion?.close()
  await app?.dispose()
})

const say = (person: LinkPerson, attach: string) =>
  person.request('roomSend', { roomid, type: 0, attach, clientId: `c${told++}` })
const settings = (page: Page, section: string) => page.goto(page.url().replace(/#.*/, `#/settings/${section}`))
const openRoom = async (page: Page): Promise<void> => {
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await expect(page.getByRole('log').getByText('line 60 of Lee')).toBeVisible()
}
const keyOf = (page: Page, command: string) => page.getByRole('button', { name: new RegExp(`^${command}: `) })
const card = (page: Page) => page.getByRole('region', { name: 'User card' })
const force = (page: Page) => card(page).getByRole('list', { name: 'In force now' })
/** How long the room was told that Lee is muted, each time. */
const muteLengths = (): unknown[] =>
  mei
    .of('roomMessage')
    .filter(({ type }) => type === 5)
    .map(({ attach }) => JSON.parse(attach) as { id: number; data: { muteDuration?: number } })
    .filter(({ id }) => id === 314)
    .map(({ data }) => data.muteDuration)

test('a key is given to a command by pressing it; keys of others, of the browser and of the controls are refused', async ({
  page,
}) => {
  await openPage(page, app)
  await settings(page, 'keys')
  await keyOf(page, 'Mute with the last preset').click()
  const asked = page.getByRole('button', { name: 'Press a key, Esc cancels' })
  await page.keyboard.press('d')
  await expect(page.getByRole('alert')).toHaveText(
    'D is “Delete line”. Press another key, or give that one another first.',
  )
  await page.keyboard.press('Tab')
  await expect(page.getByRole('alert')).toHaveText('Tab moves between controls or presses them. Press another key.')
  await page.keyboard.press('Control+j')
  await expect(page.getByRole('alert')).toContainText('Ctrl J belongs to the browser')
  await expect(asked).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(keyOf(page, 'Mute with the last preset')).toHaveText('M')

  await keyOf(page, 'Mute with the last preset').click()
  await page.keyboard.press('b')
  await expect(page.getByText('“Mute with the last preset” is B now.')).toBeVisible()
  await keyOf(page, 'Mute the room').click()
  await page.keyboard.press('g')
  await expect(page.getByRole('alert')).toContainText('This counts while you type too')
  await page.keyboard.press('F2')
  await expect(keyOf(page, 'Mute the room')).toHaveText('F2')
  await inEveryLook(page, 'settings-keys', () => expect(page.getByRole('listitem').first()).toBeVisible())
})

test('presets are checked, kept, and the same in another window', async ({ page, context }) => {
  await openPage(page, app)
  const other = await context.newPage()
  await openPage(other, app)
  await settings(other, 'room')
  await settings(page, 'room')
  const amount = page.getByLabel('Length of preset 2')
  const save = page.getByRole('button', { name: 'Save presets' })
  await amount.fill('31')
  await page.getByLabel('Unit of preset 2').selectOption('days')
  await expect(page.getByText('A mute lasts 30 days at most.', { exact: false })).toBeVisible()
  await expect(save).toHaveAttribute('aria-disabled', 'true')
  await amount.fill('7')
  await expect(page.getByText('This length is there already.')).toBeVisible()
  await amount.fill('45')
  await page.getByLabel('Unit of preset 2').selectOption('seconds')
  await page.getByRole('button', { name: 'Remove preset 3' }).click()
  await save.click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(other.getByLabel('Length of preset 2')).toHaveValue('45')
  await expect(other.getByRole('listitem').filter({ has: other.getByRole('combobox') })).toHaveCount(5)
  await inEveryLook(page, 'settings-room', () => expect(page.getByRole('combobox').first()).toBeVisible())
})

test('the new key mutes for the new preset, and lifting one measure leaves the other', async ({ page }) => {
  await openPage(page, app)
  await openRoom(page)
  await page.getByRole('log').getByText('line 60 of Lee').click()
  await page.keyboard.press('m')
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys of the Room' })
  await expect(help.getByText('Mute with the last preset')).toBeVisible()
  await expect(help.locator('.command', { hasText: 'Mute with the last preset' }).getByRole('definition')).toHaveText(
    'B',
  )
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)
  await page.keyboard.press('b')
  await expect.poll(muteLengths).toEqual([45])
  await expect(page.getByRole('status').filter({ hasText: 'Timed mute' })).toContainText('Timed mute 45 s · Lee')
  await expect(say(lee, 'can I speak?')).rejects.toThrow()

  await page.keyboard.press('u')
  await expect(card(page).getByRole('heading', { name: 'Lee' })).toBeVisible()
  await expect(card(page).getByText('Viewer', { exact: true })).toBeVisible()
  await expect(force(page)).toContainText(/Muted for another \d+ s/)
  await expect(card(page).getByText('60+', { exact: true })).toBeVisible()
  await card(page).getByRole('button', { name: 'Older' }).click()
  await expect(card(page).getByText('60', { exact: true })).toBeVisible()
  await expect(card(page).getByText('line 1 of Lee', { exact: true })).toBeAttached()
  // The third preset was removed: until lifted is the fifth now.
  await page.keyboard.press('5')
  await expect(force(page)).toContainText('Muted until lifted')
  await force(page).getByRole('button', { name: 'Lift the timed mute' }).click()
  await expect(force(page)).not.toContainText('Muted for another')
  await expect(force(page)).toContainText('Muted until lifted')

  await page.keyboard.press('1')
  await expect(force(page)).toContainText('Muted for another')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(force(page)).not.toContainText('Muted for another')
  await expect(force(page)).toContainText('Muted until lifted')
  await card(page).getByRole('button', { name: 'Actions', exact: true }).click()
  await expect(card(page).getByText('Timed mute 45 s')).toBeVisible()
  await card(page).getByRole('button', { name: 'Sign-ins' }).click()
  await expect(card(page).getByText('Signed in', { exact: true })).toBeVisible()
  await expect(card(page).getByText('127.0.0.1', { exact: false })).toBeVisible()
  await card(page).getByLabel('Private note').fill('asks for spoilers')
  await card(page).getByRole('button', { name: 'Lines', exact: true }).click()
  await expect(card(page).getByText('line 60 of Lee', { exact: true })).toBeVisible()
  await inEveryLook(page, 'room-card', async (language) => {
    await page.getByRole('log').getByText('line 60 of Lee').click()
    await page.keyboard.press('u')
    await expect(
      page
        .getByRole('region', { name: language === 'en' ? 'User card' : '用户卡片' })
        .getByRole('textbox')
        .last(),
    ).toHaveValue('asks for spoilers')
  })
  await force(page).getByRole('button', { name: 'Lift the mute' }).click()
  await expect(force(page)).toHaveCount(0)
  await say(lee, 'thanks')
  await expect(page.getByRole('log').getByText('thanks')).toBeVisible()
})

test('a moderator and the host are named as such and cannot be muted', async ({ page }) => {
  await openPage(page, app)
  await openRoom(page)
  const before = muteLengths().length
  await say(mei, 'I am a moderator')
  await page.getByRole('log').getByText('I am a moderator').click()
  await page.keyboard.press('u')
  await expect(card(page).getByText('Moderators cannot be muted or blacklisted.', { exact: false })).toBeVisible()
  await expect(card(page).getByRole('group', { name: 'Mute' })).toHaveCount(0)
  await page.keyboard.press('1')
  await page.getByRole('textbox', { name: /^Say as/ }).fill('hello from the host')
  // While a field has the focus only what writes nothing counts.
  await page.keyboard.press('F2')
  await expect(page.getByText('Only host and moderators can speak.', { exact: false }).first()).toBeVisible()
  await page.keyboard.press('Shift+F9')
  await expect(page.getByRole('button', { name: 'Mute room' })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.getByRole('log').getByText('hello from the host').click()
  await page.keyboard.press('u')
  await expect(card(page).getByText('This is the account that acts.')).toBeVisible()
  expect(muteLengths()).toHaveLength(before)
})

test('the usual keys come back, one or all', async ({ page }) => {
  await openPage(page, app)
  await settings(page, 'keys')
  await page.getByRole('button', { name: 'Usual key of “Mute the room”' }).click()
  await expect(keyOf(page, 'Mute the room')).toHaveText('F9')
  await expect(keyOf(page, 'Mute with the last preset')).toHaveText('B')
  await page.getByRole('button', { name: 'All usual keys' }).click()
  await expect(keyOf(page, 'Mute with the last preset')).toHaveText('M')
  await settings(page, 'room')
  await page.getByRole('button', { name: 'Usual presets' }).click()
  await expect(page.getByLabel('Length of preset 3')).toHaveValue('1')
})
