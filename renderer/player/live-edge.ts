/** How near to live a player is to stay. Seconds unless said otherwise. */
export interface LiveEdgeOptions {
  /** Distance to the newest buffered picture that playback settles at. */
  readonly target: number
  /** Above this distance playback runs faster, until the target is reached (hysteresis). */
  readonly fasterAbove: number
  /** Above this distance it jumps. */
  readonly seekAbove: number
  /** Above this distance it jumps during the first two seconds, when a jump is not noticed. */
  readonly seekAboveAtStart: number
  /** Fastest rate; 1 is natural speed. */
  readonly fastest: number
  /** How far stalls may push the target out. */
  readonly targetMax: number
  /** Least milliseconds between two jumps. */
  readonly seekPause: number
}

/** For HTTP-FLV: at most 1.5 s behind 10 s after joining a stream with 4 s between key frames. */
export const flvLiveEdge: LiveEdgeOptions = {
  target: 0.6,
  fasterAbove: 0.9,
  seekAbove: 3,
  seekAboveAtStart: 1.4,
  fastest: 1.3,
  targetMax: 1.05,
  seekPause: 2_000,
}

/** For HLS, where a jump costs a segment: it only follows what the playlist offers. */
export const hlsLiveEdge = (target: number): LiveEdgeOptions => ({
  target,
  fasterAbove: target + 1.5,
  seekAbove: target + 8,
  seekAboveAtStart: target + 8,
  fastest: 1.1,
  targetMax: target + 6,
  seekPause: 8_000,
})

/** What the player sees at one moment. */
export interface EdgeSample {
  /** Monotonic clock in ms. */
  readonly now: number
  readonly position: number
  /** Begin and end of the buffered range that holds the position, or of the last one; undefined while nothing is buffered. */
  readonly start: number | undefined
  readonly end: number | undefined
  /** The element has run dry and waits. */
  readonly waiting: boolean
  /** A person stopped it. */
  readonly paused: boolean
}

/** What to do about it. */
export interface EdgeAction {
  readonly rate: number
  /** Where to jump to; undefined to stay. */
  readonly seekTo: number | undefined
  /** Seconds behind the newest buffered picture; undefined while unknown. */
  readonly behind: number | undefined
}

/** The live-edge controller of one playback. */
export type LiveEdge = ReturnType<typeof createLiveEdge>

const startPhase = 2_000
const calm = 30_000

/** Decides rate and jumps about every 200 ms. Stalls add 0.25 s to the target, half a minute of calm takes it back. */
export function createLiveEdge(options: LiveEdgeOptions) {
  let target = options.target
  let began: number | undefined
  let lastSeek = Number.NEGATIVE_INFINITY
  let lastStall: number | undefined
  let wasWaiting = false
  let catching = false

  const afterStall = (sample: EdgeSample): void => {
    // Running dry right after a jump or the join is the jump's own doing, not the line's.
    const ownDoing = sample.now - lastSeek < 1_000 || sample.now - (began ?? sample.now) < startPhase
    if (sample.waiting && !wasWaiting && !ownDoing) {
      target = Math.min(target + 0.25, options.targetMax)
      lastStall = sample.now
    }
    wasWaiting = sample.waiting
    if (lastStall !== undefined && sample.now - lastStall > calm) {
      target = Math.max(target - 0.25, options.target)
      lastStall = target > options.target ? sample.now : undefined
    }
  }

  return {
    /** The target with what stalls have added to it. */
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
      const outside = sample.position < sample.start || sample.position > sample.end + 0.5
      if ((behind > limit || outside) && sample.now - lastSeek >= (starting ? 250 : options.seekPause)) {
        lastSeek = sample.now
        catching = false
        const seekTo = Math.max(sample.end - target, sample.start)
        return { rate: 1, seekTo, behind }
      }
      if (behind > options.fasterAbove + extra) catching = true
      else if (behind <= target) catching = false
      if (!catching) return { rate: 1, seekTo: undefined, behind }
      // Twice as far over the target, twice as much faster: audible pitch correction only when there is much to make good.
      const rate = Math.min(1 + Math.max(0.05, (behind - target) * 0.25), options.fastest)
      return { rate: Math.round(rate * 100) / 100, seekTo: undefined, behind }
    },
  }
}
