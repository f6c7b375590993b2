import type { Browser, BrowserContext, CDPSession, Page } from 'playwright'
import { clockBits } from '../../service/testing/burnt-clock.ts'
import { pictureClock } from '../page.ts'

/** What one preview is like now. */
export interface PreviewState {
  /** Age of the picture in s, by the clock that is burnt into it; null without a picture. */
  readonly delay: number | null
  /** By how many seconds the picture moved on less than the wall clock since it first played; what a player jumps over counts as seen. */
  readonly behind: number
  /** How often it ran dry, for how many seconds in all, and how often it was begun anew. */
  readonly waits: number
  readonly waited: number
  readonly begun: number
  /** Seconds of media that are held. */
  readonly buffered: number
  /** Live JavaScript heap in MB after a collection, nodes and listeners of the page, those out of the document among them. */
  readonly heap: number
  readonly nodes: number
  readonly listeners: number
}

/** The burnt clock starts over after this many ms. */
const wrap = 10 * 2 ** clockBits.count

interface Watched {
  playedAt?: { wall: number; media: number }
  waits: number
  waited: number
  waitingSince?: number | undefined
  begun: number
}

/** Makes a page believe that it is hidden, with timers once a second as browsers give them there; before it is opened. */
export const makeHidden = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    Object.defineProperty(document, 'hidden', { get: () => true })
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })
    const interval = globalThis.setInterval.bind(globalThis)
    const slow = (action: TimerHandler, wait?: number): number =>
      interval(action as () => void, Math.max(1000, wait ?? 0)) as unknown as number
    globalThis.setInterval = slow as typeof setInterval
    globalThis.requestAnimationFrame = (action) =>
      setTimeout(() => action(performance.now()), 1000) as unknown as number
  })
}

/** Notes from now on when the preview of the page runs dry or begins anew. */
export const watchPreview = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const video = document.querySelector('video')!
    const watched: Watched = { waits: 0, waited: 0, begun: 0 }
    ;(globalThis as unknown as { watched: Watched }).watched = watched
    video.addEventListener('waiting', () => {
      watched.waits += 1
      watched.waitingSince = performance.now()
    })
    const moves = (): void => {
      if (watched.waitingSince !== undefined) watched.waited += (performance.now() - watched.waitingSince) / 1000
      watched.waitingSince = undefined
      watched.playedAt ??= { wall: performance.now(), media: video.currentTime }
    }
    video.addEventListener('playing', moves)
    video.addEventListener('loadstart', () => {
      watched.begun += 1
      delete watched.playedAt
    })
    if (!video.paused && video.readyState > 2) moves()
  })

/** Reads the state of a preview that is watched. `origin` is where the burnt clock reads 0, in ms. */
export async function previewState(page: Page, session: CDPSession, origin: number): Promise<PreviewState> {
  const read = await pictureClock(page)
  const seen = await page.evaluate(() => {
    const video = document.querySelector('video')!
    const { watched } = globalThis as unknown as { watched: Watched }
    let buffered = 0
    for (let range = 0; range < video.buffered.length; range++)
      buffered += video.buffered.end(range) - video.buffered.start(range)
    const { playedAt } = watched
    const behind = playedAt ? (performance.now() - playedAt.wall) / 1000 - (video.currentTime - playedAt.media) : NaN
    return { behind, waits: watched.waits, waited: watched.waited, begun: watched.begun, buffered }
  })
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN
  return {
    ...seen,
    delay: read ? ((((read.seen - origin - read.clock) % wrap) + wrap) % wrap) / 1000 : null,
    heap: metric('JSHeapUsedSize') / 1e6,
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
  }
}

/** What a process of a browser does. */
type BrowserPart = 'pages' | 'screen' | 'network' | 'browser'

/** Ids of a browser's processes: those of its pages, what draws, what loads and the like, and the browser's own. */
export async function browserProcesses(browser: Browser): Promise<Readonly<Record<BrowserPart, number[]>>> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const known = new Set(['renderer', 'gpu', 'browser'])
  const of = (is: (type: string) => boolean): number[] =>
    processInfo.filter(({ type }) => is(type.toLowerCase())).map(({ id }) => id)
  return {
    pages: of((type) => type === 'renderer'),
    screen: of((type) => type === 'gpu'),
    network: of((type) => !known.has(type)),
    browser: of((type) => type === 'browser'),
  }
}

/** A session of the developer tools with a page, measuring. */
export async function openSession(context: BrowserContext, page: Page): Promise<CDPSession> {
  const session = await context.newCDPSession(page)
  await session.send('Performance.enable')
  return session
}
