import type { WatchState } from '../../contract/watch.ts'

/** Pictures further apart do not move: a held one is repeated once a second. In s of media. */
const apart = 0.5
/** Without a moving picture for so long it stands still; in ms. */
const standsAfter = 700
/** Without progress of the player for so long it has stopped; in ms. */
const stopsAfter = 2_000
const lookEvery = 200
/** Least time between two pictures of which the service is asked why they stand still; in ms. */
const asksEvery = 4_000

/** A held picture: for how long, in ms, and to which delay it grows. */
export interface Held {
  readonly length: number
  readonly growsTo: number | undefined
}
interface Hold {
  /** By the clock of `performance`. */
  readonly from: number
  readonly growsTo: number | undefined
}

/** What the player shows of the stream. */
export type Motion = ReturnType<typeof createMotion>

/**
 * What the player shows of a hold that the service tells: players of HLS come to it, and out of it, some seconds later.
 * Where the browser does not tell of single pictures, what the service tells is taken for what is shown.
 */
export function createMotion(
  video: HTMLVideoElement,
  parts: {
    isPlaying(): boolean
    /** By how much the player may be later than the service, in ms. */
    lag(): number
    /** It is held, or has stopped, or is not any more. */
    changed(): void
    /** It stands still: the service may tell why. */
    stands(): void
  },
) {
  let told: Hold | undefined
  let shown: Hold | undefined
  /** When the service told that the hold is over. */
  let overAt = 0
  let place: number | undefined
  let movedAt = -Infinity
  let stands = false
  let askedAt = -Infinity
  let position = -1
  let wentAt = performance.now()
  let hasStopped = false
  let request: number | undefined
  /** A picture was shown since the element was last emptied. */
  let isSeen = false

  const settle = (): void => {
    const now = performance.now()
    const isMoving = place !== undefined && now - movedAt <= standsAfter
    const before = shown
    if (isMoving) shown = undefined
    else if (told) shown = told
    else if (place === undefined || !parts.isPlaying() || now - overAt > parts.lag()) shown = undefined
    const stood = stands
    stands = place !== undefined && !isMoving
    if (stands && !stood && !told && parts.isPlaying() && !video.paused && now - askedAt >= asksEvery) {
      askedAt = now
      parts.stands()
    }
    if (video.currentTime !== position || video.paused || !parts.isPlaying()) {
      position = video.currentTime
      wentAt = now
    }
    const ran = !hasStopped
    hasStopped = now - wentAt >= stopsAfter
    if ((shown === undefined) !== (before === undefined) || ran === hasStopped) parts.changed()
  }
  const seen = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
    const step = place === undefined ? -1 : mediaTime - place
    place = mediaTime
    if (!isSeen) {
      isSeen = true
      parts.changed()
    }
    if (step > 0 && step < apart) movedAt = performance.now()
    // Not for each of the pictures that move.
    if (stands || shown) settle()
    ask()
  }
  const ask = (): void => {
    if (!('requestVideoFrameCallback' in video)) return
    if (request !== undefined) video.cancelVideoFrameCallback(request)
    request = video.requestVideoFrameCallback(seen)
  }
  // Another stream in the same element.
  video.addEventListener('playing', ask)
  video.addEventListener('emptied', () => (isSeen = false))
  if (!('requestVideoFrameCallback' in video)) {
    const element: HTMLVideoElement = video
    element.addEventListener('loadeddata', () => (isSeen = true))
  }
  setInterval(settle, lookEvery)
  return {
    /** The service answered, or did not. */
    tell(state: WatchState | undefined): void {
      const isOver = told !== undefined
      told =
        state?.live === true && state.held !== undefined
          ? { from: performance.now() - (state.time - state.held), growsTo: state.growsTo }
          : undefined
      if (isOver && !told) overAt = performance.now()
      if (state?.live === false) shown = undefined
      settle()
    },
    held: (): Held | undefined => shown && { length: performance.now() - shown.from, growsTo: shown.growsTo },
    /** Whether the element shows a picture; a stream of sound alone has none to wait for. */
    hasPicture: (): boolean => isSeen || (parts.isPlaying() && video.videoWidth === 0),
    /** It plays, and its player makes no progress. */
    hasStopped: (): boolean => hasStopped,
  }
}
