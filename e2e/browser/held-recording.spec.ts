import { createReadStream, globSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { signedCall } from '../signed-call.ts'

const credentials = { appKey: 'held-app', appSecret: 'held-secret-of-a-test' }
const data = mkdtempSync(join(tmpdir(), 'sidestage-held-'))
let service: ReadyCommand<ServiceReady>
let encoder: Encoder | undefined
test.beforeAll(async () => {
  service = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
    { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
  )
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})
const call = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
  const { code, ret } = await signedCall(service.ready.baseUrl, credentials, path, body)
  expect(code, path).toBe(200)
  return ret ?? {}
}

test('a recording over two lost encoders plays in a browser from its beginning to its end', async ({ page }) => {
  const { cid, pushUrl } = (await call('/app/channel/create', { name: 'Held', type: 0 })) as Record<string, string>
  await call('/local/hold/update', { cid, holdSeconds: 60 })
  await call('/app/channel/setAlwaysRecord', { cid, needRecord: 1, format: 0, duration: 120, filename: 'held' })
  const status = async (): Promise<unknown> => (await call('/app/channelstats', { cid }))['status']
  const holding = async (): Promise<unknown> => (await call('/local/hold/read', { cid }))['holding']
  /** When the encoder is lost and has come back, in ms. */
  const held: number[] = []

  encoder = startEncoder(pushUrl!, { gopSeconds: 1, bFrames: 2 })
  // On air and recorded.
  await expect.poll(status).toBe(3)
  const begun = Date.now()
  for (let times = 0; times < 2; times++) {
    await expect.poll(() => (encoder!.progress().at(-1)?.frames ?? 0) > 75).toBe(true)
    await encoder.stop('SIGKILL')
    await expect.poll(holding).toBe(true)
    const lost = Date.now()
    encoder = startEncoder(pushUrl!, { gopSeconds: 1, bFrames: 2 })
    await expect.poll(holding).toBe(false)
    held.push(Date.now() - lost)
  }
  await expect.poll(() => (encoder!.progress().at(-1)?.frames ?? 0) > 75).toBe(true)
  const ended = Date.now()
  await encoder.stop()
  await expect.poll(status).toBe(0)
  await expect
    .poll(async () => ((await call('/app/videolist', { cid }))['videoList'] as unknown[] | undefined)?.length)
    .toBe(1)
  const [file, ...others] = globSync('**/*.mp4', { cwd: data })
  expect(others).toEqual([])

  const server = createServer((request, response) => {
    if (!request.url?.endsWith('.mp4'))
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<video src="/held.mp4" muted></video>')
    const { size } = statSync(join(data, file!))
    const [, from] = /bytes=(\d+)-/.exec(request.headers.range ?? '') ?? []
    const start = Number(from ?? 0)
    response.writeHead(206, {
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      'content-length': size - start,
      'content-range': `bytes ${start}-${size - 1}/${size}`,
    })
    createReadStream(join(data, file!), { start })
      .on('error', () => response.destroy())
      .pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const played = () =>
    page.locator('video').evaluate((video: HTMLVideoElement) => ({
      error: video.error?.message ?? '',
      ended: video.ended,
      missing: video.duration - video.currentTime,
      duration: video.duration,
      seeks: Number(video.dataset['seeks'] ?? 0),
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
    }))
  await page.locator('video').evaluate(async (video: HTMLVideoElement) => {
    video.addEventListener('seeking', () => (video.dataset['seeks'] = String(Number(video.dataset['seeks'] ?? 0) + 1)))
    await video.play()
  })
  await expect
    .poll(async () => {
      const { error, ended: isOver } = await played()
      return error !== '' || isOver
    })
    .toBe(true)
  const seen = await played()
  expect(seen).toMatchObject({ error: '', ended: true, seeks: 0 })
  expect(seen.missing).toBeLessThan(0.1)
  // Nothing of the time is left out, the holds included.
  expect(seen.duration).toBeGreaterThan((ended - begun) / 1000 - 1)
  expect(seen.frames).toBeGreaterThan(150)
  expect(held.every((ms) => ms > 0)).toBe(true)
  server.close()
})
