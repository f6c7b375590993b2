import { expect, test, type Locator, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { openCompanion, type CompanionClient } from '../companion-client.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { allowance } from '../pace.ts'
import { expectAccessible, openPage, pictureClock } from '../page.ts'

/** What a line's second may be off the clock in the picture, in ms. */
const allowed = 1000
const profileId = 'local'
let sliceSeconds = 10
let app: RunningApp
let companion: CompanionClient
let encoder: Encoder | undefined
test.beforeAll(async () => {
  sliceSeconds = Math.round(10 * Math.min(3, allowance()))
  app = await startApp({ switches: ['--recording-minute', String((sliceSeconds * 1000) / 5)] })
  companion = await openCompanion(app)
})
test.afterEach(async () => {
  await encoder?.stop('SIGKILL')
  encoder = undefined
})
test.afterAll(async () => {
  companion?.close()
  await app?.dispose()
})

const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }).click()
const rowOf = (page: Page, text: string): Locator =>
  page.getByRole('log').locator('[data-id]').filter({ hasText: text })
const chat = (page: Page): Locator => page.getByRole('dialog').getByRole('region', { name: 'Chat of this minute' })
/** Where the page has sought to last, in s. */
const lastSeek = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as { seeks?: number[] }).seeks?.at(-1) ?? NaN)
/** Focuses a line with the mouse and asks for its second with the key. */
const pressT = async (page: Page, text: string): Promise<void> => {
  await rowOf(page, text).click()
  await page.keyboard.press('t')
}

/** A channel that is recorded, and a room that is linked to it. */
async function stage(name: string, format: 'mp4' | 'flv') {
  const { cid } = await companion.rpc.channels.create({ profileId, name })
  await companion.rpc.recordings.configure({ profileId, cid, needRecord: true, format, duration: 5, filename: name })
  const { roomid } = await companion.rpc.rooms.create({ profileId, accid: 'host', name, announcement: '' })
  await companion.rpc.rooms.link({ profileId, cid, roomid })
  const { text: pushUrl } = await companion.rpc.push.copy({ profileId, cid, part: 'url' })
  const say = async (text: string): Promise<number> => (await companion.rpc.rooms.say({ profileId, roomid, text })).at
  const state = async () => (await companion.rpc.recordings.state({ profileId, cid }))?.state
  const bytes = async () => (await companion.rpc.recordings.state({ profileId, cid }))?.bytes ?? 0
  const files = async () => {
    const now = Date.now()
    return (
      await companion.rpc.recordings.list({ profileId, cids: [cid], beginTime: now - 3_600_000, endTime: now + 60_000 })
    ).files
  }
  return { roomid, pushUrl: pushUrl ?? '', say, state, bytes, files }
}
/** Notes where recordings are sought to, from now on. */
const noteSeeks = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const seeks: number[] = ((globalThis as { seeks?: number[] }).seeks = [])
    // The live picture of the room is kept near its edge by seeking, too.
    document.addEventListener(
      'seeking',
      ({ target }) => {
        if (target instanceof HTMLVideoElement && target.closest('[role="dialog"]')) seeks.push(target.currentTime)
      },
      true,
    )
  })
}
/**
 * A slow computer, from now on: the file of a recording has been read to its end long before the browser has taken it in, and what is read again
 * after a seek comes late.
 */
const playSlowly = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const taking = new WeakSet<SourceBuffer>()
    const { prototype } = SourceBuffer
    const { appendBuffer, addEventListener } = prototype
    const updating = Object.getOwnPropertyDescriptor(prototype, 'updating')?.get
    const isSlow = (): boolean => document.querySelector('[role="dialog"] video') !== null
    prototype.appendBuffer = function (data) {
      if (isSlow()) taking.add(this)
      appendBuffer.call(this, data)
    }
    Object.defineProperty(prototype, 'updating', {
      get(this: SourceBuffer) {
        return taking.has(this) || updating?.call(this)
      },
    })
    prototype.addEventListener = function (this: SourceBuffer, type: string, listener: (event: Event) => void) {
      const later = (event: Event): void => {
        setTimeout(
          () => {
            taking.delete(this)
            listener(event)
          },
          isSlow() ? 200 : 0,
        )
      }
      addEventListener.call(this, type, type === 'updateend' ? later : listener)
    }
  })
  await page.route(
    ({ pathname }) => pathname.endsWith('.flv'),
    async (route) => {
      const { range = '' } = await route.request().allHeaders()
      if (/^bytes=[1-9]/.test(range)) await new Promise((done) => setTimeout(done, 1500))
      await route.continue()
    },
  )
}
/** Frames that an encoder had sent about each second of its run: a gap is its own, not the recording's. */
const framesSent = ({ origin, progress }: Encoder): string =>
  progress()
    .map(({ at, frames }) => `${frames} at ${at - origin} ms`)
    .join(', ')
/** Expects that the clock burnt into the picture that stands is the time of its file's begin and as many s later as it is within the file. */
async function expectClock(page: Page, begin: number, source: Encoder): Promise<void> {
  const { origin } = source
  // What stood before may still be shown for a moment.
  const look = async (): Promise<string> => {
    const read = await pictureClock(page)
    if (!read) return 'no picture'
    const off = origin + read.clock - (begin + read.media * 1000)
    return Math.abs(off) <= allowed
      ? 'right'
      : `${off} ms off: the clock reads ${read.clock} ms at ${read.media} s of a file that began ${begin - origin} ms after it`
  }
  await expect.poll(look, `frames sent: ${framesSent(source)}`).toBe('right')
}

for (const format of ['mp4', 'flv'] as const)
  test(`a line leads to its second of the recording, and that to the lines of its minute: ${format}`, async ({
    page,
  }) => {
    await noteSeeks(page)
    if (format === 'flv') await playSlowly(page)
    await openPage(page, app)
    const { roomid, pushUrl, say, state, bytes, files } = await stage(`Tied${format}`, format)
    const early = await say('before anything was recorded')
    await goTo(page, 'Room')
    await page.getByRole('combobox', { name: 'Choose a room' }).selectOption(String(roomid))
    await expect(rowOf(page, 'before anything')).toHaveCount(1)

    // The lines beside a picture are those of one minute of the clock: a line of its last second is gone from the list before it is read.
    await expect.poll(() => new Date().getSeconds(), { timeout: 40_000, intervals: [500] }).toBeLessThan(35)
    const running = (encoder = startEncoder(pushUrl, { gopSeconds: format === 'flv' ? 4 : 1 }))
    await expect.poll(state).toBe('recording')
    // A second that is not the first of the file, nor on a key frame. On a busy machine sound alone may be sent for a long time, which makes bytes as well.
    await expect.poll(() => running.progress().at(-1)?.frames ?? 0).toBeGreaterThan(75)
    await expect.poll(bytes).toBeGreaterThan(400_000)
    const at = await say('this is the second <b>exactly</b>')
    await pressT(page, 'exactly')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('in the slice that is being recorded')
    await expectAccessible(page)
    if (format === 'mp4') await page.screenshot({ path: 'out/screenshots/app/room-second-running.png' })
    await expect(dialog).toContainText('Keep this open, and it plays by itself when the slice ends')
    // Whoever closes it is not taken anywhere when the slice ends.
    const ended = async (): Promise<number> => (await files()).length
    const known = await ended()
    if (format === 'flv') {
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(dialog).toHaveCount(0)
      await expect.poll(ended).toBeGreaterThan(known)
      await expect(page).toHaveURL(/#\/room$/)
    } else {
      await expect(page).toHaveURL(/#\/recordings$/)
      await expect.poll(() => lastSeek(page)).toBeGreaterThan(0)
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(dialog).toHaveCount(0)
      await page.evaluate(() => (globalThis as { seeks?: number[] }).seeks?.splice(0))
      await goTo(page, 'Room')
    }
    const later = await say('later in the same push')
    const before = await bytes()
    await expect.poll(bytes).toBeGreaterThan(before + 200_000)
    await running.stop()
    encoder = undefined
    await expect.poll(state).not.toBe('recording')
    await expect.poll(async () => (await files()).some(({ end }) => (end ?? 0) > later)).toBe(true)

    await pressT(page, 'exactly')
    await expect(page).toHaveURL(/#\/recordings$/)
    await expect.poll(() => pictureClock(page).then((read) => read?.media ?? 0)).toBeGreaterThan(0)
    await page.evaluate(() => document.querySelector('video')?.pause())
    const file = (await files()).find(({ begin, end }) => (begin ?? 0) <= at && at < (end ?? 0))
    const begin = file?.begin ?? NaN
    await expect(dialog).toContainText(file?.name ?? 'no file')
    expect(
      Math.abs(
        (await page.evaluate(() => (globalThis as { seeks?: number[] }).seeks?.[0] ?? NaN)) - (at - begin) / 1000,
      ),
    ).toBeLessThan(0.1)
    expect((await pictureClock(page))?.media).toBeGreaterThan((at - begin) / 1000 - 0.1)
    await expectClock(page, begin, running)

    const line = chat(page).getByRole('button').filter({ hasText: 'exactly' })
    await expect(line).toContainText('this is the second <b>exactly</b>')
    await expect(chat(page)).toContainText('Playing:')
    // The marker stands after the line that is heard now.
    const order = await chat(page).getByRole('listitem').allInnerTexts()
    expect(order.findIndex((text) => text.includes('Playing'))).toBeGreaterThan(
      order.findIndex((text) => text.includes('exactly')),
    )
    // Before the line, and in the same minute of the clock: the lines of another minute are another list.
    const earlier = Math.max(0.5, (Math.floor(at / 60_000) * 60_000 - begin) / 1000 + 0.05)
    await page.evaluate((to) => {
      const video = document.querySelector('video')
      if (video) video.currentTime = to
    }, earlier)
    await expect.poll(() => pictureClock(page).then((read) => read?.media ?? 9)).toBeLessThan(earlier + 0.5)
    await expectClock(page, begin, running)
    await expect
      .poll(async () => {
        const now = await chat(page).getByRole('listitem').allInnerTexts()
        return now.findIndex((text) => text.includes('Playing')) < now.findIndex((text) => text.includes('exactly'))
      })
      .toBe(true)
    await line.click()
    await expect.poll(() => lastSeek(page)).toBeGreaterThan((at - begin) / 1000 - 0.1)
    expect(Math.abs((await lastSeek(page)) - (at - begin) / 1000)).toBeLessThan(0.1)
    await expectAccessible(page)
    await page.screenshot({ path: `out/screenshots/app/recordings-chat-${format}.png` })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(dialog).toHaveCount(0)

    // From the time line: it plays from where its bar was clicked, beside the lines of that minute.
    await page
      .getByRole('region', { name: 'Time line' })
      .getByRole('img', { name: file?.name ?? '' })
      .click({ force: true })
    await expect.poll(() => pictureClock(page).then((read) => read?.media ?? 0)).toBeGreaterThan(0)
    await page.evaluate(() => document.querySelector('video')?.pause())
    // Bars of seconds lie on each other in a day: which of them was hit is what the player says.
    const shown = await dialog.getByRole('heading').first().innerText()
    const clicked =
      ((await files()).find(({ name }) => name === shown)?.begin ?? NaN) +
      ((await pictureClock(page))?.media ?? NaN) * 1000
    expect(clicked).toBeGreaterThan(0)
    await expect(line).toHaveCount(Math.floor(clicked / 60_000) === Math.floor(at / 60_000) ? 1 : 0)
    await dialog.getByRole('button', { name: 'Close' }).click()

    await goTo(page, 'Room')
    await rowOf(page, 'before anything').hover()
    await rowOf(page, 'before anything').getByRole('button', { name: 'Second of the recording' }).click()
    const first = (await files()).at(-1)
    if ((first?.begin ?? 0) - early > allowed) {
      await expect(dialog).toContainText('Nothing was recorded then.')
      await expect(dialog).toContainText(`After: ${first?.name ?? ''}`)
      await expectAccessible(page)
      await dialog.getByRole('button', { name: 'Open its start' }).click()
    }
    await expect(page).toHaveURL(/#\/recordings$/)
    await expect.poll(() => pictureClock(page).then((read) => read?.media ?? 0)).toBeGreaterThan(0)
  })
