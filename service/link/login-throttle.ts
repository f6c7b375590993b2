import { linkLimits } from '../../contract/link/frames.ts'
import { createGroupPlaces } from '../../platform/group-places.ts'
import { createLru, type Lru } from '../../platform/lru.ts'
import { doubledWait } from '../../platform/backoff.ts'

/** Failed log-ins that are answered at once within the window: of one account from one address, and of one address with any account. */
const freeOfAccount = 5
const freeOfAddress = 20
/** How long a failure counts, in ms. */
const window = 60_000
/** The wait of the first failure that is not free, and the longest one. */
const waits = { first: 100, longest: linkLimits.login - 1000 }
/** Addresses, and accounts at addresses, remembered; beyond it the one that was used longest ago is forgotten. */
const remembered = 10_000

/** One log-in under way. */
export interface LogInAttempt {
  /** How long it must wait before it is looked at, in ms. */
  readonly wait: number
  /** Says what became of it, once: `gone` when neither was found out. */
  end(outcome: 'failed' | 'succeeded' | 'gone'): void
}

/** Slows guessing of tokens and bounds connections that have not logged in. */
export interface LoginThrottle {
  /** Takes a place for a connection that has not logged in; undefined when its address has too many, else what gives the place back. */
  admit(address: string): (() => void) | undefined
  /**
   * Begins a log-in. After failures those of an account from one address come one after the other, however many are tried at once; undefined when
   * too many wait already. An account is never held up by what other addresses do, nor, where it has logged in before, by other accounts there.
   */
  attempt(address: string, account: string): LogInAttempt | undefined
}

interface Tries {
  failed: number
  underWay: number
  last: number
  /** When the last of those that wait may be looked at. */
  slot: number
}

/** Makes the throttle over a clock in ms that never jumps. `maxPending` bounds connections of one address that have not logged in. */
export function createLoginThrottle(monotonic: () => number, maxPending: number): LoginThrottle {
  const pending = createGroupPlaces(() => maxPending)
  const ofAccounts = createLru<Tries>(remembered)
  const ofAddresses = createLru<Tries>(remembered)
  /** Accounts that have logged in from an address, which is then theirs too. */
  const known = createLru<true>(remembered)

  const recent = (map: Lru<Tries>, key: string): Tries => {
    const found = map.get(key)
    if (found && (found.underWay > 0 || monotonic() - found.last < window)) return found
    const fresh = { failed: 0, underWay: 0, last: monotonic(), slot: 0 }
    map.set(key, fresh)
    return fresh
  }
  /** When the next log-in may be looked at, with `count` before it of which so many cost nothing. */
  const nextSlot = ({ slot }: Tries, count: number, free: number): number =>
    count < free ? monotonic() : Math.max(slot, monotonic()) + doubledWait(waits, count - free)

  return {
    admit: (address) => pending.enter(address),
    attempt(address, account) {
      const key = `${address} ${account}`
      const [mine, here] = [recent(ofAccounts, key), recent(ofAddresses, address)]
      // Attempts under way may all be wrong: they count until it is known.
      const own = nextSlot(mine, mine.failed + mine.underWay, freeOfAccount)
      const shared = known.get(key) ? 0 : nextSlot(here, here.failed, freeOfAddress)
      const slot = Math.max(own, shared)
      const wait = slot - monotonic()
      if (wait > waits.longest) return undefined
      mine.slot = own
      if (here.failed >= freeOfAddress && shared > 0) here.slot = shared
      mine.underWay += 1
      let over = false
      return {
        wait,
        end(outcome) {
          if (over) return
          over = true
          mine.underWay -= 1
          if (outcome === 'failed') {
            for (const tries of [mine, here]) {
              tries.failed += 1
              tries.last = monotonic()
            }
            ofAccounts.set(key, mine)
            ofAddresses.set(address, here)
          } else if (outcome === 'succeeded') {
            mine.failed = 0
            mine.slot = 0
            known.set(key, true)
          }
        },
      }
    },
  }
}
