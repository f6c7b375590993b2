import { expect, test, type Locator, type Page } from 'playwright/test'
import { processFamily } from '../../bench/measurement.ts'
import { startApp, type RunningApp } from '../app.ts'
import { startEncoder, type Encoder } from '../encoder.ts'
import { expectWithin } from '../pace.ts'
import { copyPushUrl, createChannel, endWithEncoder, expectFresh, keepLinesOpen, openPage } from '../page.ts'
import { countObjectUrls, living, onePlayerLife, type Living } from '../soak/player-lives.ts'
import { askForRecording } from '../recording.ts'
import { openSession } from '../soak/preview-page.ts'

/** What breaks on the way while a picture runs: the network, the computer that sleeps, the encoder; and players that come and go (docs/checks.md#9-long-runs). */
test.use({ permissions: ['clipboard-read', 'clipboard-write'] })
let app: RunningApp
let encoder: Encoder | undefined
test.beforeAll(async () => {
  app = await startApp()
})
test.afterEach(async () => {
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT')
  await encoder?.stop('SIGKILL')
  encoder = undefined
})
test.afterAll(async () => app?.dispose())

/** What players are made of; nodes and heap move with the screens too. */
const objectsOf = ({
  MediaSource,
  SourceBuffer,
  HTMLVideoElement,
  XMLHttpRequest,
  ReadableStreamDefaultReader,
  objectUrls,
}: Living): Partial<Living> => ({
  MediaSource,
  SourceBuffer,
  HTMLVideoElement,
  XMLHttpRequest,
  ReadableStreamDefaultReader,
  objectUrls,
})
/** Processes that are held still. */
const stopped: number[] = []
/** Holds the companion and its service still, as a computer that sleeps does; the connections stay, without a word. */
function sleep(): void {
  stopped.push(...processFamily(app.process.pid!))
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
}
function wake(): void {
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT')
}
/** Notes every state that the tally bar shows from now on, with the time since 1970 in ms. */
const watchTally = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: [at: number, state: string][] = []
    ;(globalThis as unknown as { tallies: typeof seen }).tallies = seen
    const note = (): void => {
      const state = /fill-(\w+)/.exec(document.querySelector('.fill')?.className ?? '')?.[1] ?? 'nothing'
      if (seen.at(-1)?.[1] !== state) seen.push([Date.now(), state])
    }
    note()
    new MutationObserver(note).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['class'],
    })
  })
const seenTallies = (page: Page): Promise<[at: number, state: string][]> =>
  page.evaluate(() => (globalThis as unknown as { tallies: [number, string][] }).tallies)
const tally = (page: Page, state: string): Promise<void> => expect(page.locator(`.fill-${state}`)).toHaveCount(1)

test('the delay returns to what is promised after the network stood still for 10 s, by FLV and by HLS', async ({
  page,
  context,
}) => {
  await openPage(page, app)
  await createChannel(page, 'Standstill')
  await endWithEncoder(page)
  encoder = startEncoder(await copyPushUrl(page))
  const viewers = await context.newPage()
  await viewers.goto(page.url())
  await viewers.getByText('HLS, compatible').click()
  await Promise.all([expectFresh(page, encoder.origin, 3_000), expectFresh(viewers, encoder.origin, 9_000)])
  const lines = await Promise.all([page, viewers].map((each) => context.newCDPSession(each)))
  const network = (downloadThroughput: number): Promise<unknown> =>
    Promise.all(
      lines.map(async (line) => {
        await line.send('Network.enable')
        await line.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 0,
          downloadThroughput,
          uploadThroughput: -1,
        })
      }),
    )
  // One byte a second: connections stay, and nothing comes.
  await network(1)
  const still = performance.now()
  await expect.poll(() => performance.now() - still, { intervals: [250] }).toBeGreaterThan(10_000)
  await network(-1)
  await Promise.all([expectFresh(page, encoder.origin, 3_000), expectFresh(viewers, encoder.origin, 9_000)])
  await viewers.close()
})

test('a computer that slept shows no channel on air that is not, also when its encoder went meanwhile, and takes it again', async ({
  page,
}) => {
  await openPage(page, app)
  await createChannel(page, 'Asleep')
  await endWithEncoder(page)
  const pushUrl = await copyPushUrl(page)
  encoder = startEncoder(pushUrl)
  await expectFresh(page, encoder.origin, 3_000)
  await tally(page, 'live')
  await watchTally(page)

  // A page that stays awake, as that of a moderator does, hears nothing any more, and its connection does not end.
  sleep()
  const silent = performance.now()
  await tally(page, 'fault')
  expectWithin(performance.now() - silent, 15_000)
  await expect(page).toHaveTitle('Sidestage')
  await expect(page.locator('[data-health]')).toHaveAttribute('data-health', 'unknown')
  await encoder.stop('SIGKILL')
  const gone = Date.now()
  wake()
  await tally(page, 'idle')
  await expect(page.getByText('Service running', { exact: true })).toBeVisible()
  encoder = startEncoder(pushUrl)
  const again = Date.now()
  await tally(page, 'live')
  await expectFresh(page, encoder.origin, 3_000)
  const between = (await seenTallies(page)).filter(([at]) => at >= gone && at < again).map(([, state]) => state)
  expect(between).not.toContain('live')
})

test('an encoder that is killed and started again is never shown on air between, and needs no new key', async ({
  page,
}) => {
  await openPage(page, app)
  await createChannel(page, 'Crashes')
  await endWithEncoder(page)
  const pushUrl = await copyPushUrl(page)
  await watchTally(page)
  for (let turn = 0; turn < 2; turn++) {
    encoder = startEncoder(pushUrl)
    await tally(page, 'live')
    await encoder.stop('SIGKILL')
    const gone = Date.now()
    await tally(page, 'idle')
    expectWithin(Date.now() - gone, 2_000)
  }
  expect((await seenTallies(page)).map(([, state]) => state)).toEqual(['idle', 'live', 'idle', 'live', 'idle'])
})

/** What the Studio says at one moment of a push, by the names of its figures; lamps and checks by their state. */
interface Said {
  readonly at: number
  readonly why: string
  readonly kbps: string
  readonly preview: string
  readonly lamps: readonly string[]
  readonly checks: Readonly<Record<string, string>>
}
/** Notes every change of what the Studio says from now on. */
const watchStudio = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const seen: Said[] = []
    ;(globalThis as unknown as { said: Said[] }).said = seen
    const all = (figure: string): HTMLElement[] => [
      ...document.querySelectorAll<HTMLElement>(`[data-figure="${figure}"]`),
    ]
    const text = (figure: string): string => all(figure)[0]?.textContent.replace(/\s+/g, ' ').trim() ?? ''
    const note = (): void => {
      const said = {
        why: text('why'),
        kbps: text('kbps'),
        preview: text('previewFigures'),
        lamps: all('lamp').map((lamp) => lamp.dataset['state'] ?? ''),
        checks: Object.fromEntries(
          all('check').map((check) => [check.dataset['of'] ?? '', check.dataset['state'] ?? '']),
        ),
      }
      const { at: _at, ...before } = seen.at(-1) ?? { at: 0 }
      if (JSON.stringify(before) !== JSON.stringify(said)) seen.push({ at: Date.now(), ...said })
    }
    note()
    new MutationObserver(note).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: ['data-state'],
    })
  })
const studioSaid = (page: Page): Promise<Said[]> =>
  page.evaluate(() => (globalThis as unknown as { said: Said[] }).said)
/** What a stall disproves. */
const moving = ['gap', 'preview', 'slice'] as const
const dropsOf = ({ preview }: Said): number =>
  Number(/([\d,]+) dropped/.exec(preview)?.[1]?.replaceAll(',', '') ?? Number.NaN)

/** Counts from now on how often the picture is taken away. */
const countEmptied = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const counted = { emptied: 0 }
    Object.assign(globalThis, { counted })
    document.querySelector('video')!.addEventListener('emptied', () => void counted.emptied++)
  })
const emptied = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { counted: { emptied: number } }).counted.emptied)

test('an encoder that is held still for seconds and goes on: health, check and preview say so while it lasts, its end, and for how long it was', async ({
  page,
  context,
}) => {
  await keepLinesOpen(page)
  await openPage(page, app)
  await createChannel(page, 'Stalls')
  await endWithEncoder(page)
  await askForRecording(page, { format: 'MP4', filename: 'Stalls' })
  encoder = startEncoder(await copyPushUrl(page))
  const figure = (name: string): Locator => page.locator(`[data-figure="${name}"]`)
  const check = (name: string): Locator => page.locator(`[data-figure="check"][data-of="${name}"]`)
  /** Sentences of a push that stood still for a while; ffmpeg sends what it missed at once, so that its rate does vary. */
  const isUsual = /are in their ranges|The bitrate varies/
  const isWell = async (): Promise<void> => {
    await expect(figure('why')).toContainText(isUsual)
    for (const name of moving) await expect(check(name)).toHaveAttribute('data-state', 'ok')
  }
  await isWell()
  const viewers = await context.newPage()
  await viewers.goto(`${app.ready.service.mediaUrl}/watch/${/[0-9a-f]{32}/.exec(page.url())?.[0] ?? ''}`)
  await expect(viewers.locator('.behind')).toContainText('behind')
  await page.bringToFront()
  await Promise.all([page, viewers].map(countEmptied))
  await watchStudio(page)
  encoder.process.kill('SIGSTOP')
  const held = performance.now()
  await expect(figure('why')).toContainText('Nothing arrives from the encoder.')
  for (const name of moving) await expect(check(name)).toHaveAttribute('data-state', 'wait')
  await expect(check('preview')).toContainText('nothing arrives')
  await expect(check('slice')).toContainText('nothing arrives')
  await expect(figure('previewFigures')).toContainText(/^0 kbps/)
  await expect(figure('delayBadge')).toHaveCount(0)
  const cover = page.locator('.preview .cover')
  await expect(cover).toContainText('Nothing arrives from the encoder')
  await expect(viewers.locator('.behind')).toHaveText('')
  // Beyond the 6 s after which a player that gets nothing begins anew, and would show its last seconds again as if they were new.
  await expect.poll(() => performance.now() - held).toBeGreaterThan(7_200)
  expect(await Promise.all([page, viewers].map(emptied))).toEqual([0, 0])
  const stalled = await studioSaid(page)
  encoder.process.kill('SIGCONT')
  const seconds = (performance.now() - held) / 1000
  const goneOn = Date.now()
  await expect(figure('why')).toContainText('The encoder sends again.')
  await expect(cover).toHaveCount(0)
  await isWell()
  await expect(figure('previewFigures')).not.toContainText(/^0 kbps/)
  const line = page.locator('[data-figure="logLine"][data-of="stalled"]')
  await expect(line).toHaveCount(1)
  const said = Number(/for ([\d.]+) s/.exec(await line.innerText())?.[1])
  expect(Math.abs(said - seconds)).toBeLessThan(1.5)

  const all = await studioSaid(page)
  // Nothing is proven by a stream that stands still, at no moment.
  const standing = all.filter(({ kbps }) => /^0\b/.test(kbps))
  expect(standing.length).toBeGreaterThan(0)
  for (const one of standing) expect(moving.filter((name) => one.checks[name] === 'ok')).toEqual([])
  // It was on air and recorded all the time, under one push.
  expect(new Set(all.flatMap(({ lamps }) => lamps))).toEqual(new Set(['recording']))
  expect(stalled.some(({ why }) => why.includes('sends again'))).toBe(false)
  // What is said afterwards is not what the stall did to the figures.
  const after = all.filter(({ at, kbps }) => at > goneOn && !/^0\b/.test(kbps)).map(({ why }) => why)
  expect(after.filter((why) => !/sends again|Nothing arrives/.test(why) && !isUsual.test(why))).toEqual([])
  const drops = all.map(dropsOf).filter((count) => !Number.isNaN(count))
  expect(drops).toEqual(drops.toSorted((one, other) => one - other))
})

test('players leave nothing behind when they are taken down', async ({ page, context }) => {
  await countObjectUrls(page)
  await openPage(page, app)
  await createChannel(page, 'Comes_and_goes')
  await endWithEncoder(page)
  encoder = startEncoder(await copyPushUrl(page), { gopSeconds: 1 })
  const session = await openSession(context, page)
  await onePlayerLife(page, 'Comes_and_goes')
  const first = objectsOf(await living(page, session))
  for (let life = 0; life < 4; life++) await onePlayerLife(page, 'Comes_and_goes')
  // The last player may still be closing its connection on a busy machine; what is left behind stays.
  await expect.poll(async () => objectsOf(await living(page, session))).toEqual(first)
})
