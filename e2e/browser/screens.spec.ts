import { expect, test } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { inEveryLook } from '../looks.ts'
import { copyPushUrl, createChannel, openPage, pictureAge } from '../page.ts'

/** Every screen, empty, full and live, in both themes and both languages: a picture of each in out/screenshots/app, and axe on each. */
test.describe.configure({ mode: 'serial' })
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let app: RunningApp
let encoder: Encoder | undefined
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await app?.dispose()
})

test('first run and settings', async ({ page }) => {
  await openPage(page, app)
  await inEveryLook(page, 'first-run', () =>
    expect(page.getByRole('button', { name: /Create channel|新建频道/ }).first()).toBeVisible(),
  )
  await page.goto(page.url().replace(/#.*/, '#/settings/profiles'))
  await inEveryLook(page, 'settings-profiles', () => expect(page.getByRole('listitem').first()).toBeVisible())
  await page.goto(page.url().replace(/#.*/, '#/settings/appearance'))
  await inEveryLook(page, 'settings-appearance', () => expect(page.getByRole('radio').first()).toBeVisible())
})

test('channels and Studio, idle and live', async ({ page }) => {
  await openPage(page, app)
  for (const name of ['Kitchen_Cam', '深夜电台', 'Speedrun_Weekly']) await createChannel(page, name)
  await inEveryLook(page, 'studio-idle', () =>
    expect(page.getByRole('heading', { level: 1, name: 'Speedrun_Weekly' })).toBeVisible(),
  )
  encoder = startEncoder(await copyPushUrl(page))
  await expect.poll(() => pictureAge(page, encoder?.origin ?? 0)).toBeDefined()
  await inEveryLook(page, 'studio-live', async () => {
    await expect.poll(() => pictureAge(page, encoder?.origin ?? 0)).toBeDefined()
  })
  await page.goto(page.url().replace(/#.*/, '#/channels'))
  await inEveryLook(page, 'channels', () => expect(page.getByRole('row').filter({ hasText: '深夜电台' })).toBeVisible())
})
