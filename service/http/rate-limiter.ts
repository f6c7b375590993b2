import type { RateRule } from '../../contract/operation.ts'

/** Counts calls against the rules of operations. */
export interface RateLimiter {
  /** Counts one call of a caller; the rule that it breaks, or undefined when it may go on. A refused call is not counted. */
  take(
    operation: string,
    rules: readonly RateRule[],
    caller: { readonly application: number; readonly address: string },
  ): RateRule | undefined
}

interface Calls {
  /** Times in ms of the last `calls` calls, as a ring. */
  readonly times: Float64Array
  next: number
  blockedUntil: number
}

/** Callers remembered; beyond it the one that called longest ago is forgotten. */
const callerLimit = 10_000

/** Makes a sliding-window limiter over a clock in ms that never jumps. Counts live in memory: a restart begins anew. */
export function createRateLimiter(monotonic: () => number, limit = callerLimit): RateLimiter {
  const callers = new Map<string, Calls>()

  const callsOf = (key: string, rule: RateRule): Calls => {
    const known = callers.get(key)
    if (known) {
      // Moved to the end: the map's order is the order of the last call.
      callers.delete(key)
      callers.set(key, known)
      return known
    }
    if (callers.size >= limit) callers.delete(callers.keys().next().value!)
    const calls: Calls = { times: new Float64Array(rule.calls).fill(-Infinity), next: 0, blockedUntil: -Infinity }
    callers.set(key, calls)
    return calls
  }

  return {
    take(operation, rules, caller) {
      const now = monotonic()
      const counted: Calls[] = []
      for (const [index, rule] of rules.entries()) {
        const counter = rule.shared ?? `${operation} ${index}`
        const calls = callsOf(`${counter} ${rule.per === 'application' ? caller.application : caller.address}`, rule)
        if (now < calls.blockedUntil) return rule
        // The ring's next slot holds the call that was `rule.calls` calls ago.
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
