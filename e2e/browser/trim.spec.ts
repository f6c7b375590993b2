import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, expectAccessible, openPage } from '../page.ts'
import { askForRecording, recordingCard } from '../recording.ts'

/** In ms. */
const frame = 1000 / 30

let app: RunningApp
let encoder: Encoder | undefined
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await app?.dispose()
})

const handle = (page: Page, name: 'In' | 'Out') => page.getByRole('slider', { name, exact: true })
const at = async (page: Page, name: 'In' | 'Out'): Promise<number> =>
  Number(await handle(page, name).getAttribute('aria-valuenow'))

/** Length in ms as ffprobe says it. */
const lengthOf = (file: string): number => {
  const asked = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file]
  return Number(execFileSync('ffprobe', asked)) * 1000
}

test('a clip is cut out of a recording by the keyboard, exactly, and can be played and renamed', async ({ page }) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Trimmed')
  await askForRecording(page, { format: 'MP4', filename: 'Harbour' })
  encoder = startEncoder(await copyPushUrl(page), { gopSeconds: 2, seconds: 12 })
  await expect(recordingCard(page)).toContainText('File ready')
  await encoder.exited
  encoder = undefined

  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Recordings' }).click()
  const row = page.getByRole('row').filter({ hasText: /Harbour_\d{8}-/ })
  await row.getByRole('button', { name: /^Play/ }).focus()
  await page.keyboard.press('e')
  await expect(page.getByRole('heading', { name: 'Make a clip' })).toBeVisible()

  // Film and wave are there: Debian's Chromium has the decoders.
  await expect(page.locator('[data-figure=strip]')).toContainText('Pictures are of key frames')
  await expect.poll(() => page.evaluate(() => document.querySelector('video')?.readyState ?? 0)).toBeGreaterThan(1)

  await handle(page, 'In').focus()
  for (let press = 0; press < 3; press++) await page.keyboard.press('Shift+ArrowRight')
  for (let press = 0; press < 7; press++) await page.keyboard.press('.')
  await expect(handle(page, 'In')).toHaveAttribute('aria-valuetext', /^In, \d\d:\d\d:\d\d$/)
  await expect(page.locator('[data-figure=early]')).toContainText(/begin \d+ ms earlier/)
  // The position goes with the handle: Out is set 4 s after In.
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('heading', { name: 'Make a clip' }).click()
  for (let press = 0; press < 4; press++) await page.keyboard.press('Shift+.')
  await page.keyboard.press('o')
  const length = (await at(page, 'Out')) - (await at(page, 'In'))
  expect(Math.abs(length - 4000)).toBeLessThanOrEqual(frame)
  await expectAccessible(page)

  await page.getByLabel('Name').fill('Lighthouse horn')
  await page.keyboard.press('Control+s')
  await expect(page.getByText('Saved as “Lighthouse horn”')).toBeVisible()
  const [newest] = globSync(`**/${cid}/*.mp4`, { cwd: app.dataDir }).sort(
    (one, other) => Number(/(\d+)\.mp4$/.exec(other)?.[1]) - Number(/(\d+)\.mp4$/.exec(one)?.[1]),
  )
  expect(Math.abs(lengthOf(join(app.dataDir, newest!)) - length)).toBeLessThanOrEqual(frame)

  await page.getByLabel('Name').fill('Horn')
  await page.getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByText('Saved as “Horn”')).toBeVisible()
  await page.getByRole('button', { name: 'Play', exact: true }).last().click()
  await expect(page.getByRole('dialog', { name: 'Horn' }).locator('video')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // Nothing is left to be saved, so nothing is asked.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('row').filter({ hasText: 'Horn' })).toBeVisible()
})
