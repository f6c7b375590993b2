import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Browser, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { expectAccessible, mediaTime } from '../page.ts'
import { signedCall, signedForm } from '../signed-call.ts'
import { isInside, openViewer } from '../viewer.ts'

const credentials = { appKey: 'gates-app', appSecret: 'canary-7b03d1-gates-secret' }
const passphrase = 'canary-tape-loops'
/** Requests of this computer are free; those that came through a proxy are not. */
const fromElsewhere = { extraHTTPHeaders: { via: '1.1 proxy' } }
const screenshots = 'out/screenshots/watch'
test.describe.configure({ mode: 'serial' })
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder
let cid = ''
let pushUrl = ''

const local = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
  const { code, ret } = await signedCall(service.ready.baseUrl, credentials, `/local/${path}`, body)
  expect(code, path).toBe(200)
  return ret ?? {}
}
const access = (change: object) => local('access/update', { cid, ...change })
const viewer = (browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> =>
  openViewer(browser, service.ready.mediaUrl, cid, { ...fromElsewhere, ...options })
/** Waits until the picture moves. */
const plays = async (page: Page): Promise<void> => {
  await expect.poll(() => mediaTime(page)).toBeGreaterThan(0)
  const before = await mediaTime(page)
  await expect.poll(() => mediaTime(page)).toBeGreaterThan(before + 0.5)
}

test.beforeAll(async () => {
  mkdirSync(screenshots, { recursive: true })
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-gates-'))
  service = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', {
    name: 'Gated',
    type: 0,
  })
  cid = ret!['cid'] as string
  const form = (path: string, fields: Record<string, string>) =>
    signedForm(service.ready.imBaseUrl, credentials, path, fields)
  await form('/user/create.action', { accid: 'ana', token: 'token-of-ana' })
  const { chatroom } = await form('/chatroom/create.action', { creator: 'ana', name: 'gated' })
  await local('room/link', { cid, roomid: (chatroom as { roomid: number }).roomid })
  pushUrl = ret!['pushUrl'] as string
  encoder = startEncoder(pushUrl)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

test('a passphrase puts viewers out who do not have it, lets them in who do, and is in no address', async ({
  browser,
}) => {
  const page = await viewer(browser)
  await plays(page)
  await isInside(page)
  await access({ mode: 'passphrase', passphrase })
  await expect(page.getByRole('heading', { name: 'A passphrase is needed' })).toBeVisible()
  await expect(page.getByText('Who may watch was changed while you watched.')).toBeVisible()
  await expect(page.locator('video')).toBeHidden()
  await expectAccessible(page)
  const field = page.getByLabel('Passphrase', { exact: true })
  await expect(field).toBeFocused()
  await field.fill('canary-wrong')
  await field.press('Enter')
  await expect(page.getByText('That is not the passphrase. Capital letters count.')).toBeVisible()
  await field.fill(passphrase)
  await field.press('Enter')
  await plays(page)
  await isInside(page)
  expect(page.url()).toBe(`${service.ready.mediaUrl}/watch/${cid}`)
  await page.reload()
  await plays(page)

  const guesser = await viewer(browser, { colorScheme: 'light', locale: 'zh-CN' })
  const guessed = guesser.getByLabel('口令', { exact: true })
  await expect(async () => {
    await guessed.fill('canary-wrong')
    await guessed.press('Enter')
    await expect(guesser.getByText(/错误次数过多，\d+ 秒后可重试/)).toBeVisible({ timeout: 300 })
  }).toPass()
  await expectAccessible(guesser)
  expect(service.log()).not.toContain('canary-')
  for (const each of [page, guesser]) await each.context().close()
})

test('a named link leaves no token in the address, and its end puts out within seconds, with the reason', async ({
  browser,
}) => {
  await access({ mode: 'links' })
  const stranger = await viewer(browser)
  await expect(stranger.getByRole('heading', { name: 'You need a link of your own' })).toBeVisible()
  await expectAccessible(stranger)
  const { linkId, url } = await local('access/addLink', { cid, name: 'Robin' })
  await stranger.goto(`${service.ready.mediaUrl}${new URL(url as string).pathname}`)
  expect(stranger.url()).toBe(`${service.ready.mediaUrl}/watch/${cid}`)
  await plays(stranger)
  await isInside(stranger)
  await local('access/revokeLink', { cid, linkId })
  await expect(stranger.getByText('The link that you came by was revoked')).toBeVisible()
  await local('access/restoreLink', { cid, linkId })
  await plays(stranger)
  await isInside(stranger)
  await stranger.context().close()
})

test('a full page waits its turn and goes in by itself', async ({ browser }) => {
  await access({ mode: 'everybody' })
  await local('access/updateLimits', { maxViewers: 1 })
  const first = await viewer(browser)
  await plays(first)
  // The same browser at the same address: in a household they are alike.
  const second = await viewer(browser)
  await expect(second.getByRole('heading', { name: 'Full at the moment' })).toBeVisible()
  await expect(second.getByText('You are the next one.')).toBeVisible()
  await expectAccessible(second)
  await first.context().close()
  await plays(second)
  await isInside(second)
  await local('access/updateLimits', { maxViewers: 0 })
  await second.context().close()
})

for (const delay of ['low', 'steady'])
  test(`a page that is loaded again keeps its place while another waits, delay ${delay}`, async ({ browser }) => {
    const first = await viewer(browser)
    await first.evaluate((kept) => localStorage.setItem('sidestage-delay', kept), delay)
    await first.reload()
    await plays(first)
    // From now on: the page has no cookie of its turn.
    await local('access/updateLimits', { maxViewers: 1 })
    const second = await viewer(browser)
    await expect(second.getByText('You are the next one.')).toBeVisible()
    const states: string[] = []
    first.on('response', async (response) => {
      if (response.url().includes('/state')) states.push(await response.text().catch(() => ''))
    })
    for (let again = 0; again < 3; again++) {
      await first.reload()
      await plays(first)
    }
    await first.goto('about:blank')
    await first.goBack()
    await plays(first)
    expect(states.length).toBeGreaterThanOrEqual(4)
    expect(states.filter((state) => state.includes('"gate"'))).toEqual([])
    await expect(second.getByText('You are the next one.')).toBeVisible()
    // A copy of the tab, which has what the tab stores, is another page.
    const opened = first.context().waitForEvent('page')
    await first.evaluate(() => void window.open(location.href))
    const copy = await opened
    await expect(copy.getByRole('heading', { name: 'Full at the moment' })).toBeVisible()
    await copy.close()
    await first.context().close()
    await plays(second)
    await local('access/updateLimits', { maxViewers: 0 })
    await second.context().close()
  })

test('a page that is turned off for everybody says so to those who watch, and comes back', async ({ browser }) => {
  const page = await viewer(browser)
  await plays(page)
  await page.keyboard.press('t')
  await access({ closed: true })
  await expect(page.getByRole('heading', { name: 'Turned off', exact: true })).toBeVisible()
  await expect(page.getByText('It was turned off while you watched.')).toBeVisible()
  await expectAccessible(page)
  await access({ closed: false })
  await plays(page)
  await page.context().close()
})

test('a frame shows picture and chat where it is allowed, offers the page for writing, and nothing elsewhere', async ({
  browser,
}) => {
  const show = createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    const part = URL.parse(`http://x${request.url}`)?.searchParams.get('show') ?? 'both'
    const frame = `${service.ready.mediaUrl}/embed/${cid}?show=${part}`
    response.end(`<!doctype html><iframe src="${frame}" width="1000" height="480" allow="autoplay"></iframe>`)
  })
  show.listen(0, '127.0.0.1')
  await expect.poll(() => show.listening).toBe(true)
  const { port } = show.address() as AddressInfo
  await access({ embedOrigins: [`http://localhost:${port}`] })
  const context = await browser.newContext({ ...fromElsewhere, locale: 'en-GB' })
  const page = await context.newPage()
  const frame = page.frameLocator('iframe')
  const moves = (): Promise<number> => frame.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime)
  await page.goto(`http://localhost:${port}/?show=both`)
  await expect.poll(moves).toBeGreaterThan(0.5)
  // Another site without TLS: the browser keeps no cookie there.
  await expect(frame.locator('.chat')).toHaveAttribute('data-state', 'inside')
  const out = frame.getByRole('link', { name: 'Open the page to write' })
  expect(await out.getAttribute('href')).toBe(`/watch/${cid}`)
  await expect(frame.getByLabel('Your line')).toBeHidden()
  await page.screenshot({ path: `${screenshots}/frame.png` })

  await page.goto(`http://localhost:${port}/?show=picture`)
  await expect.poll(moves).toBeGreaterThan(0.5)
  await expect(frame.locator('.chat')).toHaveCount(0)
  expect(await context.cookies(service.ready.mediaUrl)).toEqual([])
  await page.goto(`http://localhost:${port}/?show=chat`)
  await expect(frame.locator('.chat')).toHaveAttribute('data-state', 'inside')
  await expect(frame.locator('video')).toHaveCount(0)

  // Taken off the list, a frame that is open ends by itself, and comes back when it is on it again.
  await page.goto(`http://localhost:${port}/?show=both`)
  await expect.poll(moves).toBeGreaterThan(0.5)
  await access({ embedOrigins: ['https://other.example'] })
  await expect(frame.getByRole('heading', { name: 'Not shown here' })).toBeVisible()
  await expect(frame.locator('video')).toBeHidden()
  expect((await frame.locator('.head').boundingBox())!.height).toBeLessThan(80)
  await expect.poll(async () => (await local('access/limits', {}))['viewers']).toBe(0)
  await page.screenshot({ path: `${screenshots}/frame-off.png` })
  await access({ embedOrigins: [`http://localhost:${port}`] })
  await expect.poll(moves).toBeGreaterThan(0.5)

  await page.goto(`http://127.0.0.1:${port}/?show=both`)
  await expect(frame.locator('.chat, video')).toHaveCount(0)
  await context.close()
  show.close()
})

test('a channel off the air says when it starts in the zone of its viewer, has it as a file, and tells', async ({
  browser,
}) => {
  await encoder.stop()
  const next = Date.UTC(new Date().getUTCFullYear() + 1, 0, 15, 20, 0)
  await local('access/setSchedule', { cid, next, title: 'Requests until one' })
  const page = await viewer(browser, { timezoneId: 'Asia/Tokyo' })
  await expect(page.getByText('Requests until one')).toBeVisible()
  await expect(page.getByText(/Next: \w+ 16 January, 05:00 your time, in \d+ days/)).toBeVisible()
  // A browser without windows refuses notifications.
  await expect(page.getByText('This browser cannot tell you from here. The calendar file can.')).toBeVisible()
  await page.evaluate(() => {
    class Recorder extends EventTarget {
      static readonly permission = 'granted'
      static requestPermission = (): Promise<NotificationPermission> => Promise.resolve('granted')
      constructor(title: string) {
        super()
        document.body.dataset['told'] = title
      }
      close = (): void => undefined
    }
    Object.assign(window, { Notification: Recorder })
  })
  await page.getByRole('button', { name: 'Tell me when it starts' }).click()
  await expect(page.getByText('By a notification of this browser, while this page stays open.')).toBeVisible()
  const href = await page.getByRole('link', { name: 'Calendar file' }).getAttribute('href')
  const file = await page.request.get(new URL(href!, page.url()).href)
  expect(file.headers()['content-type']).toContain('text/calendar')
  expect(await file.text()).toContain('Requests until one')
  await expectAccessible(page)
  await page.screenshot({ path: `${screenshots}/off-air.png` })
  encoder = startEncoder(pushUrl)
  await plays(page)
  await expect(page.locator('body')).toHaveAttribute('data-told', 'Gated is on air')
  await page.context().close()
})
