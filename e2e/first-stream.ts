import { expect, type Page } from 'playwright/test'
import type { ClipboardReader } from './clipboard.ts'
import { startEncoder } from './encoder.ts'
import { copyPushUrl, createChannel, expectFresh, mediaTime } from './page.ts'
import { askForRecording, playAndSeek, recordedSeconds, recordingCard } from './recording.ts'

/**
 * What a person does with a fresh profile, in the app's page that is open, in any shell: creates a channel, copies its push URL, pushes
 * with an encoder, watches, records, and finds the file in the list, where it plays. Gives the push URL.
 */
export async function firstStream(page: Page, clipboard: ClipboardReader, name: string): Promise<string> {
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  await createChannel(page, name)
  await askForRecording(page, { format: 'MP4', filename: name })
  const pushUrl = await copyPushUrl(page, clipboard)
  const encoder = startEncoder(pushUrl, { gopSeconds: 1 })
  try {
    await expectFresh(page, encoder.origin, 3_000)
    const seen = await mediaTime(page)
    await expect.poll(() => mediaTime(page)).toBeGreaterThan(seen + 1)
    await expect(page.getByRole('banner')).toContainText(/Rec/i)
    await expect.poll(() => recordedSeconds(page)).toBeGreaterThan(2)
    // Recording ends while the push goes on.
    await recordingCard(page).getByRole('switch').click()
    await expect(recordingCard(page)).toContainText('File ready')
    await expect(page.getByRole('banner')).toContainText(/On air/i)
  } finally {
    await encoder.stop('SIGKILL')
  }
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Recordings' }).click()
  const row = page.getByRole('row').filter({ hasText: new RegExp(`${name}_\\d{8}-\\d{6}_`) })
  await expect(row).toHaveCount(1)
  expect(await playAndSeek(page, row)).toBeGreaterThan(1)
  return pushUrl
}
