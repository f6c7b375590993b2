import type { Clock } from '../../platform/clock.ts'
import type { RateRule } from '../../contract/operation.ts'
import { networksOf } from '../../platform/address-group.ts'
import { createLru } from '../../platform/lru.ts'

/** Counts calls against the rates of operations: a promise where nodes count together. */
export interface RateLimiter {
  /** The rate that a call would exceed now, if any; counts nothing. */
  exceeded(operation: string, rules: readonly RateRule[], caller: RateCaller): MaybeRate
  /** Counts a call; the exceeded rate, if any. Refused calls are not counted. */
  take(operation: string, rules: readonly RateRule[], caller: RateCaller): MaybeRate
}
type MaybeRate = RateRule | undefined | Promise<RateRule | undefined>

interface Calls {
  /** Ring of the times of the last `calls` calls, in ms. */
  readonly times: Float64Array
  next: number
  blockedUntil: number
}

/** Who calls: an application at an address (`Client.subnet`). */
export interface RateCaller {
  readonly application: number
  readonly address: string
}

/** Callers remembered; beyond it the least recent is forgotten. */
const callerLimit = 10_000

/** What is counted for a rule: of an address its networks too, with more calls (`networksOf`). */
export function countersOf(operation: string, index: number, rule: RateRule, caller: RateCaller) {
  const name = rule.shared ?? `${operation} ${index}`
  const all =
    rule.per === 'application' ? [{ network: String(caller.application), share: 1 }] : networksOf(caller.address)
  return all.map(({ network, share }) => ({ key: `${name} ${network}`, calls: rule.calls * share }))
}

/** Makes a sliding-window limiter. In memory only: a restart begins anew. */
export function createRateLimiter(clock: Pick<Clock, 'monotonic'>, limit = callerLimit) {
  const callers = createLru<Calls>(limit)

  const callsOf = (operation: string, index: number, rule: RateRule, caller: RateCaller): Calls[] =>
    countersOf(operation, index, rule, caller).map(({ key, calls }) =>
      callers.of(key, () => ({ times: new Float64Array(calls).fill(-Infinity), next: 0, blockedUntil: -Infinity })),
    )
  /** The next slot holds the call `rule.calls` calls ago. */
  const isOver = ({ times, next }: Calls, rule: RateRule, now: number): boolean =>
    now - times[next]! < rule.seconds * 1000

  const note = (calls: Calls, now: number): void => {
    calls.times[calls.next] = now
    calls.next = (calls.next + 1) % calls.times.length
  }

  return {
    /** The rate that a call would exceed now, if any; counts nothing. */
    exceeded(operation: string, rules: readonly RateRule[], caller: RateCaller): RateRule | undefined {
      const now = clock.monotonic()
      return rules.find((rule, index) =>
        callsOf(operation, index, rule, caller).some((calls) => now < calls.blockedUntil || isOver(calls, rule, now)),
      )
    },
    /** Counts a call; returns the exceeded rate, if any. Refused calls are not counted. */
    take(operation: string, rules: readonly RateRule[], caller: RateCaller): RateRule | undefined {
      const now = clock.monotonic()
      const counted: Calls[] = []
      for (const [index, rule] of rules.entries())
        for (const calls of callsOf(operation, index, rule, caller)) {
          if (now < calls.blockedUntil) return rule
          if (isOver(calls, rule, now)) {
            if (rule.block > 0) calls.blockedUntil = now + rule.block * 1000
            return rule
          }
          counted.push(calls)
        }
      for (const calls of counted) note(calls, now)
      return undefined
    },
    /** Counts a call that nobody can refuse. */
    count(operation: string, rules: readonly RateRule[], caller: RateCaller): void {
      const now = clock.monotonic()
      for (const [index, rule] of rules.entries())
        for (const calls of callsOf(operation, index, rule, caller)) note(calls, now)
    },
  }
}
