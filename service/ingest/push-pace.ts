import type { Clock } from '../../platform/clock.ts'
import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'

/** Rate of starts and configuration changes of a channel's pushes, against encoders that reconnect in a loop. */
export const pushPace: BucketRate = { perSecond: 1, atOnce: 20 }

/** Limits starts of pushes (each with events and files) and new decoder configurations. */
export type PushPace = ReturnType<typeof createPushPace>

/** Makes it. */
export function createPushPace(clock: Pick<Clock, 'monotonic'>, rate: BucketRate = pushPace) {
  const channels = new Map<string, { readonly bucket: TokenBucket; used: number }>()
  const refill = (rate.atOnce / rate.perSecond) * 1000
  return {
    /** Wait in ms; 0 for none. */
    wait: (cid: string) => channels.get(cid)?.bucket.wait() ?? 0,
    /** Call only after the key was verified, so that strangers cannot use up the rate. */
    spend(cid: string) {
      let channel = channels.get(cid)
      if (!channel) channels.set(cid, (channel = { bucket: createTokenBucket(clock, rate), used: 0 }))
      channel.bucket.spend(1)
      channel.used = clock.monotonic()
    },
    tidy() {
      const now = clock.monotonic()
      // Full again after this time.
      for (const [cid, { used }] of channels) if (now - used > refill) channels.delete(cid)
    },
  }
}
