/** What a bucket is refilled with: so much a second, and so much at most. */
export interface BucketRate {
  readonly perSecond: number
  readonly atOnce: number
}

/** What is left of a rate. */
export interface TokenBucket {
  /** Takes an amount away; it may become less than nothing. */
  spend(amount: number): void
  /** For how many ms it has nothing left; 0 when it has. */
  wait(): number
}

/** A bucket that starts full. `monotonic` is in ms. */
export function createTokenBucket(monotonic: () => number, { perSecond, atOnce }: BucketRate): TokenBucket {
  let left = atOnce
  let at = monotonic()
  const settle = (): void => {
    const now = monotonic()
    left = Math.min(atOnce, left + ((now - at) * perSecond) / 1000)
    at = now
  }
  return {
    spend(amount) {
      settle()
      left -= amount
    },
    wait() {
      settle()
      return left > 0 ? 0 : Math.ceil(((1 - left) * 1000) / perSecond)
    },
  }
}
