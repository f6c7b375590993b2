import { execFileSync } from 'node:child_process'
import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { copyPushUrl, createChannel, expectAccessible, expectFresh, openPage } from '../page.ts'
import { isInside, openViewer, rename, said, speak } from '../viewer.ts'

/** A push, two viewers in browsers of their own, and a moderator who keeps the room with the keyboard alone. */
test.use({ permissions: ['clipboard-read', 'clipboard-write'], viewport: { width: 1440, height: 900 } })
let app: RunningApp
let encoder: Encoder | undefined
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await app?.dispose()
})

const log = (page: Page) => page.getByRole('log')
const row = (page: Page, text: string) => page.locator('[data-id]', { hasText: text })
/** Moves to a line by the arrow keys, from the newest upwards. */
async function reach(page: Page, text: string): Promise<void> {
  await expect(row(page, text)).toBeVisible()
  // Out of the composer, the card and the line before.
  for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
  await page.keyboard.press('End')
  const focused = page.locator('[data-id].focused')
  await expect(focused).toHaveCount(0)
  await page.keyboard.press('ArrowUp')
  for (let press = 0; press < 40 && !(await focused.textContent())?.includes(text); press++)
    await page.keyboard.press('ArrowUp')
  await expect(focused).toContainText(text)
}
/** Presses Tab until what is wanted has the focus, as somebody without a pointer does. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.keyboard.press('Tab')
        return page.evaluate(
          () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '',
        )
      },
      { intervals: [10] },
    )
    .toMatch(name)
}

test('two viewers watch and chat; a moderator deletes, mutes, blacklists and silences the room by keyboard alone, over a restart of the service', async ({
  page,
  browser,
}) => {
  await openPage(page, app)
  const cid = await createChannel(page, 'Night_Radio')
  const pushUrl = await copyPushUrl(page)
  encoder = startEncoder(pushUrl)
  const dock = page.getByRole('complementary', { name: 'Chat of the channel' })
  await dock.getByRole('button', { name: 'Use another room' }).click()
  await dock.getByRole('button', { name: 'New room…' }).click()
  await page.getByLabel('Host account (accid)').fill('ana')
  await page.getByRole('button', { name: 'Create room' }).click()
  await expect(page.getByText('Enter a name for the room.')).toBeVisible()
  await page.getByLabel('Name', { exact: true }).fill('the night room')
  await page.getByRole('button', { name: 'Create room' }).click()
  await expect(dock.getByRole('log')).toContainText('ana entered')
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Room' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Room', exact: true })).toBeVisible()

  const { mediaUrl } = app.ready.service
  const [rvb, kestrel] = [await openViewer(browser, mediaUrl, cid), await openViewer(browser, mediaUrl, cid)]
  for (const viewer of [rvb, kestrel]) {
    await expectFresh(viewer, encoder.origin, 4000)
    await isInside(viewer)
  }
  await rename(rvb, 'rvb')
  await rename(kestrel, 'kestrel')
  await speak(rvb, 'is the sound a bit late?')
  await speak(kestrel, 'buy cheap cameras here')
  await expect(said(rvb)).toContainText('kestrel buy cheap cameras here')
  await expect(log(page)).toContainText('rvb is the sound a bit late?')

  // A line is deleted: viewers lose it, the moderator still reads it.
  await reach(page, 'buy cheap cameras here')
  await page.keyboard.press('d')
  await expect(said(rvb)).not.toContainText('buy cheap')
  await expect(said(kestrel)).not.toContainText('buy cheap')
  await expect(row(page, 'buy cheap cameras here')).toContainText(/Removed/)

  // A mute of ten minutes, and what lifts it.
  await reach(page, 'is the sound a bit late?')
  await page.keyboard.press('2')
  await expect(rvb.getByText(/You are muted for \d+ (s|min|h|d)\b/)).toBeVisible()
  await page.keyboard.press('u')
  await tabTo(page, /Lift the timed mute/)
  await page.keyboard.press('Enter')
  await expect(rvb.getByText(/You are muted/)).toBeHidden()
  await speak(rvb, 'thank you')
  // What was done to the line let the log go on.
  await expect(log(page)).toContainText('rvb thank you')

  // The whole room falls silent, also while somebody types.
  await page.keyboard.press('c')
  await page.keyboard.type('One moment')
  await page.keyboard.press('F9')
  for (const viewer of [rvb, kestrel])
    await expect(viewer.getByText('Only host and moderators can speak now.')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(said(kestrel)).toContainText('One moment')
  await expectAccessible(page)
  await page.screenshot({ path: 'out/screenshots/app/room-silent.png' })
  await page.keyboard.press('Shift+F9')
  for (const viewer of [rvb, kestrel])
    await expect(viewer.getByText('Only host and moderators can speak now.')).toBeHidden()

  // The service is killed in the middle: everybody comes back by themselves, and a mute still holds.
  await reach(page, 'thank you')
  await page.keyboard.press('3')
  await expect(rvb.getByText(/You are muted for \d+ (s|min|h|d)\b/)).toBeVisible()
  const [service] = execFileSync('pgrep', ['-P', String(app.process.pid), '-f', 'out/main/service.js'])
    .toString()
    .trim()
    .split('\n')
  process.kill(Number(service), 'SIGKILL')
  await expect(page.getByText(/service is restarting/i).first()).toBeVisible()
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  await encoder.stop('SIGKILL')
  encoder = startEncoder(pushUrl)
  await speak(kestrel, 'and we are back')
  await expect(log(page)).toContainText('and we are back')
  await expect(log(page)).toContainText('thank you')
  await expect(rvb.getByText(/You are muted for \d+ (s|min|h|d)\b/)).toBeVisible()

  // Blacklisted: asked once, put out at once.
  await reach(page, 'and we are back')
  await page.keyboard.press('x')
  await expect(page.getByRole('dialog')).toContainText('Blacklist')
  await tabTo(page, /^Blacklist$/)
  await page.keyboard.press('Enter')
  await expect(kestrel.getByText('You were removed from this chat.')).toBeVisible()
  await rvb.context().close()
  await kestrel.context().close()
})
