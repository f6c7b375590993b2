import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { allowance } from '../pace.ts'
import { copyPushUrl, createChannel, expectAccessible, openPage } from '../page.ts'
import { askForRecording, playAndSeek, recordingCard } from '../recording.ts'

/** A slice of 5 "minutes" is this long, in s; longer where the page is slow to show a push, as long as it lasts. */
let sliceSeconds = 8
/** A push of so many slices makes two, also where its key frames come late: the second has less than a whole one left. */
const pushSlices = 1.9

let app: RunningApp
let encoder: Encoder | undefined
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.beforeAll(async () => {
  sliceSeconds = Math.round(8 * Math.min(3, allowance()))
  app = await startApp({ switches: ['--recording-minute', String((sliceSeconds * 1000) / 5)] })
})
test.afterEach(async () => {
  await encoder?.stop('SIGKILL')
  encoder = undefined
})
test.afterAll(async () => app?.dispose())

const rail = (page: Page, name: string) => page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name })

/** Begin and end of a file as its name says them, in ms. */
function timesOf(name: string): { begin: number; end: number } {
  const [begin = NaN, end = NaN] = [...name.matchAll(/_(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)/g)].map(
    ([, ...parts]) => {
      const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number)
      return Date.UTC(year, month - 1, day, hour, minute, second)
    },
  )
  return { begin, end }
}

test('two slices of one push are recorded, listed, called back, played, merged, and the result plays', async ({
  page,
}) => {
  await openPage(page, app)
  await createChannel(page, 'Kept_show')
  const studio = page.url()

  await page.goto(studio.replace(/#.*/, '#/settings/receivers'))
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByText('Listening', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Set as callback address' }).click()
  await expect(page.getByText(/The service calls back to http:\/\/127\.0\.0\.1:\d+\/callback/)).toBeVisible()

  await page.goto(studio)
  await askForRecording(page, { format: 'MP4', minutes: 5, filename: 'Kept' })
  const pushUrl = await copyPushUrl(page)
  encoder = startEncoder(pushUrl, { gopSeconds: 1, seconds: pushSlices * sliceSeconds })
  await Promise.all([
    expect(recordingCard(page).getByText(/^Rec$/i)).toBeVisible(),
    expect(page.getByRole('banner')).toContainText(/Rec/i),
    expect(recordingCard(page)).toContainText('File ready'),
    expect(page.getByText('Callback received: a file is ready').first()).toBeVisible(),
    (async () => {
      await expect(page.getByRole('button', { name: /Mark this second/ })).toBeVisible()
      await page.locator('h1').click()
      await page.keyboard.press('b')
      await expect(page.getByRole('region', { name: 'This broadcast' })).toContainText('Marked')
    })(),
  ])
  await encoder.exited
  encoder = undefined
  await expect(page.getByRole('banner')).toContainText(/Armed/i)

  await rail(page, 'Recordings').click()
  const rows = page.getByRole('row').filter({ hasText: /Kept_\d{8}-\d{6}_/ })
  await expect(rows).toHaveCount(2)
  await expect(rows.filter({ hasText: 'Delivered' })).toHaveCount(2)
  // Parts of a broadcast stand in order; the second slice begins where the first one ended, so nobody pushed anew.
  await expect(page.getByRole('button', { name: 'Kept_show', exact: true })).toHaveAttribute('aria-expanded', 'true')
  const [first, second] = (await rows.allInnerTexts()).map(timesOf)
  expect(Math.abs((second?.begin ?? NaN) - (first?.end ?? NaN))).toBeLessThanOrEqual(1_000)
  await expect(page.getByRole('region', { name: 'Time line' }).getByRole('button', { name: /^Marker/ })).toHaveCount(1)
  const mark = page.getByRole('region', { name: 'Time line' }).getByRole('button', { name: /^Marker/ })
  await mark.click()
  await page.getByRole('dialog').getByLabel('Name').fill('Kick-off')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(mark).toHaveAccessibleName(/Kick-off$/)
  // What was typed is not lost on the way to the picture.
  await mark.click()
  await page.getByRole('dialog').getByLabel('Name').fill('Second half')
  await page.getByRole('dialog').getByRole('button', { name: 'Play from here' }).click()
  await expect(page.getByRole('dialog').locator('video')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect(mark).toHaveAccessibleName(/Second half$/)
  await mark.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(mark).toHaveCount(0)
  const lengths = [await playAndSeek(page, rows.nth(0)), await playAndSeek(page, rows.nth(1))]
  expect(lengths[0]).toBeGreaterThanOrEqual(sliceSeconds - 0.1)
  expect(lengths[1]).toBeGreaterThan(1)
  const sum = lengths.reduce((all, each) => all + each, 0)

  for (const index of [1, 0]) await rows.nth(index).getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Merge…' }).click()
  const tray = page.getByRole('complementary', { name: 'Merge' })
  // In the smallest window the tray leaves room for the names.
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 1120, height: 700 })
  await expect(tray).toBeVisible()
  for (const name of await rows.locator('[data-name]').all())
    expect((await name.boundingBox())!.width).toBeGreaterThan(150)
  await page.setViewportSize(before)
  await expect(tray).toContainText('The file in place 2 is older than the one in place 1.')
  await tray.getByRole('list', { name: 'Files in their order' }).getByRole('listitem').nth(1).press('Alt+ArrowUp')
  await expect(tray).not.toContainText('is older')
  await expectAccessible(page)
  await tray.getByLabel('Output name').fill('both parts')
  await expect(tray).toContainText('The name has a space')
  await tray.getByLabel('Output name').fill('Both_parts')
  await tray.getByRole('button', { name: 'Merge 2 files' }).click()
  const result = page.getByRole('row').filter({ hasText: 'Both_parts' })
  await expect(result).toContainText('Delivered')
  await expect(tray).toContainText('Merged')
  expect(Math.abs((await playAndSeek(page, result)) - sum)).toBeLessThan(0.2)

  mkdirSync('out/test/downloads', { recursive: true })
  const coming = page.waitForEvent('download')
  await result.getByRole('button', { name: /^Actions/ }).click()
  await page.getByRole('menuitem', { name: 'Download' }).click()
  const file = await coming
  expect(file.suggestedFilename()).toBe('Both_parts.mp4')
  await file.saveAs('out/test/downloads/both.mp4')
  expect(statSync('out/test/downloads/both.mp4').size).toBeGreaterThan(500_000)
  const probed = Number(
    execFileSync('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'format=duration',
      '-of',
      'csv=p=0',
      'out/test/downloads/both.mp4',
    ]),
  )
  expect(Math.abs(probed - sum)).toBeLessThan(0.2)

  await page.getByRole('button', { name: 'Delivery log' }).click()
  await expect(page.getByRole('dialog').getByText('Delivered', { exact: true })).toHaveCount(3)
  await expect(page.getByRole('dialog').getByText('Accepted', { exact: true })).toHaveCount(3)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Resend/ })
    .first()
    .click()
  await expect(page.getByRole('dialog').getByText('Duplicate, dropped', { exact: true })).toHaveCount(1)
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

test('a slice in FLV plays in the app, can be chosen, and is not merged', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Old_format')
  await askForRecording(page, { format: 'FLV', filename: 'Flat' })
  encoder = startEncoder(await copyPushUrl(page), { gopSeconds: 1, seconds: 0.75 * sliceSeconds })
  await expect(recordingCard(page).getByText(/^Rec$/i)).toBeVisible()
  await expect(recordingCard(page)).toContainText('File ready')
  await rail(page, 'Recordings').click()
  const row = page.getByRole('row').filter({ hasText: /Flat_/ })
  await expect(row).toHaveCount(1)
  await row.getByRole('checkbox').click()
  await expect(page.getByRole('button', { name: 'Merge…' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Escape')
  await expect(row.getByRole('checkbox')).not.toBeChecked()
  expect(await playAndSeek(page, row)).toBeGreaterThan(3)
})
