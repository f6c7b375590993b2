import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Browser, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { allowance, expectWithin } from '../pace.ts'
import { expectFresh, mediaTime, pictureAge } from '../page.ts'
import { signedCall } from '../signed-call.ts'
import { openViewer } from '../viewer.ts'

const credentials = { appKey: 'age-app', appSecret: 'canary-2f90c4-age-secret' }
/** By how much the page may be wrong, in s; the clock in the picture is read before it is encoded. */
const mostWrong = 1
test.describe.configure({ mode: 'serial' })
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder
let cid = ''

const hold = async (change: object): Promise<void> => {
  const { code } = await signedCall(service.ready.baseUrl, credentials, '/local/hold/update', { cid, ...change })
  expect(code).toBe(200)
}
const viewer = (browser: Browser): Promise<Page> =>
  openViewer(browser, service.ready.mediaUrl, cid, { viewport: { width: 1280, height: 800 } })

/** What the page says, and how old its picture really is, in s; the figure is drawn once a second. */
async function ages(page: Page): Promise<{ readonly said: number; readonly real: number } | undefined> {
  const text = await page.locator('.behind').textContent()
  const real = await pictureAge(page, encoder.origin)
  const [, minutes, seconds] = /^(?:(\d+):)?([\d.]+)/.exec(text ?? '') ?? []
  return seconds === undefined || real === undefined
    ? undefined
    : { said: Number(minutes ?? 0) * 60 + Number(seconds), real: real / 1000 }
}
/** So many looks in a row, about a second apart, at which the figure is right. */
async function expectHonest(page: Page, looks: number, real: { readonly least?: number } = {}): Promise<void> {
  const bound = mostWrong * allowance()
  let right = 0
  await expect
    .poll(
      async () => {
        const seen = await ages(page)
        const isRight = seen !== undefined && Math.abs(seen.said - seen.real) <= bound && seen.real >= (real.least ?? 0)
        right = isRight ? right + 1 : 0
        return right >= looks ? 'honest' : `${JSON.stringify(seen)} after ${right} right looks`
      },
      { timeout: 90_000, intervals: [1000] },
    )
    .toBe('honest')
}

test.beforeAll(async () => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-age-'))
  service = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', { name: 'Age', type: 0 })
  cid = ret!['cid'] as string
  encoder = startEncoder(ret!['pushUrl'] as string)
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

test('says how old its picture is: by either transport, on a line that is too slow, and with a delay', async ({
  browser,
}) => {
  test.setTimeout(600_000)
  const page = await viewer(browser)
  await expectFresh(page, encoder.origin, 4000)
  await expectHonest(page, 5)

  // 1.3 Mbit/s on a line of 0.9: the picture waits on the way.
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const line = (bytes: number) =>
    client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: bytes,
      uploadThroughput: -1,
    })
  await line(900_000 / 8)
  await page.reload()
  await expectHonest(page, 3, { least: 3 })
  await line(-1)
  await page.reload()

  const steady = await viewer(browser)
  await steady.getByRole('button', { name: 'Settings' }).click()
  await steady.getByRole('radio', { name: /^Steady/ }).check()
  await expect(steady.locator('.picture')).toHaveAttribute('data-kind', 'hls')
  await expectHonest(steady, 5)

  await hold({ delaySeconds: 10 })
  for (const each of [page, steady]) {
    await expectHonest(each, 5, { least: 10 })
    await each.context().close()
  }
  const late = await viewer(browser)
  await expectHonest(late, 3, { least: 10 })
  await late.context().close()
})

test('says that the line is too slow, is steadier by itself then, and shows the picture', async ({ browser }) => {
  test.setTimeout(300_000)
  const page = await viewer(browser)
  await expectFresh(page, encoder.origin, 4000)
  const picture = page.locator('.picture')
  await expect(picture).toHaveAttribute('data-kind', 'flv')
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  const line = (bytes: number) =>
    client.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: bytes,
      uploadThroughput: -1,
    })
  // 1.3 Mbit/s on a line of 0.6.
  await line(600_000 / 8)
  await page.addInitScript(() => {
    let [place, moved, most] = [0, 0, 0]
    setInterval(() => {
      const video = document.querySelector('video')
      const now = performance.now()
      // It stands from its first picture on.
      const isSaid = document.querySelector<HTMLElement>('.cover')?.hidden === false
      if (!video || isSaid || (moved === 0 && video.readyState < 2) || video.currentTime !== place) moved = now
      place = video?.currentTime ?? 0
      if (moved > 0) most = Math.max(most, now - moved)
      Object.assign(window, { most })
    }, 50)
  })
  const from = performance.now()
  await page.reload()
  const words = page.locator('.fell-back, .cover').filter({ hasText: 'Your connection is too slow' })
  await expect(words.first()).toBeVisible({ timeout: 90_000 })
  expectWithin(performance.now() - from, 20_000)
  await expect(picture).toHaveAttribute('data-kind', 'hls')
  await expect.poll(() => mediaTime(page), { timeout: 60_000 }).toBeGreaterThan(0)
  const most = await page.evaluate(() => (window as unknown as { most: number }).most)
  expectWithin(most, 4_000)
  await line(-1)
  const place = await mediaTime(page)
  await expect.poll(() => mediaTime(page), { timeout: 60_000 }).toBeGreaterThan(place + 3)
  await page.context().close()
})
