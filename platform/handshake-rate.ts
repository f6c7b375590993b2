import { addressGroup, isLoopbackGroup } from './address-group.ts'
import { systemClock, type Clock } from './clock.ts'
import { createLru } from './lru.ts'
import { createTokenBucket, type BucketRate, type TokenBucket } from './token-bucket.ts'

/** TLS handshakes of an address: a household with many browsers at once, and some hundredths of a core for good. */
export const handshakeRate: BucketRate = { perSecond: 32, atOnce: 256 }
/** Addresses whose handshakes are counted; the longest unseen is forgotten. */
const maxAddresses = 10_000

/** Bounds TLS handshakes by address: a limit of connections at once does not, as each may end after its handshake. */
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
  const buckets = createLru<TokenBucket>(maxAddresses)
  return {
    /** Whether an address may begin another one, which is counted. */
    admits(address: string): boolean {
      if (isFree(address)) return true
      const bucket = buckets.of(addressGroup(address), () => createTokenBucket(clock, rate))
      if (bucket.wait() > 0) return false
      bucket.spend(1)
      return true
    },
  }
}
