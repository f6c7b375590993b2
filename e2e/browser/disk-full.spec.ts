import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { inEveryLook } from '../looks.ts'
import { copyPushUrl, createChannel, mediaTime, openPage, pictureAge } from '../page.ts'
import { askForRecording, playAndSeek, recordedSeconds, recordingCard } from '../recording.ts'
import { prepareSmallDisk, type SmallDisk } from '../small-disk.ts'

let disk: SmallDisk | undefined
let app: RunningApp | undefined
let encoder: Encoder | undefined
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
test.afterAll(async () => {
  await encoder?.stop('SIGKILL')
  await app?.stop()
  disk?.remove()
})

/** Long enough that a slice is kept, with room for what the card shows before it is so; s. */
const enough = 4
const log = (page: Page) => page.getByRole('region', { name: 'This broadcast' }).getByRole('listitem')

async function recordsFor(page: Page, seconds: number): Promise<void> {
  await expect(recordingCard(page).getByText(/^Rec$/i)).toBeVisible()
  await expect(page.getByRole('banner')).toContainText(/Rec/i)
  await expect.poll(() => recordedSeconds(page)).toBeGreaterThanOrEqual(seconds)
}

/** The picture moves, and shows what was pushed after a moment. */
async function playsSince(page: Page, origin: number, moment: number): Promise<void> {
  const shown = await mediaTime(page)
  await expect.poll(() => mediaTime(page)).toBeGreaterThan(shown + 1)
  await expect.poll(async () => Date.now() - ((await pictureAge(page, origin)) ?? Infinity)).toBeGreaterThan(moment)
}

test('a full disk stops recording and says so, the push and its picture go on, and recording resumes when there is room', async ({
  page,
}) => {
  disk = prepareSmallDisk()
  console.log(`the disk of the recordings: ${disk.kind}`)
  app = await startApp({ dataDir: disk.dataDir, switches: ['--recording-reserve', String(disk.reserve)] })
  await openPage(page, app)
  await createChannel(page, 'Small_disk')
  await askForRecording(page, { format: 'MP4', filename: 'Tight' })
  encoder = startEncoder(await copyPushUrl(page), { gopSeconds: 1 })
  await recordsFor(page, enough)

  disk.fill()
  const card = recordingCard(page)
  await expect(card.getByRole('alert')).toContainText('Recording is stopped. The disk is nearly full.')
  await expect(card.getByRole('alert')).toContainText(
    /The push goes on\. Recording always leaves [\d.]+ [MG]B free: it resumes by itself when [\d.]+ MB more are free\./,
  )
  await expect(log(page).filter({ hasText: 'Recording stopped · The disk is nearly full.' })).toHaveCount(1)
  // On every screen, and in the check, which a file that was ready before does not tick.
  await expect(page.locator('[data-figure="unrecorded"]')).toHaveText('1 not recorded: stopped')
  await expect(page.locator('[data-figure="check"][data-state="fault"]')).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('banner')).toContainText(/On air/i)
  await expect(page.getByRole('banner')).not.toContainText(/Rec/i)
  const stopped = Date.now()
  const { origin } = encoder
  await inEveryLook(page, 'studio-disk-full', async (language) => {
    await expect(card.or(page.getByRole('region', { name: '录制', exact: true })).getByRole('alert')).toContainText(
      language === 'en' ? 'nearly full' : '磁盘',
    )
    await playsSince(page, origin, stopped)
  })

  disk.empty()
  const emptied = Date.now()
  await expect(card.getByRole('alert')).toHaveCount(0)
  await recordsFor(page, enough)
  await expect(log(page).filter({ hasText: 'Recording started' })).toHaveCount(2)
  await expect(card).toContainText('File ready')
  await playsSince(page, origin, emptied)
  await encoder.stop()
  encoder = undefined

  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Recordings' }).click()
  const rows = page.getByRole('row').filter({ hasText: /Tight_/ })
  await expect(rows).toHaveCount(2)
  for (const row of await rows.all()) expect(await playAndSeek(page, row)).toBeGreaterThan(1)
})
