import type { Clock } from '../../platform/clock.ts'
import { type BucketRate, createTokenBucket } from '../../platform/token-bucket.ts'

/** Calls within a rate; calls above it are made as one, when the rate has room. */
export function createPaced(clock: Clock, rate: BucketRate, call: () => void): () => void {
  const bucket = createTokenBucket(clock, rate)
  let isOwed = false
  const ask = (): void => {
    if (isOwed) return
    const wait = bucket.wait()
    if (wait > 0) {
      isOwed = true
      clock.after(wait, () => {
        isOwed = false
        ask()
      })
      return
    }
    bucket.spend(1)
    call()
  }
  return ask
}
