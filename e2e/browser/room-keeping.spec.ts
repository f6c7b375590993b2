import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, type Page } from 'playwright/test'
import type { Measure } from '../../contract/rpc/index.ts'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { expectAccessible, openPage } from '../page.ts'
import { isInside, openViewer, rename, said, speak } from '../viewer.ts'

/** A moderator keeps a room: held lines, roles, the queue, the room's channel, older lines, the log of actions, the dock, a window of its own, statistics. */
let app: RunningApp
let companion: CompanionClient
let lee: LinkPerson
let roomid = 0
let cid = ''
let told = 0
/** Lines of Lee before anybody looked: more than a page of the history. */
const before = 620
const hour = 3_600_000

const begin = async (dataDir?: string): Promise<void> => {
  app = await startApp(dataDir === undefined ? {} : { dataDir })
  companion = await openCompanion(app)
}
test.beforeAll(async () => {
  await begin()
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
  cid = (await companion.rpc.channels.create({ profileId: 'local', name: 'late_night' })).cid
  await companion.rpc.rooms.link({ profileId: 'local', cid, roomid })
  for (const [accid, name] of [
    ['lee', 'Lee'],
    ['mei', 'Mei'],
  ] as const)
    await companion.call('/user/create.action', { accid, name, token: `token-of-${accid}` })
  lee = signInPerson(app.ready.service, 'lee', 'token-of-lee')
  await expect.poll(() => lee.online()).toBe(true)
  await lee.request('roomEnter', { roomid })
  const written = (line: number) =>
    companion.call('/chatroom/sendMsg.action', {
      roomid,
      msgId: `b${line}`,
      fromAccid: 'lee',
      msgType: 0,
      attach: `line ${line} of Lee`,
    })
  await written(1)
  for (let from = 2; from < before; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, before - from) }, (_, index) => written(from + index)))
  await written(before)
})
test.afterAll(async () => {
  lee?.close()
  companion?.close()
  await app?.dispose()
})

const say = (attach: string) => lee.request('roomSend', { roomid, type: 0, attach, clientId: `c${told++}` })
/** Axe on the screen, and a picture of it. */
const look = async (page: Page, name: string): Promise<void> => {
  await expectAccessible(page)
  await page.screenshot({ path: `out/screenshots/app/${name}.png` })
}
const log = (page: Page) => page.getByRole('log')
const openRoom = async (page: Page): Promise<void> => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).click()
  await expect(log(page)).toBeVisible()
}
const tab = (page: Page, name: RegExp | string) =>
  page.getByRole('group', { name: 'Room' }).getByRole('button', { name })
const roomMuted = (page: Page) => page.getByText('Only host and moderators can speak.', { exact: false }).first()
/** Signs in at the viewers' page with an account. */
const signIn = async (page: Page, accid: string): Promise<void> => {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Account').fill(accid)
  await page.getByLabel('Token').fill(`token-of-${accid}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByPlaceholder(`Say something as ${accid}`)).toBeVisible()
}

test('older lines are read in page by page, down to the first', async ({ page }) => {
  await openRoom(page)
  await expect(log(page).getByText(`line ${before} of Lee`, { exact: true })).toBeVisible()
  await log(page).focus()
  await page.keyboard.press('Home')
  // Who comes near the first line that was read gets the page before it.
  await expect(async () => {
    await page.keyboard.press('Home')
    await expect(log(page).getByText('line 1 of Lee', { exact: true })).toBeVisible({ timeout: 1000 })
  }).toPass()
  await expect(page.getByText('The first line of this room.')).toBeVisible()
  await page.keyboard.press('End')
  await expect(log(page).getByText(`line ${before} of Lee`, { exact: true })).toBeVisible()
  await expectAccessible(page)
})

test('a channel is linked and unlinked from the Room, and its watch page has the chat while it is', async ({
  page,
  browser,
}) => {
  await openRoom(page)
  const viewer = await openViewer(browser, app.ready.service.mediaUrl, cid)
  await speak(viewer, 'there is a chat')
  await expect(log(page)).toContainText('there is a chat')

  await page.getByRole('button', { name: 'Unlink…' }).click()
  const ask = page.getByRole('dialog')
  await expect(ask).toContainText('The watch page of the channel has no chat from then on.')
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(ask).toHaveCount(0)
  await speak(viewer, 'it is still there')
  await expect(log(page)).toContainText('it is still there')
  await page.getByRole('button', { name: 'Unlink…' }).click()
  await ask.getByRole('button', { name: 'Unlink', exact: true }).click()
  await expect(ask).toHaveCount(0)
  await expect(viewer.getByText('This channel has no chat.')).toBeVisible()
  await expectAccessible(viewer)

  await page.getByRole('button', { name: 'Choose a channel' }).click()
  await page.getByRole('option', { name: /late_night/ }).click()
  await speak(viewer, 'linked again')
  await expect(log(page)).toContainText('linked again')
  await viewer.context().close()
})

test('a line that the word list holds is let through by a key and appears at the viewer; another one is dropped', async ({
  page,
  browser,
}) => {
  await companion.rpc.operations.local.setWords({ profileId: 'local', call: { words: ['coins'], hold: true } })
  await openRoom(page)
  const viewer = await openViewer(browser, app.ready.service.mediaUrl, cid)
  const other = await openViewer(browser, app.ready.service.mediaUrl, cid)
  await isInside(other)
  await rename(viewer, 'kestrel')
  await speak(viewer, 'cheap coins here')
  await speak(viewer, 'two coins in the fountain')
  await speak(other, 'said while it waits')
  await expect(log(page)).toContainText('said while it waits')
  await tab(page, 'Held 2').click()
  const held = page.getByRole('region', { name: 'Held lines' })
  const lines = held.getByRole('listitem')
  await expect(lines).toHaveCount(2)
  await look(page, 'room-held')
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keys of the Room' })
  await expect(help.getByRole('region', { name: 'A held line that has the focus, fixed keys' })).toContainText(
    'Let through',
  )
  await page.keyboard.press('Escape')
  await expect(help).toHaveCount(0)

  await lines.filter({ hasText: 'two coins' }).focus()
  await page.keyboard.press('a')
  await expect(lines).toHaveCount(1)
  await expect(said(other)).toContainText('kestrel two coins in the fountain')
  await expect(lines).toBeFocused()
  await page.keyboard.press('d')
  await expect(lines).toHaveCount(0)
  await speak(other, 'nothing else?')
  await expect(said(viewer)).toContainText('nothing else?')
  await expect(said(other)).not.toContainText('cheap coins here')
  await tab(page, 'Chat').click()
  // It stands where the viewers got it, not where it was said.
  const late = log(page).locator('[data-room-row]').filter({ hasText: 'two coins in the fountain' })
  await expect(late).toContainText(/Held at \d\d:\d\d:\d\d/)
  const order = await log(page).locator('[data-room-row]').allInnerTexts()
  expect(order.findIndex((text) => text.includes('two coins'))).toBeGreaterThan(
    order.findIndex((text) => text.includes('said while it waits')),
  )
  await look(page, 'room-let-through')
  await companion.rpc.operations.local.setWords({ profileId: 'local', call: { words: [], hold: false } })
  await viewer.context().close()
  await other.context().close()
})

test('a viewer is made moderator by keyboard and has the badge; people wait in the queue and are taken', async ({
  page,
  browser,
}) => {
  await openRoom(page)
  const mei = await openViewer(browser, app.ready.service.mediaUrl, cid)
  await isInside(mei)
  await signIn(mei, 'mei')
  await speak(mei, 'hello, it is me')
  await tab(page, /^People/).click()
  await page.getByRole('button', { name: 'What to do with Mei' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Make moderator' })).toBeVisible()
  await expectAccessible(page)
  await expect(page.getByRole('menuitem', { name: 'Make moderator' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(said(mei)).toContainText('Mod')
  await speak(mei, 'and now I moderate')
  await expect(said(mei)).toContainText(/Mod \S+ you and now I moderate/)
  await tab(page, 'Chat').click()
  await expect(log(page).locator('[data-id]').filter({ hasText: 'and now I moderate' })).toContainText('Mod')

  for (const [who, what] of [
    ['kestrel', 'call-in'],
    ['rvb', 'a song'],
  ] as const)
    await companion.rpc.rooms.act({
      profileId: 'local',
      roomid,
      measure: { kind: 'queueAdd', key: who, value: what },
      why: '',
    })
  await page.reload()
  await expect(page.getByText('Queue 2')).toBeVisible()
  await page.keyboard.press('q')
  await expect(page.getByText('kestrel was taken from the queue.')).toBeVisible()
  await expect(page.getByText('Queue 1')).toBeVisible()
  const { desc } = await companion.rpc.operations.queue.list({ profileId: 'local', call: { roomid } })
  expect(desc.list).toEqual([{ rvb: 'a song' }])
  await mei.context().close()
})

test('who writes over an announcement or a name in the queue that somebody else has changed is told and chooses', async ({
  page,
}) => {
  const act = (measure: Measure) => companion.rpc.rooms.act({ profileId: 'local', roomid, measure, why: '' })
  const announced = async () =>
    (await companion.rpc.operations.chatrooms.get({ profileId: 'local', call: { roomid } })).chatroom.announcement
  await act({ kind: 'announce', text: 'read by both' })
  await openRoom(page)
  await page.keyboard.press('a')
  const field = page.getByRole('textbox', { name: 'Announcement' })
  await expect(field).toHaveValue('read by both')
  await field.fill('mine')
  await act({ kind: 'announce', text: 'theirs <b>now</b>' })
  await expect(page.getByRole('alert').filter({ hasText: 'Somebody else has changed the announcement' })).toContainText(
    'theirs <b>now</b>',
  )
  await page.keyboard.press('Control+Enter')
  await look(page, 'room-announced-meanwhile')
  expect(await announced()).toBe('theirs <b>now</b>')
  await page.getByRole('button', { name: 'Keep it' }).click()
  await expect(page.getByText('theirs <b>now</b>')).toBeVisible()
  await page.getByRole('button', { name: 'Edit announcement' }).click()
  await field.fill('mine')
  await act({ kind: 'announce', text: 'theirs again' })
  await page.getByRole('button', { name: 'Replace it' }).click()
  await expect(field).toHaveCount(0)
  expect(await announced()).toBe('mine')

  await act({ kind: 'queueClear' })
  await act({ kind: 'queueAdd', key: 'kestrel', value: 'call-in' })
  const queue = async () =>
    (await companion.rpc.operations.queue.list({ profileId: 'local', call: { roomid } })).desc.list
  await page.getByRole('button', { name: 'Add to queue' }).click()
  await page.getByRole('textbox', { name: 'Who' }).fill('kestrel')
  await page.getByRole('textbox', { name: 'What for' }).fill('a song')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert').filter({ hasText: 'Waits already' })).toContainText('kestrel call-in')
  expect(await queue()).toEqual([{ kestrel: 'call-in' }])
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Replace it' }).click()
  await expect.poll(queue).toEqual([{ kestrel: 'a song' }])
  // What is refused names whom it was about.
  await companion.call('/chatroom/queueInit.action', { roomid, sizeLimit: 0 })
  await page.getByRole('textbox', { name: 'Who' }).fill('heron')
  await page.getByRole('textbox', { name: 'What for' }).fill('too late')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Not done: Added to queue · heron.')).toBeVisible()
  await companion.call('/chatroom/queueInit.action', { roomid, sizeLimit: 100 })
  await tab(page, 'Log').click()
  const row = page.getByRole('row').filter({ hasText: 'Added to queue' }).filter({ hasText: 'a song' }).first()
  await expect(row).toContainText('kestrel')
  await expect(row).toContainText('a song')
  await expect(page.getByRole('row').filter({ hasText: 'theirs again' })).toHaveCount(1)
  // What others do comes into the log that stands open.
  await act({ kind: 'announce', text: 'while it is open' })
  await expect(page.getByRole('row').filter({ hasText: 'while it is open' })).toHaveCount(1)
})

test('a timed mute that ends by itself says so in the Room, also after a reload, and at the viewer', async ({
  page,
  browser,
}) => {
  await openRoom(page)
  const viewer = await openViewer(browser, app.ready.service.mediaUrl, cid)
  await rename(viewer, 'ghost')
  await speak(viewer, 'mute me')
  await expect(log(page)).toContainText('mute me')
  const { ret } = await companion.rpc.rooms.history({ profileId: 'local', call: { roomid, limit: 20 } })
  const target = ret.list.find(({ attach }) => attach === 'mute me')!.from
  await companion.rpc.rooms.act({
    profileId: 'local',
    roomid,
    measure: { kind: 'temporaryMute', target, seconds: 2 },
    why: '',
  })
  await expect(viewer.getByText('Your mute is over. You can speak again.')).toBeVisible()
  await expect(log(page)).toContainText('Timed mute of ghost is over')
  await page.reload()
  await expect(log(page)).toContainText('Timed mute of ghost is over')
  await expect(log(page)).toContainText('ghost muted for')
  await speak(viewer, 'I can speak')
  await expect(log(page)).toContainText('I can speak')
  await expect(viewer.getByText('Your mute is over.')).toHaveCount(0)
  await viewer.context().close()
})

test('the log of actions is read and saved as CSV in which nothing is a formula', async ({ page }) => {
  await companion.rpc.rooms.act({
    profileId: 'local',
    roomid,
    measure: { kind: 'temporaryMute', target: 'lee', seconds: 60 },
    why: '=HYPERLINK("http://evil")',
  })
  await companion.rpc.rooms.act({
    profileId: 'local',
    roomid,
    measure: { kind: 'temporaryMute', target: 'lee', seconds: 0 },
    why: '',
  })
  await openRoom(page)
  await tab(page, 'Log').click()
  await expect(page.getByRole('row').filter({ hasText: '=HYPERLINK' })).toContainText('lee')
  // Every column is seen, what came of it too: at this width nothing scrolls sideways.
  expect(await page.locator('[data-list]').evaluate((list) => list.scrollWidth <= list.clientWidth)).toBe(true)
  await expect(page.getByRole('columnheader', { name: 'Result' })).toBeInViewport({ ratio: 1 })
  await look(page, 'room-actions')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`room-${roomid}-actions.csv`)
  const csv = readFileSync(await download.path(), 'utf8')
  expect(csv).toContain('HYPERLINK')
  expect(csv).toContain('temporaryMute')
  expect(
    csv
      .split(/\r?\n/)
      .flatMap((row) => row.split(','))
      .filter((cell) => /^"?[=+@]/.test(cell)),
  ).toEqual([])
})

test('beside a narrow picture the chat slides over it; single keys count while it was used last, the panic key always', async ({
  page,
}) => {
  await openRoom(page)
  // What only the full screen has stays there.
  await tab(page, 'Log').click()
  await page.setViewportSize({ width: 1100, height: 760 })
  await page.goto(page.url().replace(/#.*/, `#/studio/${cid}`))
  const dock = page.getByRole('complementary', { name: 'Chat of the channel' })
  const open = page.getByRole('button', { name: /^Chat/ }).and(page.locator('[aria-controls="studio-chat"]'))
  await expect(open).toHaveAttribute('aria-expanded', 'false')
  await expect(dock).toBeHidden()
  // Out of sight nothing says when the room is known; the key mutes and never lifts.
  await expect(async () => {
    await page.keyboard.press('F9')
    const { chatroom } = await companion.rpc.operations.chatrooms.get({ profileId: 'local', call: { roomid } })
    expect(chatroom.muted).toBe(true)
  }).toPass()
  await open.click()
  await expect(dock).toBeVisible()
  await expect(dock.getByRole('button', { name: 'Chat', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await expect(roomMuted(page)).toBeVisible()
  await dock.getByRole('button', { name: 'Lift' }).click()
  await expect(roomMuted(page)).toHaveCount(0)
  await expectAccessible(page)

  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('f')
  await expect(dock.getByRole('button', { name: 'Freeze' })).toHaveAttribute('aria-pressed', 'false')
  await dock.getByRole('log').click()
  await page.keyboard.press('f')
  await expect(dock.getByRole('button', { name: 'Frozen' })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('f')
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('F9')
  await expect(roomMuted(page)).toBeVisible()
  await page.keyboard.press('Shift+F9')
  await expect(roomMuted(page)).toHaveCount(0)
  await look(page, 'studio-dock-narrow')
})

test('a window of its own keeps its keys and its profile, whatever is chosen elsewhere', async ({ page, context }) => {
  await openRoom(page)
  const [own] = await Promise.all([context.waitForEvent('page'), page.keyboard.press('Control+Shift+P')])
  await expect(log(own)).toContainText(`line ${before} of Lee`)
  await expect(own).toHaveURL(new RegExp(`#/pop-out/room/${roomid}/local$`))
  await own.locator('body').click({ position: { x: 2, y: 200 } })
  await own.keyboard.press('f')
  await expect(own.getByRole('button', { name: 'Frozen' })).toHaveAttribute('aria-pressed', 'true')
  await own.keyboard.press('f')
  await own.keyboard.press('F9')
  await expect(roomMuted(own)).toBeVisible()
  await expect(roomMuted(page)).toBeVisible()
  await own.keyboard.press('Shift+F9')
  await expect(roomMuted(page)).toHaveCount(0)
  await expectAccessible(own)
  await own.screenshot({ path: 'out/screenshots/app/popout-browser.png' })

  // Another profile, chosen in the main window, is kept for the next load of every window.
  await page.evaluate(() => localStorage.setItem('sidestage.profile', 'f'.repeat(16)))
  await own.reload()
  await expect(log(own)).toContainText(`line ${before} of Lee`)
  await own.goto(own.url().replace(/local$/, '0123456789abcdef'))
  await own.reload()
  await expect(
    own.getByRole('alert').filter({ hasText: 'The service profile of this room was removed.' }),
  ).toBeVisible()
  await own.close()
})

test('statistics show what was said in an hour that is over, and nothing of the one that goes on', async ({ page }) => {
  await openRoom(page)
  await say('counted too')
  await tab(page, 'Statistics').click()
  const table = page.getByRole('table', { name: 'Figures of this room' })
  await expect(
    page.getByText(
      /^By hour, times in .+\. The hour that goes on is not counted yet: it stands here from \d\d:\d\d\.$/,
    ),
  ).toBeVisible()
  await expect(table.getByRole('row')).toHaveCount(25)

  // Nobody can wait for an hour: what was counted is put where it would be after one.
  lee.close()
  companion.close()
  await app.stop()
  const file = readdirSync(app.dataDir, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith('sidestage.db'),
  )!
  const database = new DatabaseSync(join(app.dataDir, file))
  const stat = database
    .prepare(
      "SELECT SUM(active) AS active, SUM(enters) AS enters, SUM(msgs) AS msgs FROM roomStat WHERE period = 'HOUR' AND roomid = ?",
    )
    .get(roomid)!
  database.exec(`UPDATE roomStat SET start = start - ${hour} WHERE period = 'HOUR'`)
  database.close()
  expect(Number(stat['msgs'])).toBeGreaterThan(before)
  await begin(app.dataDir)
  await openRoom(page)
  await tab(page, 'Statistics').click()
  const counted = async (): Promise<number> => {
    const cells = await table.locator('tbody tr td:last-child').allInnerTexts()
    return cells.reduce((sum, cell) => sum + Number(cell.replace(/\D/g, '') || 0), 0)
  }
  await expect.poll(counted).toBe(Number(stat['msgs']))
  const chart = page.getByRole('slider')
  await page.getByRole('group', { name: 'Figure' }).getByRole('button', { name: 'Messages' }).click()
  await chart.focus()
  await page.keyboard.press('End')
  const words = async (): Promise<string> => (await chart.getAttribute('aria-valuetext')) ?? ''
  // The hour may have changed while the lines were said: the last of them are then in an hour of their own.
  const many = /: [\d,]{3,} lines$/
  for (let step = 0; step < 3 && !many.test(await words()); step++) await page.keyboard.press('ArrowLeft')
  expect(await words()).toMatch(many)
  await expect(page.locator('.u-wrap canvas').first()).toBeVisible()
  await look(page, 'room-statistics')
})
