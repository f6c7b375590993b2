import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, endWithEncoder, expectAccessible, openPage } from '../page.ts'

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

test('a push that ended is a page with its figures, its graph and its file, from the Studio on', async ({ page }) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Night_Radio', { record: true })
  const url = await copyPushUrl(page)
  await endWithEncoder(page)
  encoder = startEncoder(url, { gopSeconds: 1 })
  await expect(page.locator(`[data-of="${cid}"]`).first()).toHaveAttribute('data-state', 'recording')
  const studio = page.url()

  // While it is on air the page says so, and where the picture is.
  await page.goto(studio.replace(/#.*$/, '#/broadcasts/last'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Night_Radio is on air')
  await expect(page.getByRole('listitem').filter({ hasText: 'still being written' })).toBeVisible()
  // A graph is of a minute at least.
  await expect(page.getByRole('region', { name: 'Health of this broadcast' })).toBeVisible({ timeout: 120_000 })
  await page.getByRole('link', { name: 'Open in Studio' }).click()

  await encoder.stop()
  const said = page.getByText('Night_Radio has ended')
  await expect(said).toBeVisible()
  await expect(page.getByRole('region', { name: 'Push to this channel' })).toBeVisible()
  await page.getByRole('link', { name: 'Summary' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Night_Radio has ended')
  await expect(page.getByText(/ended by the encoder, clean$/)).toBeVisible()
  const file = page.getByRole('listitem').filter({ hasText: 'Part 1' })
  await expect(file).toBeVisible()
  await expectAccessible(page)

  await file.focus()
  await page.keyboard.press('Space')
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.5)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'More about this broadcast' }).click()
  await page.getByRole('menuitem', { name: 'Rename…' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Night Radio 214')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Night Radio 214 has ended')

  await page.getByRole('button', { name: 'More about this broadcast' }).click()
  await page.getByRole('menuitem', { name: 'Delete broadcast…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No broadcast yet.')).toBeVisible()
  await page.goto(studio.replace(/#.*$/, `#/studio/${cid}`))
  await expect(said).toHaveCount(0)
})
