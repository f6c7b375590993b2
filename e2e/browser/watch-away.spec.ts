import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium as engine, expect, test, type Browser, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { chromium } from '../chromium.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { allowance } from '../pace.ts'
import { expectAccessible, expectFresh, pictureAge } from '../page.ts'
import { signedCall, signedForm } from '../signed-call.ts'
import { isInside, openViewer, said, speak } from '../viewer.ts'

const credentials = { appKey: 'away-app', appSecret: 'canary-61c7aa-away-secret' }
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
/** How long the phone is away, and within what it is back, in ms. */
const awayFor = 60_000
const backWithin = 6_000
test.describe.configure({ mode: 'serial' })
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder
let cid = ''

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await expect.poll(() => server.listening).toBe(true)
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** A way to the service on which nothing passes at times; old connections may never say that they are gone. */
const way = {
  server: undefined as Server | undefined,
  url: '',
  media: 0,
  isOpen: true,
  pairs: new Set<readonly [Socket, Socket]>(),
  streams: new WeakSet<Socket>(),
  dead: new Set<Socket>(),
  async start(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(way.media, '127.0.0.1')
      const pair = [near, far] as const
      way.pairs.add(pair)
      near.on('data', (bytes) => {
        if (/^GET \S+(?:\.flv\?\S+|\/link) /.test(bytes.toString('latin1'))) way.streams.add(near)
        if (way.isOpen && !way.dead.has(near)) far.write(bytes)
      })
      far.on('data', (bytes) => void (way.isOpen && near.write(bytes)))
      // What the service closes meanwhile is told when the way is open again, as TCP repeats it.
      far.on('close', () => void (way.isOpen && !way.dead.has(near) && near.destroy()))
      near.on('close', () => far.destroy())
      for (const each of pair) each.on('error', () => undefined)
    })
    way.server = server.listen(0, '127.0.0.1')
    await expect.poll(() => server.listening).toBe(true)
    way.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  /** Nothing passes from now on. */
  close(): void {
    way.isOpen = false
  },
  /** Picture and chat of before stay open for the page, and nothing comes by them any more; browsers drop idle ones. */
  open(): void {
    way.isOpen = true
    for (const [near, far] of way.pairs) {
      if (way.streams.has(near)) way.dead.add(near)
      else near.destroy()
      far.destroy()
    }
    way.pairs.clear()
  },
}

test.beforeAll(async () => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-away-'))
  way.media = await freePort()
  await way.start()
  service = await startCommand<ServiceReady>(
    [
      'service/main.ts',
      '--data',
      data,
      '--api-port',
      '0',
      '--media-port',
      String(way.media),
      '--rtmp-port',
      '0',
      '--public-url',
      way.url,
    ],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', { name: 'Away', type: 0 })
  cid = ret!['cid'] as string
  const form = (path: string, fields: Record<string, string>) =>
    signedForm(service.ready.imBaseUrl, credentials, path, fields)
  await form('/user/create.action', { accid: 'ana', token: 'token-of-ana' })
  const { chatroom } = await form('/chatroom/create.action', { creator: 'ana', name: 'away' })
  const { roomid } = chatroom as { roomid: number }
  await signedCall(service.ready.baseUrl, credentials, '/local/room/link', { cid, roomid })
  encoder = startEncoder(ret!['pushUrl'] as string)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  way.server?.close()
  for (const each of [...[...way.pairs].flat(), ...way.dead]) each.destroy()
  rmSync(data, { recursive: true, force: true })
})

const passed = async (ms: number): Promise<void> => {
  const began = Date.now()
  await expect.poll(() => Date.now() - began, { timeout: ms + 10_000 }).toBeGreaterThanOrEqual(ms)
}
/** Waits for the picture of now, within what is promised. */
const isBack = (page: Page): Promise<void> =>
  expect
    .poll(async () => (await pictureAge(page, encoder.origin)) ?? Number.POSITIVE_INFINITY, {
      timeout: backWithin * allowance(),
      intervals: [100],
    })
    .toBeLessThan(3000)

/** Stops all processes of a browser, as a sleep does; returns what lets them go on. */
async function fallAsleep(browser: Browser): Promise<() => Promise<void>> {
  const client = await browser.newBrowserCDPSession()
  const { processInfo } = await client.send('SystemInfo.getProcessInfo')
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => processInfo.forEach(({ id }) => process.kill(id, name))
  signal('SIGSTOP')
  return () => Promise.resolve(signal('SIGCONT'))
}

for (const [what, leave] of [
  ['slept for a minute', fallAsleep],
  [
    'was without a network for a minute',
    async (_browser: Browser, page: Page) => {
      await page.context().setOffline(true)
      return () => page.context().setOffline(false)
    },
  ],
] as const)
  test(`a phone that ${what} has picture and chat again by itself, though its connections are dead`, async ({
    browser,
  }) => {
    test.setTimeout(300_000)
    const own = await engine.launch(chromium)
    const page = await openViewer(own, way.url, cid, phone)
    await expectFresh(page, encoder.origin, 4000)
    await isInside(page)
    // Somebody else, who comes by another way.
    const other = await openViewer(browser, `http://127.0.0.1:${way.media}`, cid)
    await isInside(other)
    const back = await leave(own, page)
    way.close()
    await speak(other, `one ${what}`)
    await passed(awayFor)
    way.open()
    await back()
    await Promise.all([
      isBack(page),
      expect(said(page)).toContainText(`one ${what}`, { timeout: backWithin * allowance() }),
    ])
    await speak(page, `back, ${what}`)
    await expect(said(other)).toContainText(`back, ${what}`)
    await expectAccessible(page)
    await own.close()
    await other.context().close()
  })
