import type { EdgeAction, LiveEdge } from './live-edge.ts'
import type { PlaybackFigures } from './transport.ts'

/** Milliseconds between two looks at a running playback. */
const lookEvery = 200
/** Milliseconds without anything new before a stream counts as broken. */
const silentFor = 6_000

/** Milliseconds without a step of the picture after which it counts as standing still. */
const frozenAfter = 500
/** Milliseconds by which a picture goes on further than its clock where it jumped. */
const jump = 500
/** Milliseconds without anything new up to which the end of the buffer counts as now: media comes in pieces. */
const piece = 300

/** What a playback tells its transport. */
export interface PlaybackEvents {
  playing(): void
  /** Nothing arrived for 6 s although nobody paused; again after each further 6 s. */
  silent(): void
}

/** The last buffered range: only it grows, and an older one that holds the position is a dead end. */
export function liveRange(video: Pick<HTMLVideoElement, 'buffered'>): { start: number; end: number } | undefined {
  const last = video.buffered.length - 1
  return last < 0 ? undefined : { start: video.buffered.start(last), end: video.buffered.end(last) }
}

/** Runs beside a transport: keeps its element at the live edge, counts its frames and watches for silence. */
export function startPlayback(video: HTMLVideoElement, edge: LiveEdge, events: PlaybackEvents) {
  let behind: number | undefined
  let newest = -1
  let newestAt = performance.now()
  /** When the silence was told last. */
  let toldAt = Number.NEGATIVE_INFINITY
  let shown = -1
  let shownAt = performance.now()
  let counted = { frames: 0, at: performance.now(), position: 0 }
  /** A jump lay in the second that was counted before: its pictures may come late. */
  let hasJumped = false
  /** Milliseconds of media that the clock of the player went on by since the last count. */
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
    // A player that catches up shows more frames a second than the stream has: they are counted by its own clock.
    played += (now - lookedAt) * video.playbackRate
    lookedAt = now
    if (now - counted.at < 1_000) return
    const frames = video.getVideoPlaybackQuality().totalVideoFrames
    // What a jump passes over is decoded too, and never shown.
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
    if (video.currentTime !== shown) {
      shown = video.currentTime
      shownAt = now
    }
    if (video.paused && hasPlayed) newestAt = now
    if (now - Math.max(newestAt, toldAt) > silentFor) {
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
  // A hidden page's timers run once a second, which is enough to stay near.
  const timer = setInterval(look, lookEvery)

  return {
    /** Seconds behind the newest buffered picture, and since that came, once nothing new comes. */
    get behind(): number | undefined {
      if (behind === undefined) return undefined
      const silence = performance.now() - newestAt
      return silence > piece ? behind + silence / 1_000 : behind
    },
    /** Seconds for which the picture has stood still; 0 while it moves. */
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

/** Plays, and muted when the browser allows no sound without a gesture. Resolves when playing began or was refused. */
export async function playAllowed(video: HTMLVideoElement): Promise<void> {
  try {
    await video.play()
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') return
    video.muted = true
    await video.play().catch(() => undefined)
  }
}
