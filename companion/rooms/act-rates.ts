import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'
import type { Clock } from '../../platform/clock.ts'
import { Failure } from '../failure.ts'
import { createLru } from '../../platform/lru.ts'

interface Rate {
  readonly calls: BucketRate
  readonly bytes: BucketRate
}
/** Changes of a room. A seat's rate suits a raid by hand; the host's is only reached by a faulty page. */
export const actRates = {
  seat: { calls: { perSecond: 4, atOnce: 100 }, bytes: { perSecond: 4 * 1024, atOnce: 128 * 1024 } },
  host: { calls: { perSecond: 50, atOnce: 1_000 }, bytes: { perSecond: 256 * 1024, atOnce: 4 * 1024 * 1024 } },
} as const satisfies Record<string, Rate>
/** The least recently used one is dropped. */
const maxSeats = 1_000

/** Makes full limits. */
export function createActRates(clock: Pick<Clock, 'monotonic'>) {
  const bucketsOf = ({ calls, bytes }: Rate): { readonly calls: TokenBucket; readonly bytes: TokenBucket } => {
    return { calls: createTokenBucket(clock, calls), bytes: createTokenBucket(clock, bytes) }
  }
  const host = bucketsOf(actRates.host)
  const seats = createLru<ReturnType<typeof bucketsOf>>(maxSeats)
  return {
    /** `seat` undefined: the host. Throws code 416 above the limit. */
    take: (seat: string | undefined, content: unknown) => {
      const { calls, bytes } = seat === undefined ? host : seats.of(seat, () => bucketsOf(actRates.seat))
      if (Math.max(calls.wait(), bytes.wait()) > 0)
        throw new Failure('code', 'too much was done from here in a short time', { code: 416 })
      calls.spend(1)
      bytes.spend(Buffer.byteLength(JSON.stringify(content)))
    },
  }
}
