import { expect, type Page } from 'playwright/test'
import { clockBits } from '../service/testing/burnt-clock.ts'
import type { RunningApp } from './app.ts'
import { type ClipboardReader, pageClipboard } from './clipboard.ts'
import { allowance } from './pace.ts'
import { axeViolations } from '../renderer/testing/axe-violations.ts'

/** Opens the app's page with its one-time address, in English unless told otherwise, and fails the test on a policy violation. */
export async function openPage(page: Page, app: RunningApp): Promise<void> {
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) throw new Error(message.text())
  })
  await page.goto(await app.link())
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  // The first screen is there.
  await expect(page).toHaveURL(/#\/\w/)
  expect(page.url()).not.toContain('token')
}

/**
 * Creates a channel where the list stands and returns its id, read from the Studio's address. It has what is named:
 * recording of every push, chat for viewers.
 */
export async function createChannel(
  page: Page,
  name: string,
  { record = false, chat = false }: { readonly record?: boolean; readonly chat?: boolean } = {},
): Promise<string> {
  await page.getByRole('navigation').getByRole('link', { name: 'Channels' }).click()
  const first = page.getByRole('heading', { name: 'No channels yet' })
  const list = page.getByRole('region', { name: 'Channels' })
  await expect(first.or(list).first()).toBeVisible()
  const dialog = page.getByRole('dialog')
  const choose = async (): Promise<void> => {
    await page.getByRole('switch', { name: 'Record every push' }).setChecked(record)
    await page.getByRole('switch', { name: 'Chat for viewers' }).setChecked(chat)
  }
  if (await first.isVisible()) {
    await choose()
    await page.getByLabel('Name', { exact: false }).first().fill(name)
    await page.getByRole('button', { name: 'Create channel' }).first().click()
  } else {
    await page.getByRole('button', { name: 'Create channel' }).first().click()
    await choose()
    await dialog.getByLabel('Name', { exact: false }).fill(name)
    await dialog.getByRole('button', { name: 'Create channel' }).click()
  }
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL(/#\/studio\/[0-9a-f]{32}$/)
  return page.url().slice(-32)
}

/** Has the pushes of the channel whose Studio is open end with their encoder; channels that the app makes hold the picture for 2 min. */
export async function endWithEncoder(page: Page): Promise<void> {
  const card = page.locator('[data-figure="hold"]')
  await card.getByRole('button', { name: 'Hold and delay settings' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Hold the picture when the encoder is lost').selectOption('0')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toHaveCount(0)
}

/** Has the lines of the Studio open while a channel is on air, as somebody left them; before the page is opened. */
export async function keepLinesOpen(page: Page): Promise<void> {
  await page.addInitScript(() => {
    for (const part of ['encoder', 'check']) localStorage.setItem(`sidestage.studio-open.${part}`, '1')
  })
}

/** Copies the whole push URL in the Studio that is open and reads it back from the clipboard. */
export async function copyPushUrl(page: Page, clipboard: ClipboardReader = pageClipboard(page)): Promise<string> {
  // The clipboard outlives a page: an address of an earlier test must not be taken for this one.
  await clipboard.clear()
  const copy = page.getByRole('button', { name: 'Copy push URL' })
  // On air it is behind a line.
  const line = page.getByRole('region', { name: 'Encoder and chat' }).getByRole('button', { expanded: false })
  await expect(copy.or(line).first()).toBeVisible()
  if (await line.isVisible()) await line.click()
  await copy.click()
  let copied = ''
  await expect.poll(async () => (copied = await clipboard.read())).toMatch(/^rtmp:\/\/.+wsSecret=/)
  return copied
}

/** Adds a target of its own server in the Studio that is open. */
export async function addTarget(page: Page, server: string, key: string): Promise<void> {
  await page.getByRole('button', { name: 'Also send to Twitch, YouTube…' }).click()
  const form = page.getByRole('dialog', { name: 'Add a target' })
  await form.getByRole('button', { name: 'Other', exact: true }).click()
  await form.getByLabel('Name').fill('Campus')
  await form.getByLabel('Server').fill(server)
  await form.getByLabel('Stream key', { exact: true }).fill(key)
  await form.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(form).toHaveCount(0)
}

/** The clock burnt into the picture that is shown, in ms since its origin, with the time of this computer and the media time in s at which it was read; undefined without a picture. */
export async function pictureClock(
  page: Page,
): Promise<{ readonly clock: number; readonly seen: number; readonly media: number } | undefined> {
  return page.evaluate(({ width, height, count }) => {
    const video = document.querySelector('video')
    if (!video || video.videoWidth === 0 || video.readyState < 2 || video.seeking) return undefined
    const canvas = document.createElement('canvas')
    canvas.width = video.videoWidth
    canvas.height = height
    const context = canvas.getContext('2d', { willReadFrequently: true })
    if (!context) return undefined
    context.drawImage(video, 0, 0)
    const [seen, media] = [Date.now(), video.currentTime]
    let hundredths = 0
    for (let bit = 0; bit < count; bit++) {
      const [level = 0] = context.getImageData(bit * width + width / 2, height / 2, 1, 1).data
      if (level > 127) hundredths |= 1 << bit
    }
    return { clock: hundredths * 10, seen, media }
  }, clockBits)
}

/** How far the preview's picture is behind the encoder, in ms, read from the clock burnt into its pixels; undefined without a picture. */
export async function pictureAge(page: Page, origin: number): Promise<number | undefined> {
  const read = await pictureClock(page)
  return read && read.seen - origin - read.clock
}

/** How long a picture may stay too old before the machine is asked how slow it is, in ms. */
const freshPatience = 20_000

/** Waits for a picture in the preview that is at most so old, in ms; how slow the machine is counts for it. */
export async function expectFresh(page: Page, origin: number, promised: number): Promise<void> {
  let allowed = promised
  let asked = performance.now()
  const look = async (): Promise<string> => {
    const age = await pictureAge(page, origin)
    if (age !== undefined && age <= allowed) return 'fresh'
    if (performance.now() - asked > freshPatience) {
      allowed = promised * allowance()
      asked = performance.now()
    }
    return age === undefined ? 'no picture' : `${age} ms old, at most ${Math.round(allowed)} allowed`
  }
  await expect.poll(look, { timeout: 90_000 }).toBe('fresh')
}

/** The preview's own media time in seconds. */
export const mediaTime = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelector('video')?.currentTime ?? 0)

/** Fails on any violation of WCAG 2 A or AA on the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await axeViolations(page)).toEqual([])
}
