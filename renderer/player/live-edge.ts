/** In seconds unless said otherwise. */
export interface LiveEdgeOptions {
  /** Distance from the newest buffered picture. */
  readonly target: number
  /** Beyond it playback runs faster until the target is reached (hysteresis). */
  readonly fasterAbove: number
  readonly seekAbove: number
  /** As `seekAbove`, for the first two seconds, when a seek is not noticed. */
  readonly seekAboveAtStart: number
  readonly fastest: number
  readonly maxTarget: number
  /** In ms, between two seeks. */
  readonly seekPause: number
}

/** At most 1.5 s behind 10 s after joining a stream with 4 s between key frames. */
export const flvLiveEdge: LiveEdgeOptions = {
  target: 0.6,
  fasterAbove: 0.9,
  seekAbove: 3,
  seekAboveAtStart: 1.4,
  fastest: 1.3,
  maxTarget: 1.05,
  seekPause: 2_000,
}

/** For HLS, where a seek costs a segment. */
export const hlsLiveEdge = (target: number): LiveEdgeOptions => ({
  target,
  fasterAbove: target + 1.5,
  seekAbove: target + 8,
  seekAboveAtStart: target + 8,
  fastest: 1.1,
  maxTarget: target + 6,
  seekPause: 8_000,
})

/** State of the player at one moment. */
export interface EdgeSample {
  /** Monotonic clock in ms. */
  readonly now: number
  readonly position: number
  /** The buffered range of the position, or the last one; undefined while nothing is buffered. */
  readonly start: number | undefined
  readonly end: number | undefined
  readonly waiting: boolean
  readonly paused: boolean
}

/** What the player has to do. */
export interface EdgeAction {
  readonly rate: number
  readonly seekTo: number | undefined
  /** Seconds behind the newest buffered picture; undefined if unknown. */
  readonly behind: number | undefined
}

/** The live-edge controller of one playback. */
export type LiveEdge = ReturnType<typeof createLiveEdge>

const startPhase = 2_000
const calm = 30_000

/** Sets rate and seeks. A stall adds 0.25 s to the target, 30 s without one takes it back. */
export function createLiveEdge(options: LiveEdgeOptions) {
  let target = options.target
  let began: number | undefined
  let lastSeek = Number.NEGATIVE_INFINITY
  let lastStall: number | undefined
  let wasWaiting = false
  let catching = false
  /** The last position that was buffered. */
  let played = Number.NEGATIVE_INFINITY

  const afterStall = (sample: EdgeSample): void => {
    // A stall right after a seek or the start is not caused by the network.
    const ownDoing = sample.now - lastSeek < 1_000 || sample.now - (began ?? sample.now) < startPhase
    if (sample.waiting && !wasWaiting && !ownDoing) {
      target = Math.min(target + 0.25, options.maxTarget)
      lastStall = sample.now
    }
    wasWaiting = sample.waiting
    if (lastStall !== undefined && sample.now - lastStall > calm) {
      target = Math.max(target - 0.25, options.target)
      lastStall = target > options.target ? sample.now : undefined
    }
  }

  return {
    get target() {
      return target
    },
    decide: (sample: EdgeSample): EdgeAction => {
      if (sample.start === undefined || sample.end === undefined)
        return { rate: 1, seekTo: undefined, behind: undefined }
      began ??= sample.now
      const behind = sample.end - sample.position
      if (sample.paused) {
        catching = false
        return { rate: 1, seekTo: undefined, behind }
      }
      afterStall(sample)
      const extra = target - options.target
      const starting = sample.now - began < startPhase
      const limit = (starting ? options.seekAboveAtStart : options.seekAbove) + extra
      const beyond = sample.position > sample.end + 0.5
      const outside = sample.position < sample.start || beyond
      if (!outside) played = Math.min(sample.position, sample.end)
      if ((behind > limit || outside) && sample.now - lastSeek >= (starting ? 250 : options.seekPause)) {
        lastSeek = sample.now
        catching = false
        // Back from where nothing is, what was seen is not shown again.
        const seen = beyond && played <= sample.end ? played : sample.start
        const seekTo = Math.max(sample.end - target, sample.start, seen)
        return { rate: 1, seekTo, behind }
      }
      if (behind > options.fasterAbove + extra) catching = true
      else if (behind <= target) catching = false
      if (!catching) return { rate: 1, seekTo: undefined, behind }
      // Proportional to the distance, so that pitch correction is audible only when far behind.
      const rate = Math.min(1 + Math.max(0.05, (behind - target) * 0.25), options.fastest)
      return { rate: Math.round(rate * 100) / 100, seekTo: undefined, behind }
    },
  }
}
