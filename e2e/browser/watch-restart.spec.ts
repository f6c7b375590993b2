import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder } from '../encoder.ts'
import { signedCall, signedForm } from '../signed-call.ts'
import { isInside, openViewer, rename, said, speak } from '../viewer.ts'

const credentials = { appKey: 'restart-app', appSecret: 'canary-restart-secret' }
let data = ''
let service: ReadyCommand<ServiceReady> | undefined

/** Starts the service over the same data; its ports are those of the first start, as for viewers who stay on the page. */
async function start(ports: readonly [api: string, media: string] = ['0', '0']): Promise<ServiceReady> {
  service = await startCommand<ServiceReady>(
    ['service/main.ts', '--data', data, '--api-port', ports[0], '--media-port', ports[1], '--rtmp-port', '0'],
    {
      ...process.env,
      SIDESTAGE_APP_KEY: credentials.appKey,
      SIDESTAGE_APP_SECRET: credentials.appSecret,
    },
  )
  return service.ready
}
test.beforeAll(() => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-restart-'))
})
test.afterEach(() => service?.stop())
test.afterAll(() => {
  rmSync(data, { recursive: true, force: true })
})

test('viewers come back by themselves, as who they were, after the service was killed', async ({ browser }) => {
  const ready = await start()
  const local = (path: string, body: object) => signedCall(ready.baseUrl, credentials, `/local/${path}`, body)
  const form = (path: string, fields: Record<string, string>) => signedForm(ready.imBaseUrl, credentials, path, fields)
  const { ret } = await signedCall(ready.baseUrl, credentials, '/app/channel/create', { name: 'Again', type: 0 })
  const cid = ret!['cid'] as string
  await form('/user/create.action', { accid: 'ana', token: 'token-of-ana' })
  const { roomid } = (await form('/chatroom/create.action', { creator: 'ana', name: 'again' }))['chatroom'] as {
    roomid: number
  }
  expect((await local('room/link', { cid, roomid })).code).toBe(200)

  const [kestrel, loud] = [
    await openViewer(browser, ready.mediaUrl, cid),
    await openViewer(browser, ready.mediaUrl, cid),
  ]
  for (const [page, name] of [
    [kestrel, 'kestrel'],
    [loud, 'loud'],
  ] as const) {
    await isInside(page)
    await rename(page, name)
    await speak(page, `${name} before`)
  }
  await expect(said(kestrel)).toContainText('loud before')
  const lines = async () =>
    (await local('room/history', { roomid })).ret!['list'] as {
      readonly from: string
      readonly attach: string
      readonly nick: string
    }[]
  const before = new Map((await lines()).map(({ nick, from }) => [nick, from]))
  const muted = { roomid: String(roomid), operator: 'ana', target: before.get('loud')!, muteDuration: '3600' }
  expect((await form('/chatroom/temporaryMute.action', muted)).code).toBe(200)
  await expect(loud.getByRole('status').filter({ hasText: /You are muted for/ })).toBeVisible()

  const { process: running } = service!
  const gone = once(running, 'exit')
  running.kill('SIGKILL')
  await gone
  for (const page of [kestrel, loud]) await expect(page.locator('.chat')).toHaveAttribute('data-state', 'outside')
  await start([new URL(ready.baseUrl).port, new URL(ready.mediaUrl).port])
  for (const page of [kestrel, loud]) await isInside(page)
  await speak(kestrel, 'kestrel after')
  await expect(said(loud)).toContainText('kestrel after')
  expect((await lines()).filter(({ nick }) => nick === 'kestrel').map(({ from, attach }) => [from, attach])).toEqual([
    [before.get('kestrel'), 'kestrel after'],
    [before.get('kestrel'), 'kestrel before'],
  ])
  // A restart is no way around a mute, and what was said stands there once.
  await expect(loud.getByRole('status').filter({ hasText: /You are muted/ })).toBeVisible()
  await expect(said(kestrel).getByText('loud before')).toHaveCount(1)
  for (const page of [kestrel, loud]) await page.context().close()
})

/** The mean brightness of the picture that is kept, 0 to 255; undefined while none is shown. */
const keptPicture = (page: Page): Promise<number | undefined> =>
  page.locator('.stage canvas').evaluate((canvas: HTMLCanvasElement) => {
    if (canvas.hidden) return undefined
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    return data.reduce((sum, value, index) => sum + (index % 4 === 3 ? 0 : value), 0) / (data.length * 0.75)
  })

test('viewers see the last picture while the service is gone, and are told when nothing arrives', async ({
  browser,
}) => {
  const ready = await start()
  const { ret } = await signedCall(ready.baseUrl, credentials, '/app/channel/create', { name: 'Stays', type: 0 })
  const [cid, pushUrl] = [ret!['cid'] as string, ret!['pushUrl'] as string]
  const encoder = startEncoder(pushUrl)
  const page = await openViewer(browser, ready.mediaUrl, cid)
  const cover = page.locator('.cover')
  await expect.poll(() => page.evaluate(() => (document.querySelector('video')?.currentTime ?? 0) > 1)).toBe(true)
  await expect(cover).toBeHidden()

  encoder.process.kill('SIGSTOP')
  await expect(cover).toHaveText('Nothing new arrives from the broadcaster.')
  encoder.process.kill('SIGCONT')
  await expect(cover).toBeHidden()
  expect(await keptPicture(page)).toBeUndefined()

  const { process: running } = service!
  const gone = once(running, 'exit')
  running.kill('SIGKILL')
  await gone
  await expect(cover).toHaveText(/The picture stopped|The service does not answer/)
  // The player has its last frame until it opens anew; then the page shows the one that it kept.
  await expect.poll(() => keptPicture(page)).toBeGreaterThan(30)
  await start([new URL(ready.baseUrl).port, new URL(ready.mediaUrl).port])
  await expect(cover).toHaveText('The show was interrupted. If it goes on, the picture starts by itself.')
  expect(await keptPicture(page)).toBeUndefined()
  const again = (await signedCall(ready.baseUrl, credentials, '/app/address', { cid })).ret!['pushUrl'] as string
  const second = startEncoder(again)
  await expect(cover).toBeHidden()
  expect(await keptPicture(page)).toBeUndefined()
  await encoder.stop('SIGKILL')
  await second.stop()
  await page.context().close()
})

test('what is held by hand stays so after the service was killed, with no picture, until Back to live', async ({
  browser,
}) => {
  const ready = await start()
  const local = (path: string, body: object) => signedCall(ready.baseUrl, credentials, `/local/${path}`, body)
  const { ret } = await signedCall(ready.baseUrl, credentials, '/app/channel/create', { name: 'Held', type: 0 })
  const [cid, pushUrl] = [ret!['cid'] as string, ret!['pushUrl'] as string]
  const encoder = startEncoder(pushUrl)
  const page = await openViewer(browser, ready.mediaUrl, cid)
  const cover = page.locator('.cover')
  const shown = () => page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)
  await expect.poll(shown).toBeGreaterThan(1)
  expect((await local('hold/now', { cid })).code).toBe(200)
  await expect(cover).toHaveText('Back in a moment')
  const { process: running } = service!
  const gone = once(running, 'exit')
  running.kill('SIGKILL')
  await gone
  await encoder.stop('SIGKILL')
  await start([new URL(ready.baseUrl).port, new URL(ready.mediaUrl).port])
  await expect(cover).toHaveText('The show was interrupted. If it goes on, the picture starts by itself.')
  const again = (await signedCall(ready.baseUrl, credentials, '/app/address', { cid })).ret!['pushUrl'] as string
  const second = startEncoder(again)
  await expect(cover).toHaveText('Back in a moment')
  await expect(page.locator('.cover-note')).toHaveText('There is no picture until then.')
  expect([await shown(), await keptPicture(page)]).toEqual([0, undefined])
  expect((await local('hold/back', { cid })).code).toBe(200)
  await expect(cover).toBeHidden()
  await expect.poll(shown).toBeGreaterThan(1)
  await second.stop()
  await page.context().close()
})
