import { expect, type Locator, type Page } from 'playwright/test'
import { mediaTime } from './page.ts'

/** The Studio's recording card. */
export const recordingCard = (page: Page): Locator => page.getByRole('region', { name: 'Recording', exact: true })

/** How long the card says that it has been recording, in seconds; 0 when it says nothing. */
export async function recordedSeconds(page: Page): Promise<number> {
  const [, hour = '0', minute = '0', second = '0'] =
    /(\d+):(\d\d):(\d\d)/.exec(await recordingCard(page).innerText()) ?? []
  return Number(hour) * 3600 + Number(minute) * 60 + Number(second)
}

/** Asks in the Studio that is open that pushes are recorded so. */
export async function askForRecording(
  page: Page,
  choice: { format: 'MP4' | 'FLV'; minutes?: number; filename: string },
): Promise<void> {
  const card = recordingCard(page)
  await expect(card).toContainText('Pushes are not recorded.')
  await card.getByRole('button', { name: 'Recording settings…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: choice.format }).click()
  if (choice.minutes !== undefined) await dialog.getByLabel('Slice length in minutes').fill(String(choice.minutes))
  await dialog.getByLabel('Name of the files').fill(choice.filename)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toHaveCount(0)
  await card.getByRole('switch').click()
  await expect(card).toContainText('The next push is recorded.')
  await expect(page.getByRole('banner')).toContainText(/Armed/i)
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

/** Plays a file of the table, seeks in it to within 100 ms, and closes it again; gives its length in seconds. */
export async function playAndSeek(page: Page, row: Locator): Promise<number> {
  await row.getByRole('button', { name: /^Play/ }).click()
  const dialog = page.getByRole('dialog')
  await expect.poll(() => mediaTime(page)).toBeGreaterThan(0.5)
  const length = await page.evaluate(() => document.querySelector('video')?.duration ?? 0)
  for (const part of [0.8, 0.25]) expect(Math.abs((await seek(page, length * part)) - length * part)).toBeLessThan(0.1)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toHaveCount(0)
  return length
}
