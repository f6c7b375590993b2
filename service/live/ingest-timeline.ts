/** A step of timestamps larger than this, either way, is no real time: the clock of the encoder was set or the input changed. A longer silence ends the push anyway. Milliseconds. */
export const timelineStepMax = 10_000
/** Tracks may be interleaved this untidily; a larger step back starts anew. Milliseconds. */
export const timelineBackMax = 2000

/** Turns a publisher's 32-bit timestamps into times of its publication in ms: from 0, never backward, across wraps and jumps. */
export interface IngestTimeline {
  /** Time of a frame with this timestamp that arrived at `now` (ms). */
  frame(timestamp: number, now: number): number
  /** Time of the last frame, for configurations and data, whose own timestamps are often 0. */
  readonly last: number
}

/** Makes the timeline of one publication. */
export function createIngestTimeline(): IngestTimeline {
  let previous: number | undefined
  let position = 0
  let last = 0
  let lastNow = 0

  return {
    get last() {
      return last
    },
    frame(timestamp, now) {
      if (previous !== undefined) {
        const step = (timestamp - previous) | 0
        // After a jump what has passed here stands for what passed there.
        position = step > timelineStepMax || step < -timelineBackMax ? last + Math.min(Math.max(now - lastNow, 1), timelineStepMax) : position + step
      }
      previous = timestamp
      lastNow = now
      last = Math.max(last, position)
      return last
    },
  }
}
