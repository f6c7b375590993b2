import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'

/** How often the pushes of a channel may begin, or change a decoder configuration: an encoder that loses its connection again and again tries less often. */
export const pushPace: BucketRate = { perSecond: 1, atOnce: 20 }

/** Counts what makes work beyond the push itself: begins of pushes, with their events and files, and new decoder configurations. */
export interface PushPace {
  /** For how many ms a channel must wait; 0 when it need not. */
  wait(cid: string): number
  /** Counts one. Only for who has shown the key of the channel, so that strangers cannot use it up. */
  spend(cid: string): void
  /** Forgets channels that have their whole rate again; to be called now and then. */
  tidy(): void
}

/** Makes it over a clock in ms that never jumps. */
export function createPushPace(monotonic: () => number, rate: BucketRate = pushPace): PushPace {
  const channels = new Map<string, { readonly bucket: TokenBucket; used: number }>()
  const refill = (rate.atOnce / rate.perSecond) * 1000
  return {
    wait: (cid) => channels.get(cid)?.bucket.wait() ?? 0,
    spend(cid) {
      let channel = channels.get(cid)
      if (!channel) channels.set(cid, (channel = { bucket: createTokenBucket(monotonic, rate), used: 0 }))
      channel.bucket.spend(1)
      channel.used = monotonic()
    },
    tidy() {
      const now = monotonic()
      // Nothing is spent that is not there, so after this time it is full.
      for (const [cid, { used }] of channels) if (now - used > refill) channels.delete(cid)
    },
  }
}
