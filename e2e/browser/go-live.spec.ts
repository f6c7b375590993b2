import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Locator, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startApp, type RunningApp } from '../app.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { openCompanion } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { looks } from '../looks.ts'
import { copyPushUrl, createChannel, endWithEncoder, expectAccessible, openPage } from '../page.ts'
import { askForRecording } from '../recording.ts'

/** A reserve that no disk has: recording stops when it would begin. */
const reserve = 900_000_000_000_000
let app: RunningApp
let encoder: Encoder | undefined
let mute: ChildProcess | undefined
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.beforeAll(async () => {
  app = await startApp({ switches: ['--recording-reserve', String(reserve)] })
})
test.afterEach(async () => {
  await encoder?.stop('SIGKILL')
  encoder = undefined
  mute?.kill('SIGKILL')
})
test.afterAll(async () => app?.dispose())

const dialog = (page: Page): Locator => page.getByRole('dialog')
const line = (page: Page, name: string): Locator => dialog(page).locator(`[data-line="${name}"]`)
const isNow = (page: Page, name: string, state: string): Promise<void> =>
  expect(line(page, name)).toHaveAttribute('data-state', state)
const check = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^(Check everything…|全面检查…)$/ }).click()
/** A picture without a sound. */
function pushMute(url: string): ChildProcess {
  const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30', '-an']
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-g', '30', '-pix_fmt', 'yuv420p']
  return spawn('ffmpeg', ['-nostdin', '-loglevel', 'error', ...picture, ...coded, '-f', 'flv', url], {
    stdio: 'ignore',
  })
}
async function inLook(
  page: Page,
  theme: 'dark' | 'light',
  language: 'en' | 'zh',
  shown: () => Promise<void>,
): Promise<void> {
  const companion = await openCompanion(app)
  await companion.rpc.app.changeSettings({ theme, language })
  companion.close()
  await expect(page.locator('html')).toHaveAttribute('lang', language === 'en' ? /^en/ : /^zh/)
  await shown()
}

test('the go-live check finds each of its faults when each is provoked, and follows when it is mended', async ({
  page,
}) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Nearly_ready')
  await endWithEncoder(page)
  await askForRecording(page, { format: 'MP4', filename: 'Full' })
  const pushUrl = await copyPushUrl(page)
  await check(page)
  for (const name of ['profile', 'key', 'recording']) await isNow(page, name, 'ok')
  // The disk has room, and recording may not use any of it.
  await isNow(page, 'disk', 'warn')
  await isNow(page, 'ingest', 'fault')
  await expect(line(page, 'ingest')).toContainText('Nothing arrives.')
  for (const name of ['flv', 'hls', 'audio']) await isNow(page, name, 'wait')
  for (const name of ['room', 'moderators']) await isNow(page, name, 'warn')
  await expect(line(page, 'room')).toContainText('No room is linked')

  // A push without sound, to a disk without room.
  mute = pushMute(pushUrl)
  for (const name of ['ingest', 'flv', 'hls']) await isNow(page, name, 'ok')
  await isNow(page, 'audio', 'fault')
  await expect(line(page, 'audio')).toContainText('The stream has no sound.')
  for (const name of ['recording', 'disk']) await isNow(page, name, 'fault')
  await expect(line(page, 'recording')).toContainText('the disk is nearly full')
  await expect(line(page, 'disk')).toContainText('what is free is held back')

  // The room closed, then muted; each is mended where it is told.
  const companion = await openCompanion(app)
  const { roomid } = await companion.rpc.rooms.create({
    profileId: 'local',
    accid: 'host',
    name: 'Hall',
    announcement: '',
  })
  await companion.rpc.rooms.link({ profileId: 'local', cid, roomid })
  await companion.rpc.rooms.act({ profileId: 'local', roomid, measure: { kind: 'openRoom', on: false }, why: '' })
  await isNow(page, 'room', 'fault')
  await expect(line(page, 'room')).toContainText('Hall is closed')
  for (const [theme, language] of looks.toReversed())
    await inLook(page, theme, language, async () => {
      await expect(line(page, 'room')).toContainText(language === 'en' ? 'closed' : '已关闭')
      await expectAccessible(page)
      await page.screenshot({ path: `out/screenshots/app/go-live-${theme}-${language}.png` })
    })
  await line(page, 'room').getByRole('button', { name: 'Open the room' }).click()
  await isNow(page, 'room', 'ok')
  await expect(line(page, 'moderators')).toContainText('No moderator was invited')
  await companion.rpc.rooms.act({ profileId: 'local', roomid, measure: { kind: 'muteRoom', on: true }, why: '' })
  await expect(line(page, 'room')).toContainText('Hall is muted')
  await line(page, 'room').getByRole('button', { name: 'Lift the mute' }).click()
  await isNow(page, 'room', 'ok')

  // A moderator who has not come, and nothing that listens.
  await companion.rpc.seats.invite({ profileId: 'local', roomid, accid: 'mei', name: 'Mei' })
  await expect(line(page, 'moderators')).toContainText('nothing listens for them')
  await companion.rpc.seats.listen({ on: true, open: false, port: 0 })
  await expect(line(page, 'moderators')).toContainText('None of 1 moderator is online.')

  // Disabled: the push is cut and every other one refused, until the channel is resumed here.
  await companion.rpc.channels.disable({ profileId: 'local', cids: [cid] })
  await expect(line(page, 'ingest')).toContainText('The channel is disabled')
  await line(page, 'ingest').getByRole('button', { name: 'Resume the channel' }).click()
  await expect(line(page, 'ingest')).toContainText('Nothing arrives.')
  encoder = startEncoder(pushUrl)
  for (const name of ['ingest', 'flv', 'hls', 'audio']) await isNow(page, name, 'ok')
  await expect(line(page, 'audio')).toContainText('AAC-LC')
  companion.close()

  // A wrong key: the push is refused, and the line says so.
  await encoder.stop('SIGKILL')
  await isNow(page, 'ingest', 'fault')
  encoder = startEncoder(pushUrl.replace(/wsSecret=.../, 'wsSecret=000'))
  await expect(line(page, 'ingest')).toContainText('wrong key')
  await encoder.stop('SIGKILL')

  // The service is killed; it comes back by itself.
  const [child = ''] = execFileSync('pgrep', ['-P', String(app.process.pid), '-f', 'out/main/service.js'])
    .toString()
    .trim()
    .split('\n')
  // First it hangs: nothing that was found counts any more, nobody says that it is gone, and its banner is no other word.
  process.kill(Number(child), 'SIGSTOP')
  await isNow(page, 'profile', 'fault')
  await expect(line(page, 'profile')).toContainText('did not answer in time')
  for (const name of ['key', 'ingest', 'flv', 'hls', 'audio', 'recording', 'disk', 'room', 'moderators']) {
    await isNow(page, name, 'wait')
    await expect(line(page, name)).toContainText('Not known now.')
  }
  await expect(page.locator('[data-figure="service"]')).toHaveText('Service busy')
  process.kill(Number(child), 'SIGCONT')
  await isNow(page, 'profile', 'ok')
  await expect(page.locator('[data-figure="service"]')).toHaveText('Service running')
  process.kill(Number(child), 'SIGKILL')
  await isNow(page, 'profile', 'fault')
  await isNow(page, 'profile', 'ok')

  // One button ends it, and none does half of that.
  await expect(dialog(page).getByRole('button', { name: /^Cancel/ })).toHaveCount(0)
  await page.getByRole('button', { name: 'Check again' }).click()
  await isNow(page, 'profile', 'ok')
  await dialog(page).getByRole('button', { name: 'Close' }).last().click()
  await expect(dialog(page)).toHaveCount(0)
})

test('the health of a push is told in a word, and its last minutes with its drops', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Healthy')
  await endWithEncoder(page)
  const pushUrl = await copyPushUrl(page)
  const word = page.locator('[data-health]')
  await expect(word).toContainText('Nothing is on air.')
  encoder = startEncoder(pushUrl)
  await expect(word).toHaveAttribute('data-health', 'good')
  await encoder.stop('SIGKILL')
  // Nothing is known between the end of the push and the news that the encoder was lost.
  await expect(word).toHaveAttribute('data-health', 'lost')
  await expect(word).toContainText('The connection to the encoder was lost')
  mute = pushMute(pushUrl)
  await expect(word).toHaveAttribute('data-health', 'fair')
  await expect(word).toContainText('The push has no sound.')
  // The push has a line of its own beside that of the push before.
  const bitrate = page.locator('dl > div', { hasText: 'Ingest bitrate' }).locator('svg.spark path')
  await expect.poll(async () => (await bitrate.getAttribute('d'))?.match(/M[^M]*L/g)?.length).toBe(2)
  // What was seen is the app's, not the page's.
  await page.reload()
  await page.getByRole('button', { name: 'Last 10 minutes…' }).click()
  await expect(
    dialog(page)
      .getByRole('img', { name: /^Bitrate, kbps/ })
      .locator('canvas'),
  ).toBeVisible()
  await expect(dialog(page).getByRole('row').filter({ hasText: 'The connection was lost.' })).toHaveCount(1)
  await expect(dialog(page).getByRole('table').first().getByRole('row').nth(1)).toContainText(/\d{2}:\d{2}/)
  for (const [theme, language] of looks.toReversed())
    await inLook(page, theme, language, async () => {
      await expectAccessible(page)
      await page.screenshot({ path: `out/screenshots/app/health-${theme}-${language}.png` })
    })
})

test('a hosted service whose clock is off, and a key that has expired', async ({ page }) => {
  const credentials = { appKey: 'hosted-app', appSecret: 'canary-go-live-secret' }
  const data = mkdtempSync(join(tmpdir(), 'sidestage-go-live-'))
  let hosted: ReadyCommand<ServiceReady> | undefined
  let double: Server | undefined
  const faults = { clock: false, expired: true }
  try {
    const service = (hosted = await startCommand<ServiceReady>(
      ['service/main.ts', '--data', data, '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
      { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
    ))
    // Stands before the service: its clock can be off, and its addresses can be old.
    const server = (double = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const answer = async (): Promise<void> => {
          // It has no extension operations.
          if (request.url?.startsWith('/local/') === true) {
            response.writeHead(404).end()
            return
          }
          if (faults.clock) {
            response.writeHead(200, {
              'content-type': 'application/json',
              date: new Date(Date.now() + 7_200_000).toUTCString(),
            })
            response.end(JSON.stringify({ code: 409, msg: 'CurTime is expired' }))
            return
          }
          const headers = Object.entries(request.headers).flatMap(([name, value]) =>
            typeof value === 'string' && !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name)
              ? [[name, value] as [string, string]]
              : [],
          )
          const real = await fetch(new URL(request.url ?? '/', service.ready.baseUrl), {
            method: 'POST',
            headers,
            body: Buffer.concat(parts),
          })
          const text = await real.text()
          response.writeHead(real.status, { 'content-type': 'application/json' })
          response.end(
            faults.expired ? text.replaceAll(/wsTime=\d+/g, `wsTime=${Math.floor(Date.now() / 1000) - 60}`) : text,
          )
        }
        answer().catch(() => response.destroy())
      })
    }))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}${new URL(service.ready.baseUrl).pathname.replace(/\/$/, '')}`
    const companion = await openCompanion(app)
    await companion.rpc.profiles.add({
      name: 'Twin',
      liveUrl: base,
      messagingUrl: service.ready.imBaseUrl,
      ...credentials,
    })
    companion.close()
    await openPage(page, app)
    await page.getByRole('button', { name: /Profile/ }).click()
    await page
      .getByRole('menuitem', { name: 'Twin' })
      .or(page.getByRole('menuitemradio', { name: 'Twin' }))
      .or(page.getByRole('menuitemcheckbox', { name: 'Twin' }))
      .click()
    await createChannel(page, 'Far_away')
    await check(page)
    await isNow(page, 'profile', 'ok')
    await isNow(page, 'disk', 'none')
    await expect(line(page, 'key')).toContainText('Expired.')
    faults.expired = false
    await line(page, 'key').getByRole('button', { name: 'Get a fresh address' }).click()
    await isNow(page, 'key', 'ok')
    faults.clock = true
    // A Date header tells whole seconds.
    await expect(line(page, 'profile')).toContainText(/This computer's clock is off by (7199|7200) s/)
    faults.clock = false
    await isNow(page, 'profile', 'ok')
    await expect(page.locator('[data-health="unknown"]')).toContainText('A hosted service gives no ingest figures.')
  } finally {
    // A connection that is asked again and again is never idle, and would keep it open.
    double?.close().closeAllConnections()
    await hosted?.stop()
    rmSync(data, { recursive: true, force: true })
  }
})
