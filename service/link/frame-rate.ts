import type { Clock } from '../../platform/clock.ts'
import { linkLimits } from '../../contract/link/frames.ts'

const window = 10_000

/** Counts frames of a connection; false beyond `framesIn10s` in any 10 s. */
export function createFrameRate(clock: Pick<Clock, 'monotonic'>): () => boolean {
  // Ring of times, allocated with the first frame: many connections only listen.
  let times: Float64Array | undefined
  let next = 0
  return () => {
    times ??= new Float64Array(linkLimits.framesIn10s).fill(-Infinity)
    const now = clock.monotonic()
    const within = now - times[next]! >= window
    times[next] = now
    next = (next + 1) % times.length
    return within
  }
}
