import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { pictureClock } from '../page.ts'
import { signedCall } from '../signed-call.ts'

const credentials = { appKey: 'grows-app', appSecret: 'canary-grows-secret' }
const delay = 10
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder | undefined

/** On the ports of before, so that pages find it again. */
const start = (ports: { readonly api: string; readonly rtmp: string; readonly media: string }) => {
  const options = { data, 'api-port': ports.api, 'rtmp-port': ports.rtmp, 'media-port': ports.media }
  return startCommand<ServiceReady>(
    ['service/main.ts', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
}
test.beforeAll(async () => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-grows-'))
  service = await start({ api: '0', rtmp: '0', media: '0' })
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

test('Back to live with a delay is counted to the picture, also after a hold without one', async ({ browser }) => {
  test.setTimeout(300_000)
  const call = (path: string, body: object) => signedCall(service.ready.baseUrl, credentials, path, body)
  const { ret } = await call('/app/channel/create', { name: 'Grows', type: 0 })
  const [cid, pushUrl] = [ret!['cid'] as string, ret!['pushUrl'] as string]
  expect((await call('/local/hold/update', { cid, holdSeconds: 120, delaySeconds: delay })).code).toBe(200)
  encoder = startEncoder(pushUrl)
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  let streams = 0
  page.on('request', (request) => {
    if (/\.(flv|m3u8)\?/.test(request.url())) streams += 1
  })
  await page.goto(`${service.ready.mediaUrl}/watch/${cid}`)
  const said = () =>
    page.locator('.curtain').evaluate((curtain: HTMLElement) => {
      const text = (selector: string): string => curtain.querySelector<HTMLElement>(selector)!.textContent
      return curtain.hidden ? '' : `${text('.cover')} / ${text('.held-time')}`
    })
  const soon = { timeout: 60_000, intervals: [100] }
  let clock: number | undefined
  const moves = async (): Promise<boolean> => {
    const now = (await pictureClock(page))?.clock
    const isMoving = now !== undefined && clock !== undefined && now !== clock
    clock = now
    return isMoving && (await said()) === ''
  }
  /** What is said from Back to live until the picture moves, and how long before that. */
  const untilMoving = async (): Promise<{ readonly said: string; readonly before: number }[]> => {
    const seen: { said: string; at: number }[] = []
    await expect
      .poll(async () => {
        seen.push({ said: await said(), at: performance.now() })
        return moves()
      }, soon)
      .toBe(true)
    const end = performance.now()
    return seen.map(({ said: words, at }) => ({ said: words, before: (end - at) / 1_000 }))
  }
  const counts = async (): Promise<void> => {
    expect((await call('/local/hold/back', { cid })).code).toBe(200)
    await expect.poll(said, soon).toContain(`The delay grows to ${delay} s / goes on in 0:`)
    const before = streams
    const seen = await untilMoving()
    expect(streams).toBe(before)
    for (const one of seen.filter(({ said: words }) => words !== '')) {
      // The first picture of a push has to be opened.
      if (one.before > 3) expect(one.said).toMatch(/^The delay grows to 10 s \/ goes on (in 0:\d\d|any moment now)$/)
      else expect(one.said).toMatch(/^(The delay grows to 10 s|Opening the picture) \//)
      const left = one.said.startsWith('Opening') ? 0 : Number(/0:(\d\d)/.exec(one.said)?.[1] ?? 0)
      // A key frame comes every 2 s, and the state is asked for each second.
      expect(Math.abs(one.before - left), `${one.said}, ${one.before} s before`).toBeLessThan(4)
    }
  }
  await expect.poll(moves, soon).toBe(true)

  expect((await call('/local/hold/now', { cid })).code).toBe(200)
  await expect.poll(said, soon).toContain('Back in a moment')
  await counts()

  expect((await call('/local/hold/now', { cid })).code).toBe(200)
  const portOf = (url: string): string => new URL(url).port
  const { baseUrl, rtmpUrl, mediaUrl } = service.ready
  const isGone = once(service.process, 'exit')
  service.process.kill('SIGKILL')
  await isGone
  await encoder.stop('SIGKILL')
  service = await start({ api: portOf(baseUrl), rtmp: portOf(rtmpUrl), media: portOf(mediaUrl) })
  encoder = startEncoder(pushUrl)
  await expect
    .poll(async () => (await call('/local/hold/read', { cid })).ret!['noPicture'], { timeout: 60_000 })
    .toBe(true)
  await expect.poll(said, soon).toContain('Back in a moment')
  await counts()
  await page.context().close()
})
