import { createTokenBucket, type BucketRate, type TokenBucket } from './token-bucket.ts'

/** Writes lines of a log that strangers cause. */
export interface BoundedLines {
  /** Calls `write` unless there were too many of them lately; with how many were left out since the last, where there were any. */
  line(write: (leftOut: { readonly leftOut?: number }) => void): void
}

/** Makes it. `monotonic` is in ms; without a rate 20 lines at once and one a second. */
export function createBoundedLines(
  monotonic: () => number,
  rate: BucketRate = { perSecond: 1, atOnce: 20 },
): BoundedLines {
  let bucket: TokenBucket | undefined
  let left = 0
  return {
    line(write) {
      bucket ??= createTokenBucket(monotonic, rate)
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
