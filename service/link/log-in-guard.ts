import { linkLimits } from '../../contract/link/frames.ts'

/** Failed log-ins of one address, or of one account, that are answered at once within the window. */
const free = 5
/** How long a failure counts, in ms. */
const window = 60_000
/** The first wait; each further failure doubles it, up to the longest. In ms. */
const firstWait = 100
const longestWait = linkLimits.login - 1000
/** Addresses and accounts remembered; beyond it the one that failed longest ago is forgotten. */
const remembered = 10_000

/** Slows guessing of tokens and bounds connections that have not logged in. */
export interface LogInGuard {
  /** Takes a place for a connection that has not logged in; undefined when its address has too many, else what gives the place back. */
  admit(address: string): (() => void) | undefined
  /** How long a log-in must wait before it is looked at, in ms. */
  wait(keys: readonly string[]): number
  failed(keys: readonly string[]): void
  succeeded(keys: readonly string[]): void
}

/** Makes the guard over a clock in ms that never jumps. `pendingMost` bounds connections of one address that have not logged in. */
export function createLogInGuard(monotonic: () => number, pendingMost: number): LogInGuard {
  const pending = new Map<string, number>()
  const failures = new Map<string, { count: number; last: number }>()
  const recent = (key: string): { count: number; last: number } | undefined => {
    const known = failures.get(key)
    if (known && monotonic() - known.last >= window) {
      failures.delete(key)
      return undefined
    }
    return known
  }

  return {
    admit(address) {
      const count = pending.get(address) ?? 0
      if (count >= pendingMost) return undefined
      pending.set(address, count + 1)
      let held = true
      return () => {
        if (!held) return
        held = false
        const left = pending.get(address)! - 1
        if (left === 0) pending.delete(address)
        else pending.set(address, left)
      }
    },
    wait(keys) {
      const most = Math.max(...keys.map((key) => recent(key)?.count ?? 0))
      return most < free ? 0 : Math.min(longestWait, firstWait * 2 ** Math.min(most - free, 16))
    },
    failed(keys) {
      for (const key of keys) {
        const known = recent(key) ?? { count: 0, last: 0 }
        // Moved to the end: the map's order is the order of the last failure.
        failures.delete(key)
        if (failures.size >= remembered) failures.delete(failures.keys().next().value!)
        failures.set(key, { count: known.count + 1, last: monotonic() })
      }
    },
    succeeded(keys) {
      for (const key of keys) failures.delete(key)
    },
  }
}
