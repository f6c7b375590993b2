import type { Clock } from './clock.ts'

/** Rate of a bucket: refill per second, and burst. */
export interface BucketRate {
  readonly perSecond: number
  readonly atOnce: number
}

/** What is left of a rate. */
export interface TokenBucket {
  /** May become negative. */
  spend(amount: number): void
  /** ms until something is left; 0 if there is. */
  wait(): number
}

/** A full bucket. */
export function createTokenBucket(clock: Pick<Clock, 'monotonic'>, { perSecond, atOnce }: BucketRate): TokenBucket {
  let left = atOnce
  let at = clock.monotonic()
  const settle = (): void => {
    const now = clock.monotonic()
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
