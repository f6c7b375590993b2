import type { Clock } from '../clock.ts'

/** Slows down who fails to sign in, by address and by account. */
export interface SignInDelay {
  /** How many ms one must still wait; 0 when one may try. */
  left(keys: readonly string[]): number
  failed(keys: readonly string[]): void
  succeeded(keys: readonly string[]): void
}

/** Failures that cost nothing, then each doubles the wait up to the longest, in ms; a failure is forgotten after `memory` ms. */
const free = 3
const shortest = 1_000
const longest = 300_000
const memory = 900_000
/** Addresses and accounts remembered; the one that failed longest ago goes. */
const most = 2_000

/** Makes it with nobody remembered. */
export function createSignInDelay(clock: Pick<Clock, 'now'>): SignInDelay {
  const failures = new Map<string, { count: number; at: number }>()
  const of = (key: string): { count: number; at: number } | undefined => {
    const found = failures.get(key)
    // A clock that was set back makes nobody wait for longer than what they had to.
    if (found) found.at = Math.min(found.at, clock.now())
    if (found && clock.now() - found.at > memory) failures.delete(key)
    else return found
    return undefined
  }
  const waitOf = (key: string): number => {
    const found = of(key)
    if (!found || found.count < free) return 0
    return Math.max(0, found.at + Math.min(longest, shortest * 2 ** (found.count - free)) - clock.now())
  }
  return {
    left: (keys) => Math.max(0, ...keys.map(waitOf)),
    failed: (keys) => {
      for (const key of keys) {
        const count = (of(key)?.count ?? 0) + 1
        failures.delete(key)
        failures.set(key, { count, at: clock.now() })
        if (failures.size > most) failures.delete(failures.keys().next().value ?? '')
      }
    },
    succeeded: (keys) => {
      for (const key of keys) failures.delete(key)
    },
  }
}
