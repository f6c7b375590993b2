import type { WatchState } from '../../contract/watch.ts'

/** Pictures further apart do not move: a held one is repeated once a second. In s of media. */
const apart = 0.5
/** The same after a held one, which is repeated exactly: a slow browser draws few of those that move. */
const apartHeld = 0.95
/** Without a moving picture for so long it stands still; in ms. */
const standsAfter = 700
/** Without progress of the player for so long it has stopped; in ms. */
const stopsAfter = 2_000
/** As `stopsAfter`, whether the player of then is still there or another one is opened. */
const standsLongAfter = 3_000
const lookEvery = 200
/** Least time between two pictures of which the service is asked why they stand still; in ms. */
const asksEvery = 4_000

/** A held picture. */
export interface Held {
  /** For how long by the service, in ms. */
  readonly length: number
  /** The delay that grows meanwhile, in ms. */
  readonly growsTo: number | undefined
  /** In how many s it goes on for this viewer, if that is known; 0 when that is due. */
  readonly goesOnIn: number | undefined
}
/** By the clock of `performance`. */
interface Hold {
  readonly from: number
  readonly until: number | undefined
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
    /** By the viewer. */
    isPaused(): boolean
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
  let wentOnAt = wentAt
  let standsLong = false
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
    // What is not seen is not watched for: a hidden page looks seldom.
    if ((parts.isPlaying() && video.currentTime !== position) || parts.isPaused() || document.hidden) wentOnAt = now
    if (video.currentTime !== position || video.paused || !parts.isPlaying()) {
      position = video.currentTime
      wentAt = now
    }
    const [hadStopped, stoodLong] = [hasStopped, standsLong]
    hasStopped = now - wentAt >= stopsAfter
    standsLong = now - wentOnAt >= standsLongAfter
    const isOther = hasStopped !== hadStopped || standsLong !== stoodLong
    if (isOther || (shown === undefined) !== (before === undefined)) parts.changed()
  }
  const seen = (_now: number, { mediaTime }: VideoFrameCallbackMetadata): void => {
    const step = place === undefined ? -1 : mediaTime - place
    place = mediaTime
    if (!isSeen) {
      isSeen = true
      parts.changed()
    }
    if (step > 0 && step < (shown ? apartHeld : apart)) movedAt = performance.now()
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
      const here = performance.now() - (state?.time ?? 0)
      told =
        state?.live === true && state.held !== undefined
          ? {
              from: here + state.held,
              until: state.goesOn === undefined ? undefined : here + state.goesOn,
              growsTo: state.growsTo,
            }
          : undefined
      if (isOver && !told) overAt = performance.now()
      if (state?.live === false) shown = undefined
      settle()
    },
    held(): Held | undefined {
      if (!shown) return undefined
      const now = performance.now()
      const { from, until, growsTo } = shown
      // A player that came to it later gets out of it later.
      const later = Math.min(Math.max(0, movedAt - from), parts.lag())
      const left = until === undefined ? undefined : Math.max(0, Math.ceil((until + later - now) / 1000))
      return { length: now - from, growsTo, goesOnIn: left }
    },
    /** Whether the element shows a picture; a stream of sound alone has none to wait for. */
    hasPicture: (): boolean => isSeen || (parts.isPlaying() && video.videoWidth === 0),
    /** It plays, and its player makes no progress. */
    hasStopped: (): boolean => hasStopped,
    /** There is no progress for so long that it is said, also while another stream is opened in its place. */
    standsLong: (): boolean => standsLong,
  }
}
