import type { Clock } from '../../platform/clock.ts'
import { linkLimits } from '../../contract/link/frames.ts'
import { networksOf } from '../../platform/address-group.ts'
import { createGroupPlaces } from '../../platform/group-places.ts'
import { createLru, type Lru } from '../../platform/lru.ts'
import { doubledWait } from '../../platform/backoff.ts'

/** Failed log-ins of an account from an address that delay nothing, per `failureWindow`. */
export const freeOfAccount = 5
/** The same of an address; networks have more. */
export const freeOfAddress = 20
/** How long a failure counts, in ms. */
export const failureWindow = 60_000
/** Delay of the first failure that is not free, and the longest; ms. */
export const failureWaits = { first: 100, longest: linkLimits.login - 1000 }
/** Addresses, and pairs of address and account, remembered; the least recent is forgotten. */
const remembered = 10_000

/** A log-in in progress. */
export interface LogInAttempt {
  /** Delay before the check, in ms. */
  readonly wait: number
  /** Reports the outcome once; `gone` if it was not checked. */
  end(outcome: 'failed' | 'succeeded' | 'gone'): void
}

interface Tries {
  failed: number
  underWay: number
  last: number
  /** Time of the last scheduled check. */
  slot: number
}

/** Makes what slows guessing of tokens; `maxPending` limits connections per address before log-in. */
export function createLoginThrottle(clock: Pick<Clock, 'monotonic'>, maxPending: number) {
  const pending = createGroupPlaces(() => maxPending)
  const ofAccounts = createLru<Tries>(remembered)
  const ofAddresses = createLru<Tries>(remembered)
  /** Accounts that have logged in from the address. */
  const known = createLru<true>(remembered)

  const recent = (map: Lru<Tries>, key: string): Tries => {
    const found = map.get(key)
    if (found && (found.underWay > 0 || clock.monotonic() - found.last < failureWindow)) return found
    const fresh = { failed: 0, underWay: 0, last: clock.monotonic(), slot: 0 }
    map.set(key, fresh)
    return fresh
  }
  /** Time of the next check after `count` log-ins, of which `free` are not delayed. */
  const nextSlot = ({ slot }: Tries, count: number, free: number): number =>
    count < free ? clock.monotonic() : Math.max(slot, clock.monotonic()) + doubledWait(failureWaits, count - free)

  return {
    /** Takes a place for a connection before log-in; returns its release, or undefined at the limit of the address. */
    admit: (address: string): (() => void) | undefined => pending.enter(address),
    /**
     * Begins a log-in. After failures, log-ins of an account from an address are serialised; undefined when too many
     * wait. Other addresses never delay an account, nor do other accounts where it has logged in before.
     */
    attempt(address: string, account: string): LogInAttempt | undefined {
      const key = `${address} ${account}`
      const mine = recent(ofAccounts, key)
      const here = networksOf(address).map(({ network, share }) => ({
        network,
        tries: recent(ofAddresses, network),
        free: freeOfAddress * share,
      }))
      // Pending attempts count as failures until checked.
      const own = nextSlot(mine, mine.failed + mine.underWay, freeOfAccount)
      const slots = here.map(({ tries, free }) => nextSlot(tries, tries.failed, free))
      const shared = known.get(key) ? 0 : Math.max(...slots)
      const slot = Math.max(own, shared)
      const wait = slot - clock.monotonic()
      if (wait > failureWaits.longest) return undefined
      mine.slot = own
      if (shared > 0) for (const { tries, free } of here) if (tries.failed >= free) tries.slot = shared
      mine.underWay += 1
      let over = false
      return {
        wait,
        end(outcome) {
          if (over) return
          over = true
          mine.underWay -= 1
          if (outcome === 'failed') {
            for (const tries of [mine, ...here.map((one) => one.tries)]) {
              tries.failed += 1
              tries.last = clock.monotonic()
            }
            ofAccounts.set(key, mine)
            for (const { network, tries } of here) ofAddresses.set(network, tries)
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
