import { mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { devices, expect, test, type Browser, type Locator, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { expectWithin } from '../pace.ts'
import { expectAccessible, expectFresh, mediaTime } from '../page.ts'
import { signedCall, signedForm } from '../signed-call.ts'
import { askName, isInside, openViewer, rename, said, speak } from '../viewer.ts'

const credentials = { appKey: 'watch-app', appSecret: 'canary-41c07e-watch-secret' }
test.describe.configure({ mode: 'serial' })
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder | undefined
let cid = ''
let pushUrl = ''
let roomid = 0
const screenshots = 'out/screenshots/watch'

const form = (path: string, fields: Record<string, string>) =>
  signedForm(service.ready.imBaseUrl, credentials, path, fields)
const local = (path: string, body: object) => signedCall(service.ready.baseUrl, credentials, `/local/${path}`, body)

test.beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true })
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-watch-'))
  service = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    {
      ...process.env,
      SIDESTAGE_APP_KEY: credentials.appKey,
      SIDESTAGE_APP_SECRET: credentials.appSecret,
    },
  )
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', {
    name: 'LateNight_Radio',
    type: 0,
  })
  cid = ret!['cid'] as string
  pushUrl = ret!['pushUrl'] as string
  for (const accid of ['ana', 'mei'])
    expect((await form('/user/create.action', { accid, name: accid, token: `token-of-${accid}` })).code).toBe(200)
  const made = await form('/chatroom/create.action', {
    creator: 'ana',
    name: 'the room',
    announcement: 'Track list: https://show.example/list',
  })
  roomid = (made['chatroom'] as { roomid: number }).roomid
  await form('/chatroom/setMemberRole.action', {
    roomid: String(roomid),
    operator: 'ana',
    target: 'mei',
    opt: '1',
    optvalue: 'true',
  })
  expect((await local('room/link', { cid, roomid })).code).toBe(200)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

const viewer = (browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> =>
  openViewer(browser, service.ready.mediaUrl, cid, options)

test('two viewers watch and chat, each in a browser of its own', async ({ browser }) => {
  const desktop = await viewer(browser, { viewport: { width: 1280, height: 800 } })
  await expect(desktop.getByText('OFF AIR')).toBeVisible()
  await expect(desktop.getByText('Not on air. The picture starts by itself.')).toBeVisible()
  encoder = startEncoder(pushUrl)
  const { defaultBrowserType: _, ...phone } = devices['Pixel 7']
  const mobile = await viewer(browser, { ...phone, colorScheme: 'light' })
  for (const page of [desktop, mobile]) {
    await expect(page.getByText('ON AIR', { exact: true })).toBeVisible()
    await expectFresh(page, encoder.origin, 4000)
    await isInside(page)
    const before = await mediaTime(page)
    await expect.poll(() => mediaTime(page)).toBeGreaterThan(before + 1)
    await expect(page.getByText(/REC|ARMED|FAULT/)).toHaveCount(0)
  }
  await rename(desktop, 'rvb')
  await rename(mobile, 'kestrel')
  await speak(mobile, 'first time caller, a bit nervous')
  await expect(said(desktop)).toContainText('kestrel first time caller, a bit nervous')
  await speak(desktop, 'much better')
  await expect(said(mobile)).toContainText('rvb much better')
  await expect(said(desktop).getByText('much better')).toHaveCount(1)
  for (const [from, attach] of [
    ['ana', 'Two minutes of news, then we open the line.'],
    ['mei', 'Yes, all of it, by noon.'],
  ] as const)
    await form('/chatroom/sendMsg.action', {
      roomid: String(roomid),
      msgId: `line-${from}`,
      fromAccid: from,
      msgType: '0',
      attach,
    })
  await expect(said(mobile)).toContainText('Host ana Two minutes of news')
  await expect(said(mobile)).toContainText('Mod mei Yes, all of it')

  await mobile.getByRole('button', { name: 'Tap for sound' }).click()
  await expect.poll(() => mobile.evaluate(() => document.querySelector('video')?.muted)).toBe(false)
  for (const [name, page] of Object.entries({ desktop, mobile })) {
    await expectAccessible(page)
    await page.screenshot({ path: `${screenshots}/${name}.png` })
  }
  await desktop.emulateMedia({ colorScheme: 'light' })
  await expectAccessible(desktop)
  await desktop.screenshot({ path: `${screenshots}/desktop-light.png` })
  await desktop.context().close()
  await mobile.context().close()
})

test('controls lie on the picture, go by themselves, and obey keys, but not while somebody types', async ({
  browser,
}) => {
  encoder ??= startEncoder(pushUrl)
  const page = await viewer(browser, { viewport: { width: 1280, height: 800 } })
  await expectFresh(page, encoder.origin, 4000)
  const stage = page.locator('.stage')
  await page.mouse.move(300, 300)
  await expect(stage).toHaveAttribute('data-controls', 'shown')
  await expect(stage).toHaveAttribute('data-controls', 'away')
  await page.mouse.move(310, 310)
  await page.getByRole('button', { name: 'Settings' }).click()
  await expectAccessible(page)
  const picture = page.locator('.picture')
  for (const [choice, kind] of [
    [/^Steady/, 'hls'],
    [/^Low/, 'flv'],
  ] as const) {
    await page.getByRole('radio', { name: choice }).check()
    await expect(picture).toHaveAttribute('data-kind', kind)
    await expectFresh(page, encoder.origin, 15_000)
  }
  await page.getByRole('switch', { name: 'Figures on the picture' }).check()
  await expect(page.getByText('HTTP-FLV')).toBeVisible()
  // Open, the settings keep the controls.
  await expect(stage).toHaveAttribute('data-controls', 'shown')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Settings' })).toBeFocused()
  await page.keyboard.press('c')
  await expect(page.locator('.chat')).toBeHidden()
  await page.keyboard.press('c')
  await isInside(page)
  const line = page.getByLabel('Your line')
  await line.pressSequentially('mct f')
  await expect(line).toHaveValue('mct f')
  await expect(page.locator('.chat')).toBeVisible()
  const isMuted = (): Promise<boolean | undefined> => page.evaluate(() => document.querySelector('video')?.muted)
  expect(await isMuted()).toBe(true)
  await line.blur()
  await page.keyboard.press('m')
  await expect.poll(isMuted).toBe(false)
  await page.keyboard.press(' ')
  await expect(page.getByText('Paused')).toBeVisible()
  await page.keyboard.press(' ')
  await expectFresh(page, encoder.origin, 4000)
  await page.keyboard.press('t')
  await expect(page.locator('.head')).toBeHidden()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.locator('.head')).toBeVisible()
  await page.context().close()
})

test('a page that stayed open plays with low delay again after the encoder was lost, and after HLS stood in for it', async ({
  browser,
}) => {
  test.setTimeout(900_000)
  encoder ??= startEncoder(pushUrl)
  const page = await viewer(browser)
  const picture = page.locator('.picture')
  await expectFresh(page, encoder.origin, 2000)
  await encoder.stop('SIGKILL')
  await expect(page.getByText('The show has ended. If it goes on, the picture starts by itself.')).toBeVisible()
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 2000)
  await expect(picture).toHaveAttribute('data-kind', 'flv')

  // The publisher stays: only what carries the low delay stream breaks, for this viewer.
  let isBroken = true
  await page.route('**/*.flv?*', (route) => (isBroken ? route.abort() : route.continue()))
  await page.reload()
  await expect(picture).toHaveAttribute('data-kind', 'hls')
  await expect(page.getByText('More delay for now. Low delay is tried again.')).toBeVisible()
  await expectAccessible(page)
  isBroken = false
  await expect(picture).toHaveAttribute('data-kind', 'flv', { timeout: 30_000 })
  await expectFresh(page, encoder.origin, 2000)
  await expect(page.getByText('More delay for now.')).toHaveCount(0)

  // The players come a moment after the publisher: who watches does not read that nobody does.
  await expect(page.getByText(/[1-9]\d* watching/)).toBeVisible()
  await page.route('**/state', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), viewers: 0 } })
  })
  await expect(page.getByText(/[1-9]\d* watching/)).toHaveCount(0)
  await expect(page.getByText('0 watching')).toHaveCount(0)
  await page.context().close()
})

test('nothing can be written before the room is entered, where it would be lost', async ({ browser }) => {
  const context = await browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  const { promise: gate, resolve: open } = Promise.withResolvers<undefined>()
  await page.route('**/guest', async (route) => {
    await gate
    await route.continue()
  })
  const asked = page.waitForRequest('**/guest')
  await page.goto(`${service.ready.mediaUrl}/watch/${cid}`)
  await asked
  await expect(page.locator('.chat')).toHaveAttribute('data-state', 'outside')
  await expect(page.getByLabel('Your line')).toHaveJSProperty('readOnly', true)
  open(undefined)
  await isInside(page)
  await speak(page, 'in time')
  await expect(said(page)).toContainText('in time')
  await context.close()
})

test('what was deleted is not kept where screen readers hear of it', async ({ browser }) => {
  const page = await viewer(browser)
  await isInside(page)
  const say = (msgId: string, attach: string) =>
    form('/chatroom/sendMsg.action', { roomid: String(roomid), msgId, fromAccid: 'ana', msgType: '0', attach })
  const heard = page.locator('.heard')
  await say('line-regretted', 'said and regretted')
  await expect(heard).toContainText('said and regretted')
  const { ret } = await local('room/history', { roomid, limit: 1 })
  const [{ msgid } = { msgid: '' }] = ret!['list'] as { msgid: string }[]
  expect((await local('room/removeLine', { roomid, operator: 'ana', msgid })).code).toBe(200)
  await expect(said(page).getByText('said and regretted')).toHaveCount(0)
  await expect(heard).not.toContainText('said and regretted')
  await page.context().close()
})

test('a changed announcement is shown within a second of being told, and who cannot send sees the button for it', async ({
  browser,
}) => {
  const page = await viewer(browser, { colorScheme: 'light' })
  await isInside(page)
  // From the answer to one look at the channel on time stands still: the next look by itself is 4 s away.
  await page.clock.install()
  await page.reload()
  await isInside(page)
  await page.waitForResponse(/\/state$/)
  await page.clock.pauseAt(new Date(await page.evaluate(() => Date.now() + 50)))
  await form('/chatroom/update.action', { roomid: String(roomid), announcement: 'The second hour: requests' })
  await form('/chatroom/sendMsg.action', {
    roomid: String(roomid),
    msgId: 'line-behind',
    fromAccid: 'ana',
    msgType: '0',
    attach: 'behind the notice',
  })
  await expect(said(page)).toContainText('behind the notice')
  await page.clock.runFor(1000)
  await expect(page.getByRole('region', { name: 'Announcement' })).toContainText('The second hour: requests')
  await page.clock.resume()
  await form('/chatroom/update.action', {
    roomid: String(roomid),
    announcement: 'Track list: https://show.example/list',
  })

  await form('/chatroom/muteRoom.action', { roomid: String(roomid), operator: 'ana', mute: 'true' })
  const send = page.getByRole('button', { name: 'Send' })
  await expect(send).toHaveAttribute('aria-disabled', 'true')
  // As the quiet text beside it, not white on white.
  const inkOf = (place: Locator): Promise<string> => place.evaluate((node) => getComputedStyle(node).color)
  expect(await inkOf(send)).toBe(await inkOf(page.locator('.chat .foot')))
  await form('/chatroom/muteRoom.action', { roomid: String(roomid), operator: 'ana', mute: 'false' })
  await page.context().close()
})

test('a link is shown whole, asked about, and only http or https', async ({ browser }) => {
  const page = await viewer(browser)
  await isInside(page)
  const link = page.getByRole('button', { name: 'https://show.example/list', exact: true })
  await link.click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('https://show.example/list')
  await expect(dialog).toContainText('It leads to show.example')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await speak(page, 'javascript:alert(1) file:///etc/passwd https://ana@evil.example/ smb://host')
  await expect(said(page)).toContainText('smb://host')
  await expect(said(page).locator('button')).toHaveCount(0)
  await page.context().close()
})

test('a guest is the same in every tab and after a reload, and nobody takes the name of another or of the host', async ({
  browser,
}) => {
  const page = await viewer(browser)
  await isInside(page)
  await rename(page, 'Merlin')
  await speak(page, 'from the first tab')
  const tab = await page.context().newPage()
  await tab.goto(page.url())
  await isInside(tab)
  await speak(tab, 'from the second tab')
  await page.reload()
  await isInside(page)
  await speak(page, 'after a reload')
  const texts = new Set(['from the first tab', 'from the second tab', 'after a reload'])
  let mine: { from: string; attach: string; nick: string }[] = []
  // A line is in the history once the service has taken it, which is after the key was pressed.
  await expect
    .poll(async () => {
      const all = (await local('room/history', { roomid })).ret!['list'] as typeof mine
      mine = all.filter(({ attach }) => texts.has(attach))
      return mine.map(({ nick }) => nick)
    })
    .toEqual(['Merlin', 'Merlin', 'Merlin'])
  expect(new Set(mine.map(({ from }) => from)).size).toBe(1)

  const other = await viewer(browser)
  await isInside(other)
  await rename(other, 'M\u0435rlin')
  await expect(other.getByText('That name is taken. You are called M\u0435rlin 2.')).toBeVisible()
  await askName(other, 'Mei \u00b7 Mod')
  await expect(
    other.getByText('That name is kept for host and moderators. You are called M\u0435rlin 2.'),
  ).toBeVisible()
  await page.context().close()
  await other.context().close()
})

test('tabs that open at the same moment in a browser that was never here are one guest with one name', async ({
  browser,
}) => {
  const context = await browser.newContext({ locale: 'en-GB' })
  const tabs = await Promise.all([1, 2, 3].map(() => context.newPage()))
  const told = Promise.all(tabs.map((tab) => tab.waitForResponse(/\/state/)))
  // All are there before the first is answered.
  await context.route('**/guest', async (route) => {
    await told
    await route.continue()
  })
  await Promise.all(tabs.map((tab) => tab.goto(`${service.ready.mediaUrl}/watch/${cid}`)))
  for (const tab of tabs) await isInside(tab)
  const [name] = await Promise.all(tabs.map((tab) => tab.locator('.who').textContent()))
  for (const tab of tabs) await expect(tab.locator('.who')).toHaveText(name!)
  for (const [index, tab] of tabs.entries()) await speak(tab, `from tab ${index} at once`)
  const kept = async (): Promise<string[]> => {
    const all = (await local('room/history', { roomid })).ret!['list'] as {
      from: string
      attach: string
      nick: string
    }[]
    return all.filter(({ attach }) => attach.endsWith('at once')).map(({ from, nick }) => `${from} You are ${nick}`)
  }
  await expect.poll(async () => (await kept()).length).toBe(3)
  const [first, ...others] = await kept()
  expect(others).toEqual([first, first])
  expect(first).toContain(` ${name!}`)
  await context.close()
})

test('nothing that people write becomes more than text', async ({ browser }) => {
  const page = await viewer(browser)
  await isInside(page)
  /** One guest may change the name ten times within a minute. */
  let speaker = await viewer(browser)
  for (const [index, text] of hostileTexts.entries()) {
    if (index > 0 && index % 8 === 0) {
      await speaker.context().close()
      speaker = await viewer(browser)
    }
    await isInside(speaker)
    await form('/chatroom/update.action', { roomid: String(roomid), announcement: text, needNotify: 'false' })
    await form('/chatroom/sendMsg.action', {
      roomid: String(roomid),
      msgId: `xss-${index}`,
      fromAccid: 'ana',
      msgType: '0',
      attach: text,
      ext: text,
    })
    await form('/chatroom/sendMsg.action', {
      roomid: String(roomid),
      msgId: `xss-${index}-j`,
      fromAccid: 'ana',
      msgType: '100',
      attach: JSON.stringify({ msg: text, url: text }),
    })
    await askName(speaker, text.slice(0, 20))
    await speak(speaker, `end of ${index}`)
    await expect(said(page)).toContainText(`end of ${index}`)
  }
  await form('/chatroom/sendMsg.action', {
    roomid: String(roomid),
    msgId: 'long',
    fromAccid: 'ana',
    msgType: '0',
    attach: 'A'.repeat(4096),
  })
  await expect(said(page)).toContainText('AAAA')
  await expect(said(page)).toContainText(hostileTexts[0])
  await expect(page.locator('.announcement')).toContainText(hostileTexts.at(-1)!)
  const kinds = await page.evaluate(() =>
    [...new Set([...document.querySelectorAll('.log *, .announcement *')].map(({ localName }) => localName))].sort(),
  )
  expect(kinds.filter((kind) => !['bdi', 'p', 'path', 'span', 'svg', 'button'].includes(kind))).toEqual([])
  expect(await page.locator('script:not([src]), iframe, img, [onerror], [onload], [onmouseover]').count()).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await page.context().close()
  await speaker.context().close()
})

test('the forms are sent empty, far too long, with markup and in another script, and the page goes on', async ({
  browser,
}) => {
  const page = await viewer(browser)
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  await isInside(page)
  /** Enters a text past the bounds that the page itself sets for typing. */
  const enter = async (label: string, text: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).evaluate((node) => node.removeAttribute('maxlength'))
    await page.getByLabel(label, { exact: true }).fill(text)
  }
  const dialog = page.getByRole('dialog')
  const isSent = (text: string, form: 'Change name' | 'Sign in'): boolean =>
    text !== '' && text.length <= (form === 'Sign in' ? 32 : 20)
  for (const text of ['', 'q'.repeat(70_000), '<img src=x onerror=alert(1)>', '"><b>{{7*7}}</b>', 'مرحبا 深夜 Z͑ͫ']) {
    const about = text.slice(0, 20)
    await enter('Your line', text)
    await page.getByLabel('Your line').press('Enter')
    await isInside(page)
    for (const [open, fields, done] of [
      ['Change name', ['Your name'], 'Save'],
      ['Sign in', ['Account', 'Token'], 'Sign in'],
    ] as const) {
      await page.getByRole('button', { name: open, exact: true }).click()
      for (const field of fields) await enter(field, text)
      await dialog.getByRole('button', { name: done, exact: true }).click()
      // What is empty or too long is not sent: the form stays until it is left.
      await expect(dialog, about).toHaveCount(isSent(text, open) ? 0 : 1)
      if (!isSent(text, open)) await dialog.getByRole('button', { name: 'Cancel' }).click()
      if (open === 'Change name' || !isSent(text, open)) await isInside(page)
    }
    if (isSent(text, 'Sign in')) {
      await expect(page.getByText('The account or the token is not right.'), about).toBeVisible()
      await page.reload()
      await isInside(page)
    }
  }
  await rename(page, 'Percival')
  await expect(async () => {
    await speak(page, 'still here')
    await expect(said(page)).toContainText('Percival you still here', { timeout: 2_000 })
  }).toPass()
  expect(faults).toEqual([])
  await page.context().close()
})

test('a line of which nothing can be seen is not sent, and its writer is told so, in both languages', async ({
  browser,
}) => {
  for (const [locale, label, words] of [
    ['en-GB', 'Your line', 'Not sent: nothing of this line can be seen.'],
    ['zh-CN', '发言内容', '未发送：这行中没有可见的内容。'],
  ] as const) {
    const page = await viewer(browser, { locale })
    await isInside(page)
    const lines = said(page).locator('.said')
    const before = await lines.count()
    const input = page.getByLabel(label)
    for (const text of ['\u200b'.repeat(4), '\u2800'.repeat(3), '{"msg":"\u3164"}']) {
      await input.fill(text)
      await input.press('Enter')
      await expect(page.getByText(words)).toBeVisible()
      await expect(input).toHaveValue(text)
      await input.fill('')
      await expect(page.getByText(words)).toBeHidden()
    }
    await input.fill(`seen ${locale}`)
    await input.press('Enter')
    await expect(lines).toHaveCount(before + 1)
    await expect(lines.last()).toHaveText(`seen ${locale}`)
    await page.context().close()
  }
})

test('mutes, deletion, blacklist, closing and guests turned off reach the viewer', async ({ browser }) => {
  const page = await viewer(browser)
  const watcher = await viewer(browser)
  await isInside(watcher)
  await speak(page, 'to be deleted')
  const room = String(roomid)
  await expect(said(page)).toContainText('to be deleted')
  const history = await local('room/history', { roomid })
  const line = (history.ret!['list'] as { msgid: string; from: string; attach: string }[]).find(
    ({ attach }) => attach === 'to be deleted',
  )!
  await local('room/removeLine', { roomid, operator: 'ana', msgid: line.msgid })
  await expect(said(page)).not.toContainText('to be deleted')

  await form('/chatroom/muteRoom.action', { roomid: room, operator: 'ana', mute: 'true' })
  await expect(page.getByText('Only host and moderators can speak now.')).toBeVisible()
  await expectAccessible(page)
  await form('/chatroom/muteRoom.action', { roomid: room, operator: 'ana', mute: 'false' })
  await expect(page.getByText('Only host and moderators can speak now.')).toBeHidden()
  await form('/chatroom/temporaryMute.action', {
    roomid: room,
    operator: 'ana',
    target: line.from,
    muteDuration: '600',
  })
  await expect(page.getByText(/^You are muted for (10 min|9 min \d+ s)\.$/)).toBeVisible()
  // Whoever watches reads of it too, and the person concerned counts down.
  await expect(said(watcher)).toContainText('was muted for 10 min.')
  await expect(page.getByText(/^You are muted for 9 min 5[0-8] s\.$/)).toBeVisible()
  await form('/chatroom/temporaryMute.action', { roomid: room, operator: 'ana', target: line.from, muteDuration: '0' })
  await expect(page.getByText(/You are muted/)).toBeHidden()
  await expect(page.getByText('Your mute was lifted. You can speak again.')).toBeVisible()
  await expect(said(watcher)).toContainText('may speak again.')
  await expect(said(watcher)).toContainText('The room was muted: only host and moderators can speak.')
  await watcher.context().close()
  // Good news goes by itself.
  await expect(page.getByText('Your mute was lifted.')).toBeHidden({ timeout: 20_000 })

  await form('/chatroom/toggleCloseStat.action', { roomid: room, operator: 'ana', valid: 'false' })
  await expect(page.getByText('The chat is closed.')).toBeVisible()
  await form('/chatroom/toggleCloseStat.action', { roomid: room, operator: 'ana', valid: 'true' })
  await isInside(page)
  await local('room/guests', { roomid, allow: false })
  await expect(page.getByText('Guests cannot chat here. Sign in with an account.')).toBeVisible()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Account').fill('mei')
  await page.getByLabel('Token').fill('token-of-mei')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click()
  await speak(page, 'signed in')
  await expect(said(page)).toContainText('Mod mei you signed in')
  expect(page.url()).not.toContain('token')
  expect(service.log()).not.toContain('token-of-mei')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await local('room/guests', { roomid, allow: true })
  await speak(page, 'a guest again')
  await expect(said(page)).toContainText('a guest again')
  const again = (await local('room/history', { roomid })).ret!['list'] as { from: string; attach: string }[]
  const guest = again.find(({ attach }) => attach === 'a guest again')!.from
  await form('/chatroom/setMemberRole.action', {
    roomid: room,
    operator: 'ana',
    target: guest,
    opt: '-1',
    optvalue: 'true',
  })
  await expect(page.getByText('You were removed from this chat.')).toBeVisible()
  // Lifted: back without a reload, and at once where it was a mistake.
  const lifted = performance.now()
  await form('/chatroom/setMemberRole.action', {
    roomid: room,
    operator: 'ana',
    target: guest,
    opt: '-1',
    optvalue: 'false',
  })
  await expect(page.getByText('You were removed from this chat.')).toBeHidden()
  expectWithin(performance.now() - lifted, 6_000)
  await speak(page, 'let in again')
  await expect(said(page)).toContainText('let in again')
  await page.context().close()
})

test('who speaks too fast is told so and keeps the text, in both languages, and history of long lines is read to its end', async ({
  browser,
}) => {
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', {
    name: 'Crowded',
    type: 0,
  })
  const crowded = ret!['cid'] as string
  const { chatroom } = await form('/chatroom/create.action', { creator: 'ana', name: 'crowded' })
  const long = String((chatroom as { roomid: number }).roomid)
  await local('room/link', { cid: crowded, roomid: Number(long) })
  // Of 49 KB each as JSON: more than one answer holds.
  for (let line = 1; line <= 12; line++)
    await form('/chatroom/sendMsg.action', {
      roomid: long,
      msgId: `long-${line}`,
      fromAccid: 'ana',
      msgType: '0',
      attach: `line ${line} ${'\u0001'.repeat(4080)}`,
      ext: '\u0001'.repeat(4096),
    })
  for (const [locale, label, words] of [
    ['en-GB', 'Your line', 'Too fast. Wait a moment, then send again.'],
    ['zh-CN', '发言内容', '发送过快。稍等后再发。'],
  ] as const) {
    const page = await openViewer(browser, service.ready.mediaUrl, crowded, {
      locale,
      viewport: { width: 1280, height: 800 },
    })
    await isInside(page)
    await expect(said(page)).toContainText('line 12')
    const numbers = (await said(page).locator('.said').allTextContents()).flatMap(
      (text) => /^line (\d+) /.exec(text)?.slice(1).map(Number) ?? [],
    )
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
    const input = page.getByLabel(label)
    await input.evaluate((node, name) => {
      const field = node as HTMLInputElement
      for (let line = 1; line <= 40; line++) {
        field.value = `${name} ${line}`
        field.form?.requestSubmit()
      }
    }, locale)
    await expect(page.getByText(words)).toBeVisible()
    // Each line was said or came back, and what came back stands in its order.
    const numbersIn = (text: string): number[] =>
      [...text.matchAll(new RegExp(`${locale} (\\d+)`, 'g'))].map(([, line]) => Number(line))
    const back = async (): Promise<number[]> => numbersIn(await input.inputValue())
    await expect
      .poll(
        async () =>
          numbersIn((await said(page).locator('.said').allTextContents()).join(' ')).length + (await back()).length,
      )
      .toBe(40)
    const cameBack = await back()
    expect(cameBack.length).toBeGreaterThan(0)
    expect(cameBack).toEqual(cameBack.toSorted((one, other) => one - other))
    await expectAccessible(page)
    await page.screenshot({ path: `${screenshots}/too-fast-${locale}.png` })
    const kept = await input.inputValue()
    await expect(async () => {
      await input.press('Enter')
      await expect(said(page).getByText(kept, { exact: true })).toHaveCount(1, { timeout: 1000 })
    }).toPass({ timeout: 20_000 })
    await expect(page.getByText(words)).toBeHidden()
    await page.context().close()
  }
})

test('who watches a channel that is deleted reads that it was removed, and not that the link is wrong', async ({
  browser,
}) => {
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', {
    name: 'Short_lived',
    type: 0,
  })
  const pages = [await openViewer(browser, service.ready.mediaUrl, ret!['cid'] as string)]
  pages.push(await openViewer(browser, service.ready.mediaUrl, ret!['cid'] as string, { locale: 'zh-CN' }))
  for (const page of pages) await expect(page.getByRole('heading', { name: 'Short_lived' })).toBeVisible()
  expect(
    (await signedCall(service.ready.baseUrl, credentials, '/app/channel/delete', { cid: ret!['cid'] as string })).code,
  ).toBe(200)
  await expect(pages[0]!.getByText('This channel was removed.')).toBeVisible()
  await expect(pages[1]!.getByText('该频道已被移除。')).toBeVisible()
  for (const page of pages) {
    await page.reload()
    await expect(
      page.getByText(/There is no channel at this address. Check the link.|此地址没有频道。请检查链接。/),
    ).toBeVisible()
    await page.context().close()
  }
})

test('a channel that is disabled or unknown says so, in Chinese too', async ({ browser }) => {
  const page = await viewer(browser, { locale: 'zh-CN' })
  await expect(page.getByText('直播中', { exact: true })).toBeVisible()
  await page.screenshot({ path: `${screenshots}/desktop-zh.png` })
  await signedCall(service.ready.baseUrl, credentials, '/app/channel/pause', { cid })
  await expect(page.getByText('该频道已停用。')).toBeVisible()
  await expectAccessible(page)
  await page.goto(`${service.ready.mediaUrl}/watch/${'0'.repeat(32)}`)
  await expect(page.getByText('此地址没有频道。请检查链接。')).toBeVisible()
  await page.context().close()
})
