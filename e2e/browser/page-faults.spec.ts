import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openPage } from '../page.ts'

/** Faults of the page that nobody expected: the screen stays, and they are said once. */
let app: RunningApp
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await app?.dispose()
})

const logged = (page: Page): string[] => {
  const lines: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') lines.push(message.text())
  })
  page.on('pageerror', (error) => lines.push(error.message))
  return lines
}

test('faults that nobody caught are told in one notice, and the screen stays', async ({ page }) => {
  const lines = logged(page)
  await openPage(page, app)
  const screen = page.getByRole('button', { name: /Create channel|新建频道/ }).first()
  await expect(screen).toBeVisible()
  await page.evaluate(() => {
    // Rejections that nobody hears are what is tried.
    const unheard: Promise<never>[] = []
    for (let n = 0; n < 50; n++) {
      setTimeout(() => {
        throw new Error(`thrown ${n}`)
      })
      setTimeout(() => {
        unheard.push(Promise.reject(new Error(`rejected ${n}`)))
      })
    }
  })
  const notice = page.getByText('Something in this page went wrong.')
  await expect(notice).toHaveCount(1)
  await expect(screen).toBeVisible()
  expect(lines.filter((line) => /thrown 0|rejected 0/.test(line)).length).toBeGreaterThan(1)
  await page.screenshot({ path: 'out/screenshots/app/fault-notice.png' })
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(notice).toHaveCount(0)
})

/** A screen whose setup throws until it is mended. */
const broken = `export default { setup() { if (globalThis.mended) return () => 'shown whole'; throw new Error('broken on purpose') } }`

test('a screen that cannot be shown leaves the frame and the other screens, and is shown again', async ({ page }) => {
  const lines = logged(page)
  await page.route(/\/assets\/recordings-view-[^/]*\.js$/, (route) => route.fulfill({ contentType: 'text/javascript', body: broken }))
  await openPage(page, app)
  await page.goto(page.url().replace(/#.*/, '#/recordings'))
  const sentence = page.getByText('This screen cannot be shown.')
  await expect(sentence).toBeVisible()
  await expect(page.getByRole('navigation').first()).toBeVisible()
  expect(lines.some((line) => line.includes('broken on purpose'))).toBe(true)
  await page.screenshot({ path: 'out/screenshots/app/screen-broken.png' })
  await page.goto(page.url().replace(/#.*/, '#/channels'))
  await expect(page.getByRole('button', { name: /Create channel|新建频道/ }).first()).toBeVisible()
  await page.goto(page.url().replace(/#.*/, '#/recordings'))
  await expect(sentence).toBeVisible()
  await page.evaluate(() => Object.assign(globalThis, { mended: true }))
  await page.getByRole('button', { name: 'Show again' }).click()
  await expect(page.getByText('shown whole')).toBeVisible()
  await expect(sentence).toHaveCount(0)
})
