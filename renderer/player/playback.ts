import type { EdgeAction, LiveEdge } from './live-edge.ts'
import type { PlaybackFigures } from './transport.ts'

const lookEvery = 200
/** In ms without data, where the media comes in small pieces. */
export const silentFor = 6_000

/** In ms without progress. */
const frozenAfter = 500
/** In ms beyond the clock. */
const jump = 500
/** In ms: media arrives in pieces. */
const piece = 300

/** Called on changes of a playback. */
export interface PlaybackEvents {
  playing(): void
  /** Nothing arrived for too long without a pause; repeated as often. */
  silent(): void
  /** How long that is, in ms; 6 s by default. */
  silentAfter?(): number
  /** Bytes that came of media that can be buffered only when all of it is here. */
  arrived?(): number
}

/** The last buffered range: only this one grows. */
export function liveRange(video: Pick<HTMLVideoElement, 'buffered'>): { start: number; end: number } | undefined {
  const last = video.buffered.length - 1
  return last < 0 ? undefined : { start: video.buffered.start(last), end: video.buffered.end(last) }
}

/** Keeps the element at the live edge, counts frames and detects silence. */
export function startPlayback(video: HTMLVideoElement, edge: Pick<LiveEdge, 'decide'>, events: PlaybackEvents) {
  let behind: number | undefined
  let newest = -1
  let newestAt = performance.now()
  let bytes = 0
  let bytesAt = performance.now()
  let toldAt = Number.NEGATIVE_INFINITY
  let shown = -1
  let shownAt = performance.now()
  let counted = { frames: 0, at: performance.now(), position: 0 }
  /** The previous second had a seek; its frames may be counted late. */
  let hasJumped = false
  /** In ms. */
  let played = 0
  let lookedAt = performance.now()
  let fps: number | null = null
  let waiting = true
  let hasPlayed = false

  const apply = (action: EdgeAction): void => {
    behind = action.behind
    if (action.seekTo !== undefined) video.currentTime = action.seekTo
    if (video.playbackRate !== action.rate) video.playbackRate = action.rate
  }
  const count = (now: number): void => {
    // Faster playback shows more frames per second: count them per second of media.
    played += (now - lookedAt) * video.playbackRate
    lookedAt = now
    if (now - counted.at < 1_000) return
    const frames = video.getVideoPlaybackQuality().totalVideoFrames
    // Frames skipped by a seek are decoded but not shown.
    const jumped = (video.currentTime - counted.position) * 1_000 > played + jump
    fps = frames >= counted.frames && !jumped && !hasJumped ? ((frames - counted.frames) * 1_000) / played : null
    hasJumped = jumped
    counted = { frames, at: now, position: video.currentTime }
    played = 0
  }
  const look = (): void => {
    const now = performance.now()
    const range = liveRange(video)
    if (range && range.end !== newest) {
      newest = range.end
      newestAt = now
    }
    const arrived = events.arrived?.() ?? 0
    if (arrived !== bytes) {
      bytes = arrived
      bytesAt = now
    }
    if (video.currentTime !== shown) {
      shown = video.currentTime
      shownAt = now
    }
    if (video.paused && hasPlayed) newestAt = now
    if (now - Math.max(newestAt, bytesAt, toldAt) > (events.silentAfter?.() ?? silentFor)) {
      toldAt = now
      return events.silent()
    }
    count(now)
    apply(
      edge.decide({
        now,
        position: video.currentTime,
        start: range?.start,
        end: range?.end,
        waiting,
        paused: video.paused && hasPlayed,
      }),
    )
  }

  const standing = (): number => {
    const stood = performance.now() - shownAt
    return stood > frozenAfter ? stood / 1_000 : 0
  }
  const onWaiting = (): void => {
    waiting = true
  }
  const onPlaying = (): void => {
    waiting = false
    hasPlayed = true
    events.playing()
  }
  video.addEventListener('waiting', onWaiting)
  video.addEventListener('playing', onPlaying)
  // Timers of hidden pages run once a second, which suffices.
  const timer = setInterval(look, lookEvery)

  return {
    /** Seconds behind live, which grow while nothing arrives. */
    get behind(): number | undefined {
      if (behind === undefined) return undefined
      const silence = performance.now() - newestAt
      return silence > piece ? behind + silence / 1_000 : behind
    },
    /** Seconds without progress; 0 while playing. */
    get standing() {
      return standing()
    },
    frames: (): Pick<PlaybackFigures, 'fps' | 'dropped' | 'decoded' | 'standing'> => {
      const quality = video.getVideoPlaybackQuality()
      return { fps, dropped: quality.droppedVideoFrames, decoded: quality.totalVideoFrames, standing: standing() }
    },
    stop: (): void => {
      clearInterval(timer)
      video.removeEventListener('waiting', onWaiting)
      video.removeEventListener('playing', onPlaying)
      if (video.playbackRate !== 1) video.playbackRate = 1
    },
  }
}

const isRefusal = (error: unknown): boolean => error instanceof DOMException && error.name === 'NotAllowedError'

/** Muted if the browser requires a gesture for sound. Resolves when playing began or was refused, which it tells. */
export async function playAllowed(video: HTMLVideoElement, refused?: () => void): Promise<void> {
  try {
    await video.play()
  } catch (error) {
    if (!isRefusal(error)) return
    video.muted = true
    await video.play().catch((still: unknown) => {
      if (isRefusal(still)) refused?.()
    })
  }
}
