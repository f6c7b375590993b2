import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, expectAccessible, mediaTime, openPage } from '../page.ts'

let app: RunningApp
let encoder: Encoder | undefined
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.setTimeout(120_000)
test.beforeAll(async () => {
  app = await startApp()
})
test.afterEach(async () => {
  await encoder?.stop('SIGKILL')
  encoder = undefined
})
test.afterAll(async () => app?.dispose())

const rail = (page: Page, name: string) => page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name })
const recording = (page: Page) => page.getByRole('region', { name: 'Recording', exact: true })

/** Pushes until so much is recorded, then ends the push: its slice is complete then. */
async function recordSlice(page: Page, pushUrl: string, seconds: number): Promise<void> {
  encoder = startEncoder(pushUrl, { gopSeconds: 1 })
  await expect(recording(page).getByText(/^Rec$/i)).toBeVisible({ timeout: 20_000 })
  await expect(page.getByRole('banner')).toContainText(/Rec/i)
  const shown = async (): Promise<number> => {
    const [, minute = '0', second = '0'] = /\d+:(\d\d):(\d\d)/.exec(await recording(page).innerText()) ?? []
    return Number(minute) * 60 + Number(second)
  }
  await expect.poll(shown, { timeout: 30_000 }).toBeGreaterThanOrEqual(seconds)
  await encoder.stop()
  encoder = undefined
}

/** Seeks the picture that is open to a moment and gives where it came to stand, in seconds. */
const seek = (page: Page, to: number): Promise<number> =>
  page.evaluate(async (to) => {
    const video = document.querySelector('video')
    if (!video) throw new Error('no picture')
    video.pause()
    await new Promise<void>((resolve, reject) => {
      video.addEventListener('seeked', () => resolve(), { once: true })
      video.addEventListener('error', () => reject(new Error(video.error?.message ?? 'not played')), { once: true })
      video.currentTime = to
    })
    return video.currentTime
  }, to)

async function playAndSeek(page: Page, name: RegExp, atLeast: number): Promise<void> {
  const row = page.getByRole('row').filter({ hasText: name }).first()
  await row.getByRole('button', { name: /^Play/ }).click()
  const dialog = page.getByRole('dialog')
  await expect.poll(() => mediaTime(page), { timeout: 15_000 }).toBeGreaterThan(0.5)
  const length = await page.evaluate(() => document.querySelector('video')?.duration ?? 0)
  expect(length).toBeGreaterThan(atLeast)
  for (const part of [0.8, 0.25]) expect(Math.abs((await seek(page, length * part)) - length * part)).toBeLessThan(0.1)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
}

test('two slices of a push are recorded, listed, called back, played, merged, and the result plays', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Kept_show')
  const studio = page.url()

  await page.goto(studio.replace(/#.*/, '#/settings/receivers'))
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByText('Listening', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Set as callback address' }).click()
  await expect(page.getByText(/The service calls back to http:\/\/127\.0\.0\.1:\d+\/callback/)).toBeVisible()

  await page.goto(studio)
  await expect(recording(page)).toContainText('Pushes are not recorded.')
  await recording(page).getByRole('button', { name: 'Recording settings…' }).click()
  await page.getByRole('dialog').getByRole('radio', { name: 'MP4' }).click()
  await page.getByLabel('Name of the files').fill('Kept')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await recording(page).getByRole('switch').click()
  await expect(recording(page)).toContainText('The next push is recorded.')
  await expect(page.getByRole('banner')).toContainText(/Armed/i)

  const pushUrl = await copyPushUrl(page)
  await recordSlice(page, pushUrl, 6)
  await Promise.all([
    expect(recording(page)).toContainText('File ready', { timeout: 20_000 }),
    expect(page.getByText('Callback received: a file is ready').first()).toBeVisible({ timeout: 20_000 }),
  ])
  encoder = startEncoder(pushUrl, { gopSeconds: 1 })
  await expect(page.getByRole('button', { name: /Mark this second/ })).toBeVisible({ timeout: 20_000 })
  await page.locator('h1').click()
  await page.keyboard.press('b')
  await expect(page.getByRole('button', { name: /^Marked/ })).toBeVisible()
  await expect(recording(page)).toContainText(/00:00:0[6-9]/, { timeout: 20_000 })
  await encoder.stop()
  encoder = undefined

  await rail(page, 'Recordings').click()
  const rows = page.getByRole('row').filter({ hasText: /Kept_\d{8}-\d{6}_/ })
  await expect(rows).toHaveCount(2, { timeout: 20_000 })
  await expect(rows.filter({ hasText: /Received \d\d:\d\d/ })).toHaveCount(2, { timeout: 20_000 })
  await expect(page.getByRole('region', { name: 'Time line' }).getByRole('button', { name: /^Marker/ })).toHaveCount(1)
  await playAndSeek(page, /Kept_/, 4)

  for (const row of await rows.all()) await row.getByRole('checkbox').click()
  const tray = page.getByRole('complementary', { name: 'Merge' })
  await expect(tray).toContainText('File 2 is older than file 1.')
  await tray.getByRole('list', { name: 'Files in their order' }).getByRole('listitem').nth(1).press('Alt+ArrowUp')
  await expect(tray).not.toContainText('is older')
  await expectAccessible(page)
  await tray.getByLabel('Output name').fill('both parts')
  await expect(tray).toContainText('The name has a space')
  await tray.getByLabel('Output name').fill('Both_parts')
  await tray.getByRole('button', { name: 'Merge 2 files' }).click()
  const result = page.getByRole('row').filter({ hasText: 'Both_parts' })
  await expect(result).toContainText(/Received \d\d:\d\d/, { timeout: 30_000 })
  await expect(tray).toContainText('Merged')
  await playAndSeek(page, /Both_parts/, 9)

  mkdirSync('out/test/downloads', { recursive: true })
  const coming = page.waitForEvent('download')
  await result.getByRole('button', { name: /^Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Download' }).click()
  const file = await coming
  expect(file.suggestedFilename()).toBe('Both_parts.mp4')
  await file.saveAs('out/test/downloads/both.mp4')
  expect(statSync('out/test/downloads/both.mp4').size).toBeGreaterThan(500_000)
  expect(
    Number(execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', 'out/test/downloads/both.mp4']).toString()),
  ).toBeGreaterThan(9)

  await page.getByRole('button', { name: 'Delivery log' }).click()
  await expect(page.getByRole('dialog').getByText('Delivered', { exact: true })).toHaveCount(3)
  await expect(page.getByRole('dialog').getByText('Accepted', { exact: true })).toHaveCount(3)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Resend/ })
    .first()
    .click()
  await expect(page.getByRole('dialog').getByText('Duplicate, dropped', { exact: true })).toHaveCount(1, { timeout: 15_000 })
  await page.screenshot({ path: 'out/screenshots/app/recordings-log.png' })
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.screenshot({ path: 'out/screenshots/app/recordings.png' })

  await page.goto(studio.replace(/#.*/, '#/settings/receivers'))
  await page
    .getByRole('button', { name: /^Tamper with message/ })
    .first()
    .click()
  await expect(page.getByText('Forged, turned away', { exact: true })).toBeVisible()
  await page
    .getByRole('button', { name: /^Replay message/ })
    .first()
    .click()
  await expect(page.getByText('Duplicate, dropped', { exact: true })).toHaveCount(2)

  await page.goto(studio.replace(/#.*/, '#/recordings'))
  await result.getByRole('button', { name: /^Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(result).toHaveCount(0)
  await expect(rows).toHaveCount(2)
})

test('a slice in FLV plays in the app and cannot be chosen for a merge', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Old_format')
  await recording(page).getByRole('button', { name: 'Recording settings…' }).click()
  await page.getByRole('dialog').getByRole('radio', { name: 'FLV' }).click()
  await page.getByLabel('Name of the files').fill('Flat')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await recording(page).getByRole('switch').click()
  await expect(recording(page)).toContainText('The next push is recorded.')
  await recordSlice(page, await copyPushUrl(page), 6)
  await expect(recording(page)).toContainText('File ready', { timeout: 20_000 })
  await rail(page, 'Recordings').click()
  const row = page.getByRole('row').filter({ hasText: /Flat_/ })
  await expect(row.getByRole('checkbox')).toBeDisabled()
  await playAndSeek(page, /Flat_/, 4)
})
