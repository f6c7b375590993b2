import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { mediaTime, pictureClock } from '../page.ts'
import { signedCall } from '../signed-call.ts'
import { openViewer } from '../viewer.ts'

const credentials = { appKey: 'end-app', appSecret: 'canary-7b03fe-end-secret' }
test.describe.configure({ mode: 'serial' })
let data = ''
let service: ReadyCommand<ServiceReady>
let encoder: Encoder | undefined
let cid = ''
let pushUrl = ''

test.beforeAll(async () => {
  expect(spawnSync(process.execPath, ['scripts/build.ts'], { stdio: ['ignore', 'ignore', 'inherit'] }).status).toBe(0)
  data = mkdtempSync(join(tmpdir(), 'sidestage-end-'))
  const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
  service = await startCommand<ServiceReady>(['service/main.ts', '--data', data, ...ports], {
    ...process.env,
    SIDESTAGE_APP_KEY: credentials.appKey,
    SIDESTAGE_APP_SECRET: credentials.appSecret,
  })
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', { name: 'End', type: 0 })
  cid = ret!['cid'] as string
  pushUrl = ret!['pushUrl'] as string
})
test.afterEach(() => encoder?.stop('SIGKILL'))
test.afterAll(async () => {
  await service?.stop()
  rmSync(data, { recursive: true, force: true })
})

/** Notes what is said over the picture, and how often a stream was opened. */
async function watchCover(page: Page): Promise<void> {
  await page.evaluate(() => {
    const cover = document.querySelector<HTMLElement>('.cover')!
    const fell = document.querySelector<HTMLElement>('.fell-back')!
    const said: string[] = []
    const note = (): void => {
      const text = [cover.hidden ? '' : cover.textContent, fell.textContent].filter(Boolean).join(' / ')
      if (text !== (said.at(-1) ?? '')) said.push(text)
    }
    new MutationObserver(note).observe(document.querySelector('.picture')!, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    })
    Object.assign(window, { said })
  })
}

for (const way of ['low', 'steady', 'native'])
  test(`what there is of a show is played to its end, delay ${way}`, async ({ browser }) => {
    test.setTimeout(180_000)
    encoder = startEncoder(pushUrl)
    const page = await openViewer(browser, service.ready.mediaUrl, 'f'.repeat(32))
    await page.context().addInitScript((native) => {
      if (native) for (const name of ['MediaSource', 'ManagedMediaSource']) Reflect.deleteProperty(window, name)
    }, way === 'native')
    await page.evaluate((kept) => localStorage.setItem('sidestage-delay', kept), way)
    const opened: string[] = []
    page.on('request', (request) => {
      if (/\/live\/.*(flv|m3u8)/.test(request.url())) opened.push(request.url())
    })
    await page.goto(`${service.ready.mediaUrl}/watch/${cid}`)
    const clock = async (): Promise<number> => (await pictureClock(page))?.clock ?? 0
    await expect.poll(clock, { timeout: 60_000 }).toBeGreaterThan(8_000)
    await watchCover(page)
    const flv = opened.filter((url) => url.includes('.flv')).length
    let last = 0
    const stopped = encoder.stop()
    const asked = Date.now() - encoder.origin
    await expect
      .poll(
        async () => {
          last = Math.max(last, await clock())
          return page.getByText('The show has ended').isVisible()
        },
        { timeout: 45_000, intervals: [40] },
      )
      .toBe(true)
    await stopped
    // Of the last second an encoder may keep some to itself.
    expect(asked - last).toBeLessThan(1_000)
    // Nothing else was said, nothing was opened again.
    expect(await page.evaluate(() => (window as unknown as { said: string[] }).said)).toEqual([
      expect.stringContaining('The show has ended'),
    ])
    expect(opened.filter((url) => url.includes('.flv'))).toHaveLength(flv)
    await page.context().close()
  })

test('a browser that plays HLS itself shows a show from its begin without a break', async ({ browser }) => {
  test.setTimeout(120_000)
  const page = await openViewer(browser, service.ready.mediaUrl, 'f'.repeat(32))
  await page.context().addInitScript(() => {
    for (const name of ['MediaSource', 'ManagedMediaSource']) Reflect.deleteProperty(window, name)
  })
  await page.goto(`${service.ready.mediaUrl}/watch/${cid}`)
  await expect(page.getByText('Not on air')).toBeVisible()
  await watchCover(page)
  const troubles: string[] = []
  await page.exposeFunction('trouble', (what: string) => troubles.push(what))
  await page.evaluate(() => {
    const { trouble } = window as unknown as { trouble(what: string): void }
    for (const event of ['error', 'ended'])
      document.querySelector('video')!.addEventListener(event, () => trouble(event))
  })
  encoder = startEncoder(pushUrl)
  await expect.poll(() => mediaTime(page), { timeout: 60_000 }).toBeGreaterThan(8)
  expect(troubles).toEqual([])
  expect(await page.evaluate(() => (window as unknown as { said: string[] }).said)).toEqual([
    expect.stringContaining('Not on air'),
    'Opening the picture',
    '',
  ])
  await page.context().close()
})
