import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Browser, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { allowance } from '../pace.ts'
import { pictureAge } from '../page.ts'
import { signedCall } from '../signed-call.ts'

const credentials = { appKey: 'native-app', appSecret: 'canary-native-secret' }
test.describe.configure({ mode: 'serial' })
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder | undefined
let cid = ''

/** A way to the service on which nothing passes at times. */
const way = {
  server: undefined as Server | undefined,
  url: '',
  media: 0,
  isOpen: true,
  sockets: new Set<Socket>(),
  async start(): Promise<void> {
    const server = createServer((near) => {
      const far = connect(way.media, '127.0.0.1')
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        way.sockets.add(from)
        from.on('data', (bytes) => void (way.isOpen && to.write(bytes)))
        from.on('error', () => undefined)
        from.on('close', () => {
          way.sockets.delete(from)
          to.destroy()
        })
      }
    })
    way.server = server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    way.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
/** Its media port stays; the page knows it by the way only. */
async function start(): Promise<ServiceReady> {
  const options = { data, 'api-port': 0, 'rtmp-port': 0, 'media-port': way.media, 'public-url': way.url }
  service = await startCommand<ServiceReady>(
    ['service/main.ts', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
  return service.ready
}
const pushUrl = async (): Promise<string> =>
  (await signedCall(service.ready.baseUrl, credentials, '/app/address', { cid })).ret!['pushUrl'] as string

test.beforeAll(async () => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-native-'))
  way.media = await freePort()
  await way.start()
  const ready = await start()
  const { ret } = await signedCall(ready.baseUrl, credentials, '/app/channel/create', { name: 'Native', type: 0 })
  cid = ret!['cid'] as string
  encoder = startEncoder(await pushUrl())
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  way.server?.close()
  for (const socket of way.sockets) socket.destroy()
  rmSync(data, { recursive: true, force: true })
})

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
  'Version/16.6 Mobile/15E148 Safari/604.1'
/** A page of a browser that plays HLS itself and has no Media Source Extensions, in which the picture moves. */
async function openNative(browser: Browser, url: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', userAgent: iphone })
  await context.addInitScript(() => {
    for (const name of ['MediaSource', 'ManagedMediaSource']) Reflect.deleteProperty(window, name)
  })
  const page = await context.newPage()
  await page.goto(`${url}/watch/${cid}`)
  await isMoving(page)
  await expect(page.locator('body')).toHaveAttribute('data-tally', 'onAir')
  return page
}
const time = (page: Page): Promise<number> => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)
async function isMoving(page: Page): Promise<void> {
  const from = await time(page)
  await expect.poll(() => time(page), { timeout: 30_000 * allowance() }).toBeGreaterThan(from + 0.5)
}
/** It says that the picture is gone, and does not say that the channel is on air. */
async function isLost(page: Page): Promise<void> {
  await expect(page.locator('.cover')).toHaveText(/The picture stopped|The service does not answer/, {
    timeout: 20_000 * allowance(),
  })
  await expect(page.locator('body')).toHaveAttribute('data-tally', 'unknown', { timeout: 10_000 })
  await expect(page.locator('.since')).toHaveText('')
}
async function isBack(page: Page): Promise<void> {
  await expect(page.locator('body')).toHaveAttribute('data-tally', 'onAir', { timeout: 15_000 * allowance() })
  await isMoving(page)
  await expect(page.locator('.cover')).toBeHidden()
}

test('a browser that plays HLS itself says that line and service are gone, and comes back by itself', async ({
  browser,
}) => {
  test.setTimeout(240_000)
  const page = await openNative(browser, way.url)
  way.isOpen = false
  await isLost(page)
  way.isOpen = true
  // What was lost meanwhile is not repeated here, unlike by TCP: connections are anew.
  for (const socket of way.sockets) socket.destroy()
  await isBack(page)

  const { process: running } = service
  const gone = once(running, 'exit')
  running.kill('SIGKILL')
  await gone
  await isLost(page)
  await encoder?.stop('SIGKILL')
  await start()
  encoder = startEncoder(await pushUrl())
  await isBack(page)
  await page.context().close()
})

/** What ends a show, with the channel's hold in s. */
const endings = [
  ['its encoder ended', 0, undefined],
  ['its hold ran out', 2, 'SIGKILL'],
] as const
for (const [ending, holdSeconds, signal] of endings)
  test(`a browser that plays HLS itself begins the next show with that show after ${ending}`, async ({ browser }) => {
    test.setTimeout(240_000)
    const hold = await signedCall(service.ready.baseUrl, credentials, '/local/hold/update', { cid, holdSeconds })
    expect(hold.code).toBe(200)
    const page = await openNative(browser, way.url)
    await encoder?.stop(signal)
    // The browser plays up to 10 s behind what it has loaded, and the page lets it play that for at most 30 s.
    await expect(page.locator('body')).toHaveAttribute('data-tally', 'idle', { timeout: 35_000 })
    encoder = startEncoder(await pushUrl())
    await expect(page.locator('body')).toHaveAttribute('data-tally', 'onAir')
    // Of the show before its clock would read more than this one has run.
    const ages: number[] = []
    await expect
      .poll(
        async () => {
          const age = await pictureAge(page, encoder!.origin)
          if (age !== undefined) ages.push(age)
          return ages.length
        },
        { timeout: 60_000, intervals: [100] },
      )
      .toBeGreaterThan(10)
    expect(Math.min(...ages)).toBeGreaterThan(0)
    await page.context().close()
  })
