import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import { createFlvLook } from '../../renderer/player/flv-look.ts'
import type { ServiceReady } from '../../contract/service-process.ts'
import { startCommand, type ReadyCommand } from '../command.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { expectWithin } from '../pace.ts'
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

/** What is first of a stream, up to a key frame. */
async function firstMedia(url: string): Promise<{ readonly keyFrame: boolean }> {
  const look = createFlvLook()
  const stop = new AbortController()
  try {
    const answer = await fetch(url, { signal: stop.signal })
    if (!answer.ok) return look.seen()
    const reader = answer.body!.getReader()
    for (let part = await reader.read(); !part.done && !look.seen().keyFrame; part = await reader.read())
      look.feed(part.value)
    return look.seen()
  } finally {
    stop.abort()
  }
}

/** Notes what is said over the picture, which marks the page has, and for how long nothing stands there, in ms. */
async function watchCover(page: Page): Promise<void> {
  await page.evaluate(() => {
    const cover = document.querySelector<HTMLElement>('.cover')!
    const fell = document.querySelector<HTMLElement>('.fell-back')!
    const said: string[] = []
    const marks: string[] = []
    const [video, still] = [document.querySelector('video')!, document.querySelector<HTMLElement>('.stage canvas')!]
    let empty = 0
    let looked = performance.now()
    let wasEmpty = false
    const look = (): void => {
      const now = performance.now()
      const isEmpty = cover.hidden && still.hidden && video.readyState < 2
      // A look that comes late on a busy machine tells nothing of the time before it.
      if (isEmpty && wasEmpty) empty += now - looked
      wasEmpty = isEmpty
      looked = now
      Object.assign(window, { empty })
      requestAnimationFrame(look)
    }
    look()
    new MutationObserver(() => marks.push(document.querySelector('.lamp')!.textContent)).observe(document.body, {
      attributeFilter: ['data-tally'],
    })
    const note = (): void => {
      const text = [cover.hidden ? '' : cover.textContent, fell.textContent].filter(Boolean).join(' / ')
      if (text !== (said.at(-1) ?? '')) said.push(text)
    }
    note()
    new MutationObserver(note).observe(document.querySelector('.picture')!, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    })
    Object.assign(window, { said, marks })
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
    let moved = performance.now()
    const stopped = encoder.stop()
    const asked = Date.now() - encoder.origin
    await expect
      .poll(
        async () => {
          const now = await clock()
          if (now > last) [last, moved] = [now, performance.now()]
          return page.getByText('The show has ended').isVisible()
        },
        { timeout: 45_000, intervals: [40] },
      )
      .toBe(true)
    // The browser that plays HLS itself does not tell what it has yet to play.
    expectWithin(performance.now() - moved, way === 'native' ? 4_500 : 800)
    await stopped
    // Of the last second an encoder may keep some to itself.
    expectWithin(asked - last, 1_000)
    // Nothing else was said, nothing was opened again.
    expect(await page.evaluate(() => (window as unknown as { said: string[] }).said)).toEqual([
      expect.stringContaining('The show has ended'),
    ])
    expect(opened.filter((url) => url.includes('.flv'))).toHaveLength(flv)
    const { marks, empty } = await page.evaluate(() => {
      const { marks, empty } = window as unknown as { marks: string[]; empty: number }
      return { marks, empty }
    })
    // What low delay has yet to play may be over before the page hears of the end.
    if (way !== 'low') expect(marks).toContain('ENDING')
    expect(marks.at(-1)).toBe('OFF AIR')
    expect(empty, 'neither a picture nor words, in ms').toBeLessThan(100)
    await page.reload()
    await expect(page.getByText(/^The show ended at \d\d:\d\d\. If it goes on, the picture/)).toBeVisible()
    await page.context().close()
  })

test('a browser that plays HLS itself shows a show from its begin without a break', async ({ browser }) => {
  test.setTimeout(120_000)
  const page = await openViewer(browser, service.ready.mediaUrl, 'f'.repeat(32))
  await page.context().addInitScript(() => {
    for (const name of ['MediaSource', 'ManagedMediaSource']) Reflect.deleteProperty(window, name)
  })
  // One that had no show yet.
  const { ret } = await signedCall(service.ready.baseUrl, credentials, '/app/channel/create', { name: 'New', type: 0 })
  await page.goto(`${service.ready.mediaUrl}/watch/${String(ret!['cid'])}`)
  await expect(page.getByText('Not on air')).toBeVisible()
  await watchCover(page)
  const troubles: string[] = []
  await page.exposeFunction('trouble', (what: string) => troubles.push(what))
  await page.evaluate(() => {
    const { trouble } = window as unknown as { trouble(what: string): void }
    for (const event of ['error', 'ended'])
      document.querySelector('video')!.addEventListener(event, () => trouble(event))
  })
  encoder = startEncoder(ret!['pushUrl'] as string)
  await expect.poll(() => mediaTime(page), { timeout: 60_000 }).toBeGreaterThan(8)
  expect(troubles).toEqual([])
  expect(await page.evaluate(() => (window as unknown as { said: string[] }).said)).toEqual([
    expect.stringContaining('Not on air'),
    'Opening the picture',
    '',
  ])
  await page.context().close()
})

test('a page that waits shows the show within a second of its first key frame', async ({ browser }) => {
  test.setTimeout(180_000)
  const page = await openViewer(browser, service.ready.mediaUrl, cid)
  const off = page.getByText('OFF AIR')
  for (let start = 0; start < 3; start++) {
    await expect(off).toBeVisible()
    // Another phase of its questions each time.
    await expect(page.locator('body')).toHaveAttribute('data-tally', 'idle')
    const shown = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          document.querySelector('video')!.requestVideoFrameCallback(() => resolve(Date.now()))
        }),
    )
    encoder = startEncoder(pushUrl)
    let first = 0
    await expect
      .poll(
        async () => {
          const { keyFrame } = await firstMedia(`${service.ready.mediaUrl}/live/${cid}.flv`)
          first = Date.now()
          return keyFrame
        },
        { timeout: 30_000, intervals: [50] },
      )
      .toBe(true)
    expectWithin((await shown) - first, 1_000)
    await encoder.stop()
  }
  await page.context().close()
})
