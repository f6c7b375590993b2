import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { freePort } from '../obs/obs-program.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, expectAccessible, openPage } from '../page.ts'

/** Small things of the Studio that say what is so: the whole key, what was copied, a switch that is off, a connection that was given up. */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let app: RunningApp
let encoder: Encoder | undefined
test.beforeAll(async () => {
  app = await startApp()
  const companion = await openCompanion(app)
  await companion.rpc.channels.create({ profileId: 'local', name: 'Evening' })
  companion.close()
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await app?.dispose()
})

const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
const run = async (page: Page, words: string, name: RegExp): Promise<void> => {
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog')
  await palette.getByRole('textbox').or(palette.getByRole('combobox')).first().fill(words)
  await palette.getByRole('option', { name }).first().click()
}

test('a revealed key is seen to its end, a masked one tells itself from the next, and copying is confirmed where it was asked for', async ({
  page,
}) => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Studio' }).click()
  const push = page.getByRole('region', { name: 'Push to this channel' })
  await push.getByRole('button', { name: 'Copy key without showing it' }).click()
  await expect(push.getByRole('status')).toContainText('Key copied')
  const key = await clipboard(page)
  const masked = push.getByRole('img', { name: 'Key, hidden' })
  await expect(masked).toHaveText(new RegExp(`^${key.slice(0, 4)}•+${key.slice(-4)}$`))
  // The mark of what was done stands on the button that was pressed.
  await expect(push.getByRole('button', { name: 'Copy key without showing it' }).locator('svg.text-ok')).toBeVisible()
  await push.getByRole('button', { name: 'Show the key for 8 s' }).click()
  const whole = push.getByText(key, { exact: true })
  await expect(whole).toBeVisible()
  expect(
    await whole.evaluate(
      (element) => element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight + 1,
    ),
  ).toBe(true)
})

test('the palette finds what people look for: copy key, go-live, theme', async ({ page }) => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Studio' }).click()
  await expect(
    page.getByRole('region', { name: 'Push to this channel' }).getByRole('img', { name: 'Key, hidden' }),
  ).toBeVisible()
  await page.evaluate(() => navigator.clipboard.writeText('before'))
  await run(page, 'copy key', /Copy stream key/)
  await expect.poll(() => clipboard(page)).toMatch(/^[0-9a-f]{32}\?wsSecret=/)
  await expect(page.getByText('Stream key copied').first()).toBeVisible()
  const before = page.getByRole('button', { name: 'Who can watch' })
  await before.focus()
  await run(page, 'go-live', /Go-live check/)
  const check = page.getByRole('dialog', { name: 'Go-live check' })
  await expect(check).toBeVisible()
  await check.getByRole('button', { name: 'Close' }).last().click()
  await expect(check).toHaveCount(0)
  await expect(before).toBeFocused()
  const dark = (): Promise<boolean> => page.evaluate(() => document.documentElement.classList.contains('dark'))
  const wasDark = await dark()
  await run(page, 'theme', /dark and light/)
  await expect.poll(dark).toBe(!wasDark)
})

test('a switch that is off is seen: 3:1 and more against what is under it, in both themes', async ({ page }) => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Studio' }).click()
  const off = page.getByRole('switch').and(page.locator('[data-state="unchecked"]')).first()
  await expect(off).toBeVisible()
  for (const theme of ['dark', 'light']) {
    await page.evaluate((name) => {
      document.documentElement.classList.toggle('dark', name === 'dark')
      document.documentElement.classList.toggle('light', name === 'light')
    }, theme)
    const contrast = await off.evaluate((element) => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!
      const luminance = (colour: string): number => {
        canvas.clearRect(0, 0, 1, 1)
        canvas.fillStyle = colour
        canvas.fillRect(0, 0, 1, 1)
        const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) =>
          value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
        )
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      // A change of colour takes its time.
      for (const animation of element.getAnimations()) animation.finish()
      let under = element.parentElement
      while (under && /rgba\(0, 0, 0, 0\)|transparent/.test(getComputedStyle(under).backgroundColor))
        under = under.parentElement
      const [one, other] = [
        getComputedStyle(element).backgroundColor,
        getComputedStyle(under ?? document.body).backgroundColor,
      ]
        .map(luminance)
        .sort((a, b) => b - a)
      return ((one ?? 0) + 0.05) / ((other ?? 0) + 0.05)
    })
    expect(contrast, theme).toBeGreaterThanOrEqual(3)
  }
})

test('a connection with OBS that was tried in vain is given up with the form', async ({ page }) => {
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Studio' }).click()
  const card = page.getByRole('region', { name: 'OBS', exact: true })
  await card.getByRole('button', { name: 'Connect OBS…' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Port').fill(String(await freePort()))
  await form.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(form.getByRole('alert')).toContainText('Nothing answers')
  await expect(form.getByRole('button', { name: 'Stop trying' })).toBeVisible()
  await expect(form.getByRole('button', { name: 'Disconnect' })).toHaveCount(0)
  // The form says it, and the card behind it: each in two sentences with a space between.
  await expect(page.getByText(/^Nothing answers at 127\.0\.0\.1:\d+\. Start OBS/)).toHaveCount(2)
  await form.getByRole('button', { name: 'Cancel' }).click()
  await expect(form).toHaveCount(0)
  await expect(card.getByRole('button', { name: 'Connect OBS…' })).toBeVisible()
})

test('the chat of a channel without a room says so each time that it is shown, whatever was shown before', async ({
  page,
}) => {
  const companion = await openCompanion(app)
  const cids = []
  for (const name of ['Roomless_one', 'Roomless_two'])
    cids.push((await companion.rpc.channels.create({ profileId: 'local', name })).cid)
  companion.close()
  await openPage(page, app)
  for (const cid of [...cids, ...cids]) {
    await page.evaluate((to) => void (location.hash = `#/studio/${to}`), cid)
    await page.getByRole('heading', { level: 1, name: cid === cids[0] ? 'Roomless_one' : 'Roomless_two' }).waitFor()
    // Before a broadcast the chat is folded, until it is opened once.
    const chat = page.getByRole('button', { name: 'Chat', exact: true })
    if ((await chat.getAttribute('aria-expanded')) === 'false') await chat.click()
    await expect(page.getByRole('button', { name: 'Turn on chat' })).toBeVisible()
  }
})

test('in a low window all of a broadcast is in view, and the log opens from its line', async ({ page }) => {
  await page.setViewportSize({ width: 1120, height: 700 })
  await openPage(page, app)
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Studio' }).click()
  encoder = startEncoder(await copyPushUrl(page))
  await expect(page.locator('[data-health]').first()).toHaveAttribute('data-health', 'good')
  await expectAccessible(page)
  const log = page.getByRole('region', { name: 'This broadcast' })
  for (const size of [
    { width: 1440, height: 900 },
    { width: 1280, height: 800 },
    { width: 1120, height: 700 },
  ]) {
    await page.setViewportSize(size)
    for (const part of ['hold', 'targets', 'goLive', 'log'])
      await expect(page.locator(`[data-part="${part}"]`)).toBeInViewport({ ratio: 1 })
    await expect
      .poll(() => page.locator('.body').evaluate((body) => body.scrollHeight - body.clientHeight))
      .toBeLessThanOrEqual(1)
  }
  const started = log.getByText('Push started')
  await expect(started).toBeHidden()
  await log.getByRole('button', { name: 'This broadcast' }).click()
  await expect(started).toBeVisible()
  await expectAccessible(page)
  await encoder.stop('SIGKILL')
})
