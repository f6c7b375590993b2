import { addressGroup } from '../../platform/address-group.ts'
import type { Clock } from '../../platform/clock.ts'
import { createLru } from '../../platform/lru.ts'
import { doubledWait } from '../../platform/backoff.ts'

/**
 * Slows down who fails to sign in: by address with account, and by address alone, IPv6 by /64. What happens at one address costs nothing at
 * another, so nobody is kept out by who knows their account's name.
 */
export interface SignInDelay {
  /** How many ms one must still wait; 0 when one may try. */
  left(from: string, account: string | undefined): number
  failed(from: string, account: string | undefined): void
  /** It was not a failure after all: the account is forgotten at this address, and the address is as before. */
  succeeded(from: string, account: string | undefined): void
}

/** Failures that cost nothing, of an account at an address and of an address, then each doubles the wait up to the longest, in ms. */
const freeOfAccount = 3
const freeOfAddress = 12
const waits = { first: 1_000, longest: 300_000 }
/** A failure is forgotten after this, in ms. */
const memory = 900_000
/** Addresses, and accounts at addresses, remembered of each; the one that was asked for longest ago goes. */
const most = 2_000

/** Makes it with nobody remembered. */
export function createSignInDelay(clock: Pick<Clock, 'monotonic'>): SignInDelay {
  interface Failures {
    readonly count: number
    readonly at: number
  }
  const counter = (free: number) => {
    const failures = createLru<Failures>(most)
    const of = (key: string): Failures | undefined => {
      const found = failures.get(key)
      if (found && clock.monotonic() - found.at > memory) failures.delete(key)
      else return found
      return undefined
    }
    return {
      wait: (key: string): number => {
        const found = of(key)
        if (!found || found.count < free) return 0
        return Math.max(0, found.at + doubledWait(waits, found.count - free) - clock.monotonic())
      },
      add: (key: string): void => {
        const count = (of(key)?.count ?? 0) + 1
        failures.set(key, { count, at: clock.monotonic() })
      },
      takeBack: (key: string): void => {
        const found = of(key)
        if (!found || found.count <= 1) failures.delete(key)
        else failures.set(key, { count: found.count - 1, at: found.at })
      },
      forget: (key: string): void => {
        failures.delete(key)
      },
    }
  }
  const [accounts, addresses] = [counter(freeOfAccount), counter(freeOfAddress)]
  const keyOf = (from: string, account: string | undefined): string => `${addressGroup(from)} ${account ?? ''}`
  return {
    left: (from, account) => Math.max(accounts.wait(keyOf(from, account)), addresses.wait(addressGroup(from))),
    failed: (from, account) => {
      accounts.add(keyOf(from, account))
      addresses.add(addressGroup(from))
    },
    succeeded: (from, account) => {
      accounts.forget(keyOf(from, account))
      // Only its own: who has an account of their own must not get free tries at others by it.
      addresses.takeBack(addressGroup(from))
    },
  }
}
