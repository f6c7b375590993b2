import { expect, test, type Locator, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { inEveryLook } from '../looks.ts'
import { copyPushUrl, createChannel, endWithEncoder, openPage } from '../page.ts'

/** The meter beside the Studio's picture, of real encoders whose sound is known. */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let app: RunningApp
let encoder: Encoder | undefined
test.beforeAll(async () => {
  app = await startApp()
})
test.afterEach(async () => {
  await encoder?.stop('SIGKILL')
  encoder = undefined
})
test.afterAll(() => app?.dispose())

/** A stereo tone of 1 kHz, in dB of full scale. */
const tone = (left: number, right: number): string =>
  `aevalsrc='${[left, right].map((level) => `${10 ** (level / 20)}*sin(2000*PI*t)`).join('|')}':s=48000:c=stereo`
const meterOf = (page: Page): Locator => page.getByRole('meter', { name: 'Sound' })
const figure = (page: Page, name: string): Locator => page.locator(`[data-figure="${name}"]`)
/** The figure in a text such as "−17.2 dB". */
const decibels = async (shown: Locator): Promise<number> =>
  Number(/−?\d+\.\d/.exec((await shown.textContent()) ?? '')?.[0].replace('−', '-') ?? Number.NaN)
const expectLevel = async (shown: Locator, level: number, by = 1): Promise<void> => {
  await expect.poll(async () => Math.abs((await decibels(shown)) - level)).toBeLessThanOrEqual(by)
}
const isMuted = (page: Page): Promise<boolean> => page.evaluate(() => document.querySelector('video')!.muted)
/** Segments of each bar with another colour than the topmost, by the pixels of the meter. */
const lit = (page: Page): Promise<number[]> =>
  meterOf(page)
    .locator('canvas')
    .evaluate((element: HTMLCanvasElement) => {
      const { width, height } = element
      const pixels = element.getContext('2d')!.getImageData(0, 0, width, height).data
      const at = (x: number, y: number): string => pixels.slice((y * width + x) * 4, (y * width + x) * 4 + 3).join()
      const middle = (segment: number): number => Math.round(height - ((segment + 0.4) * height) / 60)
      return [8, 23].map((x) => {
        const dark = at(x, middle(59))
        return Array.from({ length: 60 }, (_, segment) => at(x, middle(segment))).filter((each) => each !== dark).length
      })
    })

test('a muted preview shows the level of its sound by FLV and by HLS, and says when it is paused', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Tone')
  await endWithEncoder(page)
  await expect(meterOf(page)).toHaveText('–')
  encoder = startEncoder(await copyPushUrl(page), { sound: tone(-20, -26) })
  await expectLevel(figure(page, 'sound'), -20)
  expect(await isMuted(page)).toBe(true)
  await expectLevel(figure(page, 'soundPeak'), -20)
  // EBU Tech 3341: the powers of both channels, of which a sine of −23 dB in each has −23 LUFS.
  await expectLevel(figure(page, 'loudness'), -22.04)
  await expect(meterOf(page)).toHaveAttribute('aria-valuetext', /^−\d+\.\d dB, Peak −\d+\.\d dB, held 2 s, loudness −/)
  const [left = 0, right = 0] = await lit(page)
  // The line of the peak is one more.
  expect(Math.abs(left - 41)).toBeLessThanOrEqual(2)
  expect(Math.abs(right - 35)).toBeLessThanOrEqual(2)
  const picture = await page.locator('.picture').boundingBox()
  await page.getByRole('button', { name: 'Unmute' }).click()
  expect(await isMuted(page)).toBe(false)
  await expectLevel(figure(page, 'sound'), -20)
  await page.getByText('HLS, compatible').click()
  await expect(meterOf(page)).toHaveText('–')
  await expectLevel(figure(page, 'sound'), -20)
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(meterOf(page)).toHaveText('Paused')
  expect(await lit(page)).toEqual([0, 0])
  // Nothing moves with it.
  expect(await page.locator('.picture').boundingBox()).toEqual(picture)
  await page.getByRole('button', { name: 'Play' }).click()
  await expectLevel(figure(page, 'sound'), -20)
  await inEveryLook(page, 'studio-sound', (language) =>
    expect(figure(page, 'loudness')).toContainText(language === 'en' ? 'loudness' : '响度'),
  )
})

test('silence, clipping and a push without sound are told in words', async ({ page }) => {
  await openPage(page, app)
  await createChannel(page, 'Words')
  await endWithEncoder(page)
  const push = await copyPushUrl(page)
  for (const [sound, word] of [
    ['anullsrc=r=44100:cl=mono', 'Silence'],
    // Twice as loud as full scale, where it is cut.
    ['aevalsrc=clip(2*sin(2000*PI*t)\\,-1\\,1):s=48000', 'Clipping'],
    [null, 'No sound'],
  ] as const) {
    encoder = startEncoder(push, { sound })
    await expect(meterOf(page)).toHaveText(word)
    await expect(meterOf(page)).toHaveAttribute('aria-valuetext', new RegExp(`^${word}, `))
    await encoder.stop()
    encoder = undefined
    await expect(meterOf(page)).toHaveText('–')
  }
})
