import { addressGroup, isLoopbackGroup, networksOf } from './address-group.ts'
import { systemClock, type Clock } from './clock.ts'
import { createLru } from './lru.ts'
import { createTokenBucket, type BucketRate, type TokenBucket } from './token-bucket.ts'

/** TLS handshakes of an address: a household with many browsers at once, and some hundredths of a core for good. */
export const handshakeRate: BucketRate = { perSecond: 32, atOnce: 256 }
/** Networks whose handshakes are counted; the longest unseen is forgotten. */
const maxNetworks = 30_000

/**
 * Bounds TLS handshakes by address and its networks (`networksOf`): a limit of connections at once does not, as each
 * may end after its handshake.
 */
export type HandshakeRate = ReturnType<typeof createHandshakeRate>

/** Makes it. `isFree`: addresses without a limit; this computer by default. */
export function createHandshakeRate(
  options: {
    readonly clock?: Pick<Clock, 'monotonic'>
    readonly rate?: BucketRate
    readonly isFree?: (address: string) => boolean
  } = {},
) {
  const { clock = systemClock, rate = handshakeRate, isFree = (one) => isLoopbackGroup(addressGroup(one)) } = options
  const buckets = createLru<TokenBucket>(maxNetworks)
  return {
    /** Whether an address may begin another one, which is counted. */
    admits(address: string): boolean {
      if (isFree(address)) return true
      const all = networksOf(addressGroup(address)).map(({ network, share }) =>
        buckets.of(network, () =>
          createTokenBucket(clock, { perSecond: rate.perSecond * share, atOnce: rate.atOnce * share }),
        ),
      )
      if (all.some((bucket) => bucket.wait() > 0)) return false
      for (const bucket of all) bucket.spend(1)
      return true
    },
  }
}
