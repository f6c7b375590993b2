import type { Clock } from '../../platform/clock.ts'
import type { RateRule } from '../../contract/operation.ts'
import { rateLimiterOf } from '../http/shared-rate-limiter.ts'
import type { RedisScripts } from '../redis/redis-scripts.ts'

const ofAddress = (calls: number, seconds: number): RateRule => ({
  per: 'address',
  calls,
  seconds,
  code: 416,
  block: 0,
})
const rules = {
  /** New ones: enough for a household, too few to flood a room. */
  new: [ofAddress(20, 60), ofAddress(120, 3600)],
  /** The same of pages that play, one each: a school behind one address opens them all at once. */
  player: [ofAddress(100, 60), ofAddress(600, 3600)],
  /** An existing guest, in another tab or after a reload. */
  return: [ofAddress(240, 60)],
} as const satisfies Readonly<Record<string, readonly RateRule[]>>

/** Bounds the guests that an address has made. */
export function createGuestBound(clock: Pick<Clock, 'monotonic'>, redis?: Pick<RedisScripts, 'run'>) {
  const limiter = rateLimiterOf(redis, 'guests', clock)
  return {
    /** Counts one; the rate that it would exceed, if any. */
    take: (kind: keyof typeof rules, asker: { readonly application: number; readonly address: string }) =>
      limiter.take(kind, rules[kind], asker),
  }
}
