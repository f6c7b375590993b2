import { expect, test, type Locator, type Page } from 'playwright/test'
import { startFaultyServer, type FaultyServer } from '../../service/targets/testing/faulty-server.ts'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { setLook } from '../looks.ts'
import { copyPushUrl, createChannel, openPage } from '../page.ts'

/** The Studio in windows of several sizes: nothing lies over anything else, and nothing is cut. */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let app: RunningApp
let encoder: Encoder | undefined
let good: FaultyServer | undefined
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await good?.close()
  await app?.dispose()
})

const sizes = [
  { width: 1440, height: 900 },
  { width: 1280, height: 800 },
  { width: 1120, height: 700 },
  // High windows, whose cards are no wider than those of low ones.
  { width: 1280, height: 1024 },
  { width: 1366, height: 1000 },
  { width: 1440, height: 1080 },
  { width: 1920, height: 1080 },
] as const
/** The least picture, in px. */
const least = { width: 400, height: 225 } as const

/** Names of cards that lie over each other, or over the status bar, where they are seen. */
const overlaps = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const name = (element: Element): string => element.getAttribute('aria-label') ?? element.className
    /** What is seen of an element within whatever scrolls around it. */
    const seen = (element: Element): DOMRect => {
      let { left, top, right, bottom } = element.getBoundingClientRect()
      for (let around = element.parentElement; around; around = around.parentElement) {
        if (getComputedStyle(around).overflowY === 'visible') continue
        const box = around.getBoundingClientRect()
        left = Math.max(left, box.left)
        top = Math.max(top, box.top)
        right = Math.min(right, box.right)
        bottom = Math.min(bottom, box.bottom)
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
    }
    const parts = [...document.querySelectorAll('.body .card, .screen-head, .status-bar')]
    return parts.flatMap((one, index) =>
      parts.slice(index + 1).flatMap((other) => {
        if (one.contains(other) || other.contains(one)) return []
        const [a, b] = [seen(one), seen(other)]
        const isOver =
          Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1
        return isOver ? [`${name(one)} and ${name(other)}`] : []
      }),
    )
  })
/** Whether a text is whole where it stands. */
const isWhole = (text: Locator): Promise<boolean> =>
  text.evaluate(
    (element) => element.scrollWidth <= element.clientWidth + 1 && element.scrollHeight <= element.clientHeight + 1,
  )

/** Whether the picture is large enough; the chat beside it gives way a moment after the window is smaller. */
async function hasPicture(page: Page): Promise<boolean> {
  const { width = 0, height = 0 } = (await page.locator('.picture').boundingBox()) ?? {}
  return width >= least.width && height >= least.height
}

async function measure(page: Page, targets: number): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size)
    const label = `${size.width}x${size.height} with ${targets} targets`
    await expect.poll(() => overlaps(page), label).toEqual([])
    await expect.poll(() => hasPicture(page), `${label}: the picture`).toBe(true)
    // The service state can be read, and each card comes whole into view.
    await expect(page.locator('.status-bar [data-figure="service"]')).toBeInViewport({ ratio: 1 })
    for (const part of ['goLive', 'log']) {
      const card = page.locator(`[data-part="${part}"]`)
      // Not to an edge: whole pixels are scrolled, and the height of the picture has a fraction.
      await card.evaluate((element) => element.scrollIntoView({ block: 'center' }))
      await expect(card, label).toBeInViewport({ ratio: 1 })
      expect(
        await isWhole(card.locator(':scope > div, :scope > section > div').first()),
        `${label}: head of ${part}`,
      ).toBe(true)
    }
    const rows = page.locator('[data-figure="target"]')
    await expect(rows).toHaveCount(targets)
    for (const row of await rows.all()) {
      await row.evaluate((element) => element.scrollIntoView({ block: 'center' }))
      await expect(row, label).toBeInViewport({ ratio: 1 })
      for (const part of ['[data-name]', '.state .truncate', '.kbps', '.why'])
        await expect
          .poll(() => isWhole(row.locator(part)), `${label}: ${part} of ${await row.textContent()}`)
          .toBe(true)
    }
    await page.screenshot({ path: `out/screenshots/app/studio-${size.width}x${size.height}-${targets}-targets.png` })
  }
}

test('in low and high windows, without targets and with four, nothing overlaps and nothing is cut', async ({
  page,
}) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Crowded')
  const companion = await openCompanion(app)
  // A key frame every 8 s is a warning with its remedy: several lines of health.
  encoder = startEncoder(await copyPushUrl(page), { gopSeconds: 8 })
  await expect(page.locator('[data-figure="why"]')).toContainText('between key frames')
  await measure(page, 0)
  good = await startFaultyServer()
  const add = (name: string, url: string, key?: string) =>
    companion.rpc.targets.add({
      profileId: 'local',
      cid,
      name,
      preset: 'custom',
      url,
      ...(key !== undefined && { key }),
      start: 'push',
    })
  await add('Campus', good.url, 'campus-2026')
  await add('Nobody', 'rtmp://127.0.0.1:9/live2', '3c9d-a81c-93bd')
  await add('Nobody else', 'rtmp://127.0.0.1:9/live2', '3c9d-a81c-93be')
  await add('Keyless', good.url)
  await companion.rpc.operations.access.updateWatchLimits({ profileId: 'local', call: { maxKbps: 200 } })
  companion.close()
  await expect(page.locator('[data-figure="target"][data-state="sending"]')).toHaveCount(1)
  await expect(page.locator('[data-figure="target"][data-state="retrying"]')).toHaveCount(2)
  await expect(page.locator('[data-figure="targets"] .tight')).toBeVisible()
  await measure(page, 4)
  await setLook(page, 'light', 'zh')
  await expect(page.locator('[data-figure="target"]')).toHaveCount(4)
  await measure(page, 4)
  // The next test opens the same app in English.
  await setLook(page, 'dark', 'en')
})

test('on air and recording in English the head of the Studio is whole at every size', async ({ page }) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Radio_Ana')
  const companion = await openCompanion(app)
  const recorded = { needRecord: true, format: 'mp4', duration: 120, filename: 'radio' } as const
  await companion.rpc.recordings.configure({ profileId: 'local', cid, ...recorded })
  companion.close()
  const own = startEncoder(await copyPushUrl(page))
  try {
    const head = page.locator('.screen-head')
    await expect(head.locator('[data-figure="lamp"]')).toHaveAttribute('data-state', 'recording')
    for (const size of sizes) {
      await page.setViewportSize(size)
      const label = `${size.width}x${size.height}`
      await expect.poll(() => overlaps(page), label).toEqual([])
      await expect.poll(() => hasPicture(page), `${label}: the picture`).toBe(true)
      const bar = await page.locator('.title-bar').boundingBox()
      const box = await head.boundingBox()
      for (const part of await head.locator('button:visible, h1, [data-figure="lamp"]').all()) {
        const at = await part.boundingBox()
        const name = `${label}: ${await part.textContent()}`
        expect(at!.y, name).toBeGreaterThanOrEqual(bar!.y + bar!.height)
        expect(at!.y, name).toBeGreaterThanOrEqual(box!.y)
        expect(at!.y + at!.height, name).toBeLessThanOrEqual(box!.y + box!.height)
        expect(at!.x + at!.width, name).toBeLessThanOrEqual(box!.x + box!.width)
      }
      expect(await isWhole(head.locator('h1')), `${label}: the name`).toBe(true)
      await page.screenshot({ path: `out/screenshots/app/studio-${size.width}x${size.height}-recording.png` })
    }
  } finally {
    await own.stop('SIGKILL')
  }
})
