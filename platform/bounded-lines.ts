import type { Clock } from './clock.ts'
import { createTokenBucket, type BucketRate, type TokenBucket } from './token-bucket.ts'

/** Limits log lines caused by strangers. */
export type BoundedLines = ReturnType<typeof createBoundedLines>

/** Makes it; by default 20 lines at once and one a second. */
export function createBoundedLines(clock: Pick<Clock, 'monotonic'>, rate: BucketRate = { perSecond: 1, atOnce: 20 }) {
  let bucket: TokenBucket | undefined
  let left = 0
  return {
    /** Calls `write` within the rate, with the number of lines dropped before, if any. */
    line(write: (leftOut: { readonly leftOut?: number }) => void) {
      bucket ??= createTokenBucket(clock, rate)
      if (bucket.wait() > 0) {
        left += 1
        return
      }
      bucket.spend(1)
      const leftOut = left
      left = 0
      write(leftOut > 0 ? { leftOut } : {})
    },
  }
}
