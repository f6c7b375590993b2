import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, expectAccessible, openPage } from '../page.ts'

const title = 'Requests until one, with Ana'
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

test('the title for viewers is on the watch page while its broadcast is on air, and the next has none', async ({
  page,
}) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Night_Radio')
  const url = await copyPushUrl(page)
  const field = page.getByRole('textbox', { name: 'Title for viewers' })
  await field.fill(title)
  await expectAccessible(page)
  await field.press('Tab')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()

  const viewer = await page.context().newPage()
  await viewer.goto(`${app.ready.service.mediaUrl}/watch/${cid}`)
  await expect(viewer.getByRole('heading', { level: 1, name: 'Night_Radio' })).toBeVisible()
  await expect(viewer.getByText(title)).toHaveCount(0)
  encoder = startEncoder(url, { gopSeconds: 1 })
  await expect(viewer.getByRole('heading', { level: 2, name: title })).toBeVisible()
  await expect(page.locator(`[data-of="${cid}"]`).first()).toHaveAttribute('data-state', /live|recording/)
  await expect(field).toHaveCount(0)
  // Named otherwise on air.
  const studio = page.url()
  await page.goto(studio.replace(/#.*$/, '#/broadcasts/last'))
  await expect(page.getByRole('heading', { level: 1 })).toContainText(title)
  await page.getByRole('button', { name: 'More about this broadcast' }).click()
  await page.getByRole('menuitem', { name: 'Rename…' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Covers')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(viewer.getByRole('heading', { level: 2, name: 'Covers' })).toBeVisible()
  await expectAccessible(viewer)

  await encoder.stop()
  await expect(viewer.getByRole('heading', { level: 2, name: 'Covers' })).toHaveCount(0)
  await page.goto(studio.replace(/#.*$/, `#/studio/${cid}`))
  await expect(field).toHaveValue('')
  await viewer.close()
})
