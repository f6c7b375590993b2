import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test, type Locator, type Page } from 'playwright/test'
import { shownText } from '../../contract/web-link.ts'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { kindsOf, watchTrouble } from '../hostile-page.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { createChannel, expectAccessible, openPage } from '../page.ts'

/** The Room, the Studio's dock and a room's own window against people who write to break them (docs/checks.md#5-unsafe-content). */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.describe.configure({ mode: 'serial' })
let app: RunningApp
let companion: CompanionClient
/** People who take each text as their name, in turn: one alone may change it ten times within a minute. */
let takers: readonly LinkPerson[] = []
let turns = 0
let roomid = 0
/** A folder with an `xdg-open` that only notes what it is asked to open. */
const folder = mkdtempSync(join(tmpdir(), 'sidestage-hostile-'))
const opened = (): string[] =>
  existsSync(join(folder, 'opened')) ? readFileSync(join(folder, 'opened'), 'utf8').trim().split('\n') : []

test.beforeAll(async () => {
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$1" >> '${join(folder, 'opened')}'\n`)
  chmodSync(join(folder, 'xdg-open'), 0o755)
  const path = process.env['PATH'] ?? ''
  process.env['PATH'] = `${folder}${delimiter}${path}`
  app = await startApp()
  process.env['PATH'] = path
  companion = await openCompanion(app)
  roomid = (
    await companion.rpc.rooms.create({ profileId: 'local', accid: 'ana', name: 'Late night', announcement: '' })
  ).roomid
  for (const accid of ['mei', 'eve', 'eva'])
    await companion.call('/user/create.action', {
      accid,
      name: accid,
      token: `token-of-${accid}`,
      icon: 'https://evil.example/avatar.png',
    })
  takers = ['eve', 'eva'].map((accid) => signInPerson(app.ready.service, accid, `token-of-${accid}`))
  for (const taker of takers) await expect.poll(taker.online).toBe(true)
})
test.afterAll(async () => {
  for (const taker of takers) taker.close()
  companion?.close()
  await app?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

const watched = (page: Page): string[] => watchTrouble(page, new URL(app.ready.url).origin)
const kindsIn = (page: Page): Promise<string[]> => kindsOf(page, new URL(app.ready.url).origin)
const log = (page: Page): Locator => page.getByRole('log')
const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }).click()
const tab = (page: Page, name: RegExp) => page.getByRole('group', { name: 'Room' }).getByRole('button', { name })
/** Everybody and everything of the room says a text. */
async function everywhere(text: string, id: string): Promise<void> {
  const { call, rpc } = companion
  await call('/chatroom/update.action', {
    roomid,
    name: text,
    announcement: text,
    ext: text,
    needNotify: true,
    notifyExt: text,
  })
  for (const [type, attach] of [
    [0, text],
    [100, JSON.stringify({ msg: text, url: text })],
    [1, JSON.stringify({ name: text, url: 'https://evil.example/picture.png', ext: 'svg', w: 1, h: 1 })],
  ] as const)
    await call('/chatroom/sendMsg.action', {
      roomid,
      msgId: `${id}-${type}`,
      fromAccid: 'mei',
      msgType: type,
      attach,
      ext: text,
    })
  const taker = takers[turns++ % takers.length]!
  await taker.request('roomEnter', {
    roomid,
    nick: text.slice(0, 64),
    avatar: 'https://evil.example/avatar.svg',
    ext: text,
  })
  await taker.request('roomSend', { roomid, type: 0, attach: text, ext: text, clientId: id })
  await call('/chatroom/temporaryMute.action', {
    roomid,
    operator: 'ana',
    target: 'eve',
    muteDuration: 60,
    needNotify: true,
    notifyExt: text,
  })
  await call('/chatroom/temporaryMute.action', {
    roomid,
    operator: 'ana',
    target: 'eve',
    muteDuration: 0,
    needNotify: true,
    notifyExt: text,
  })
  await call('/chatroom/queueOffer.action', { roomid, key: text, value: text, operator: 'ana' })
  await rpc.rooms.act({ profileId: 'local', roomid, measure: { kind: 'mute', target: 'mei', on: true }, why: text })
  await rpc.rooms.act({ profileId: 'local', roomid, measure: { kind: 'mute', target: 'mei', on: false }, why: text })
  await rpc.rooms.setNote({ profileId: 'local', accid: 'eve', text })
  await call('/chatroom/sendMsg.action', {
    roomid,
    msgId: `${id}-end`,
    fromAccid: 'mei',
    msgType: 0,
    attach: `end of ${id}`,
  })
}
/** Looks at every part of the Room and gathers the kinds of nodes there. */
async function look(page: Page, kinds: Set<string>): Promise<void> {
  const gather = async (): Promise<void> => {
    for (const kind of await kindsIn(page)) kinds.add(kind)
  }
  await gather()
  const row = log(page)
    .locator('[data-id]')
    .filter({ has: page.locator('.said') })
    .last()
  await row.locator('.time').click()
  await row.getByRole('button', { name: 'User card' }).click()
  await gather()
  for (const name of [/^People/, /^Muted/, /^Log/]) {
    await tab(page, name).click()
    // What was done, and who is there, is read when it is looked at.
    if (name.source === '^Log') await expect(page.getByRole('table').first()).toBeVisible()
    if (name.source === '^People') await expect(page.getByRole('listitem').first()).toBeVisible()
    await gather()
  }
  await tab(page, /^Chat/).click()
  await expect(log(page)).toBeVisible()
  // Nothing was done to the marked line: it keeps the log where it is until it is let go, after its card.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
}

test('nothing that people write in a room becomes more than text', async ({ page }) => {
  const trouble = watched(page)
  await openPage(page, app)
  await goTo(page, 'Room')
  const allowed = new Set<string>()
  await everywhere('an ordinary text', 'plain')
  await expect(log(page)).toContainText('end of plain')
  await look(page, allowed)
  const found = new Set<string>()
  for (const [index, text] of hostileTexts.entries()) {
    await everywhere(text, `t${index}`)
    await expect(log(page)).toContainText(`end of t${index}`)
    const shown = shownText(text).replace(/\s+/g, ' ').trim()
    // Said by a member, by an account of its own nick, as custom content, as the name of a picture, and told as the reason of a measure.
    await expect(log(page).locator('.said').filter({ hasText: shown }).first()).toBeVisible()
    expect(await log(page).locator('.said').filter({ hasText: shown }).count()).toBeGreaterThanOrEqual(4)
    await expect(
      log(page)
        .locator('.name')
        .filter({ hasText: shownText(text.slice(0, 64)).trim() })
        .first(),
    ).toBeVisible()
    await expect(page.locator('.announcement')).toContainText(shown)
    await look(page, found)
    await expect(page.getByRole('listitem').filter({ hasText: shown }).first()).toBeVisible()
  }
  await companion.call('/chatroom/sendMsg.action', {
    roomid,
    msgId: 'long',
    fromAccid: 'mei',
    msgType: 0,
    attach: 'A'.repeat(4096),
  })
  await expect(log(page)).toContainText('AAAA')
  expect([...found].filter((kind) => !allowed.has(kind))).toEqual([])
  // Whoever looks like the host in letters does not have the host's badge.
  await expect(
    log(page)
      .locator('[data-id]', { has: page.locator('.name', { hasText: '\u0430na' }) })
      .first(),
  ).not.toContainText('Host')
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)

  await page.reload()
  await expect(log(page)).toContainText('AAAA')
  const again = new Set<string>()
  await look(page, again)
  expect([...again].filter((kind) => !allowed.has(kind))).toEqual([])
  expect(trouble).toEqual([])
  expect(opened()).toEqual([])
})

test('a room beside the picture and in a window of its own shows it as text too, and has one window', async ({
  page,
  context,
}) => {
  const trouble = watched(page)
  await openPage(page, app)
  const cid = await createChannel(page, 'hostile_room')
  await companion.rpc.rooms.link({ profileId: 'local', cid, roomid })
  await page.reload()
  await expect(log(page)).toContainText('AAAA')
  const plain = await kindsIn(page)
  await everywhere(hostileTexts[0], 'dock')
  await expect(log(page)).toContainText('end of dock')
  expect((await kindsIn(page)).filter((kind) => !plain.includes(kind))).toEqual([])
  const [popOut] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('button', { name: 'Open in a window of its own' }).click(),
  ])
  const more = watched(popOut)
  await expect(popOut).toHaveURL(new RegExp(`#/pop-out/room/${roomid}/local$`))
  await expect(log(popOut)).toContainText('end of dock')
  const own = await kindsIn(popOut)
  await everywhere(hostileTexts[1], 'own')
  await expect(log(popOut)).toContainText('end of own')
  expect((await kindsIn(popOut)).filter((kind) => !own.includes(kind))).toEqual([])
  // It says what a browser cannot do.
  await expect(popOut.getByRole('img', { name: /cannot stay above others/ })).toBeVisible()
  await page.bringToFront()
  await page.getByRole('button', { name: 'Open in a window of its own' }).click()
  await expect.poll(() => popOut.evaluate(() => document.hasFocus())).toBe(true)
  await expect(log(popOut)).toContainText('end of own')
  expect(context.pages()).toHaveLength(2)
  await popOut.close()
  expect([...trouble, ...more]).toEqual([])
})

test('a link is shown whole, asked about by its host, and opened in a tab of the browser only when it is http or https', async ({
  page,
}) => {
  const trouble = watched(page)
  await openPage(page, app)
  await goTo(page, 'Room')
  const speak = (attach: string, msgId: string) =>
    companion.call('/chatroom/sendMsg.action', { roomid, msgId, fromAccid: 'mei', msgType: 0, attach })
  await speak('see https://show.example/list?from=chat#top, or https://\u0430pple.example/login', 'links')
  await speak(
    'javascript:alert(1) file:///etc/passwd https://ana@evil.example/ smb://host ms-msdt:/id \\\\host\\share hTtPs://a.example https://b\u200b.example',
    'no-links',
  )
  const row = (text: string): Locator => log(page).locator('[data-id]').filter({ hasText: text }).last()
  await expect(row('smb://host').locator('.said')).toBeVisible()
  await expect(row('smb://host').locator('.said button')).toHaveCount(0)

  const first = row('see https').getByRole('button', { name: 'https://show.example/list?from=chat#top', exact: true })
  await first.click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('It leads to show.example and opens')
  await expect(dialog).toContainText('https://show.example/list?from=chat#top')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  expect(opened()).toEqual([])

  await row('see https').getByRole('button', { name: 'https://\u0430pple.example/login', exact: true }).press('Enter')
  await expect(dialog).toContainText('It leads to xn--pple-43d.example')
  await expect(dialog).toContainText('It may imitate another one.')
  await expect(dialog).toContainText('mixes letters of several scripts')
  await page
    .context()
    .route('https://xn--pple-43d.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Elsewhere</title>' }),
    )
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    dialog.getByRole('button', { name: 'Open' }).click(),
  ])
  await expect(dialog).toHaveCount(0)
  await expect(tab).toHaveURL('https://xn--pple-43d.example/login')
  // The page that was opened has no way back to the one that opened it.
  expect(await tab.evaluate(() => window.opener)).toBeNull()
  await tab.close()
  // A page that asks without asking anybody is refused the same.
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://ana@evil.example/',
    'hTtPs://a.example',
    'https://a.example/\u202egpj.exe',
  ])
    await expect(companion.rpc.app.openLink({ url })).rejects.toThrow()
  expect(opened()).toEqual([])
  expect(context(page)).toHaveLength(1)
  expect(trouble).toEqual([])
})
const context = (page: Page): Page[] => page.context().pages()

test('HTML that is pasted or dropped into a field is its text', async ({ page }) => {
  const trouble = watched(page)
  await openPage(page, app)
  await goTo(page, 'Room')
  const composer = page.getByRole('textbox', { name: /^Say as/ })
  await composer.fill('an ordinary line')
  await composer.press('Enter')
  await expect(log(page).locator('.said').last()).toHaveText('an ordinary line')
  await expect(composer).toHaveValue('')
  // What the screen has by itself is there before it is compared: its queue is the last that comes.
  await companion.call('/chatroom/queueOffer.action', {
    roomid,
    key: 'song',
    value: 'an ordinary song',
    operator: 'ana',
  })
  await expect(page.getByRole('listitem').filter({ hasText: 'an ordinary song' })).toBeVisible()
  const before = await kindsIn(page)
  const html = '<b>bold</b><img src="https://evil.example/x.png" onerror="alert(1)"><script>alert(1)</script>'
  // Copied as another program would: the clipboard's own write would clean it.
  await page.evaluate((copied) => {
    document.addEventListener(
      'copy',
      (event) => {
        event.clipboardData?.setData('text/html', copied)
        event.clipboardData?.setData('text/plain', 'bold words')
        event.preventDefault()
      },
      { once: true },
    )
  }, html)
  await page.keyboard.press('Control+C')
  await composer.focus()
  await page.keyboard.press('Control+V')
  await expect(composer).toHaveValue('bold words')
  await composer.fill('')

  const client = await page.context().newCDPSession(page)
  const drop = async (onto: Locator, items: { mimeType: string; data: string }[]): Promise<void> => {
    const box = (await onto.boundingBox())!
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2, data: { items, dragOperationsMask: 1 } }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await client.send('Input.dispatchDragEvent', { type, ...at })
  }
  await drop(composer, [
    { mimeType: 'text/html', data: html },
    { mimeType: 'text/plain', data: 'dropped words' },
  ])
  await expect(composer).toHaveValue('dropped words')
  // What is dropped beside a field goes nowhere.
  await drop(log(page), [
    { mimeType: 'text/html', data: html },
    { mimeType: 'text/plain', data: 'beside' },
  ])
  await composer.press('Enter')
  await expect(log(page).locator('.said').last()).toHaveText('dropped words')
  await expect(composer).toHaveValue('')
  await page.getByRole('button', { name: 'Edit announcement' }).click()
  const announcement = page.getByRole('textbox', { name: 'Announcement' })
  await announcement.fill('')
  await page.keyboard.press('Control+V')
  await expect(announcement).toHaveValue('bold words')
  expect((await kindsIn(page)).filter((kind) => !before.includes(kind) && kind !== 'textarea')).toEqual([])
  expect(page.url()).toMatch(/#\/room/)
  expect(trouble).toEqual([])
})
