import type { Clock } from '../../platform/clock.ts'
import type { RateRule } from '../../contract/operation.ts'
import { createLru } from '../../platform/lru.ts'

/** Counts calls against the rates of operations. */
export type RateLimiter = ReturnType<typeof createRateLimiter>

interface Calls {
  /** Ring of the times of the last `calls` calls, in ms. */
  readonly times: Float64Array
  next: number
  blockedUntil: number
}

/** Callers remembered; beyond it the least recent is forgotten. */
const callerLimit = 10_000

/** Makes a sliding-window limiter. In memory only: a restart begins anew. */
export function createRateLimiter(clock: Pick<Clock, 'monotonic'>, limit = callerLimit) {
  const callers = createLru<Calls>(limit)

  const keyOf = (
    operation: string,
    index: number,
    rule: RateRule,
    caller: { readonly application: number; readonly address: string },
  ): string =>
    `${rule.shared ?? `${operation} ${index}`} ${rule.per === 'application' ? caller.application : caller.address}`
  const callsOf = (key: string, rule: RateRule): Calls =>
    callers.of(key, () => ({
      times: new Float64Array(rule.calls).fill(-Infinity),
      next: 0,
      blockedUntil: -Infinity,
    }))

  return {
    /** The rate that a call would exceed now, if any; counts nothing. */
    exceeded(
      operation: string,
      rules: readonly RateRule[],
      caller: { readonly application: number; readonly address: string },
    ): RateRule | undefined {
      const now = clock.monotonic()
      return rules.find((rule, index) => {
        const calls = callsOf(keyOf(operation, index, rule, caller), rule)
        return now < calls.blockedUntil || now - calls.times[calls.next]! < rule.seconds * 1000
      })
    },
    /** Counts a call; returns the exceeded rate, if any. Refused calls are not counted. */
    take(
      operation: string,
      rules: readonly RateRule[],
      caller: { readonly application: number; readonly address: string },
    ): RateRule | undefined {
      const now = clock.monotonic()
      const counted: Calls[] = []
      for (const [index, rule] of rules.entries()) {
        const calls = callsOf(keyOf(operation, index, rule, caller), rule)
        if (now < calls.blockedUntil) return rule
        // The next slot holds the call `rule.calls` calls ago.
        if (now - calls.times[calls.next]! < rule.seconds * 1000) {
          if (rule.block > 0) calls.blockedUntil = now + rule.block * 1000
          return rule
        }
        counted.push(calls)
      }
      for (const calls of counted) {
        calls.times[calls.next] = now
        calls.next = (calls.next + 1) % calls.times.length
      }
      return undefined
    },
  }
}
