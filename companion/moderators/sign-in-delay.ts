import { addressGroup, networksOf } from '../../platform/address-group.ts'
import type { Clock } from '../../platform/clock.ts'
import { createLru } from '../../platform/lru.ts'
import { doubledWait } from '../../platform/backoff.ts'

/** Free failures; then each doubles the wait, in ms. */
const freeOfAccount = 3
const freeOfAddress = 12
const waits = { first: 1_000, longest: 300_000 }
/** In ms. */
const memory = 900_000
/** The least recently used one is dropped. */
const most = 2_000

/** Makes it empty. */
export function createSignInDelay(clock: Pick<Clock, 'monotonic'>) {
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
      /** Those of many have as many times the free failures. */
      wait: (key: string, share = 1): number => {
        const found = of(key)
        if (!found || found.count < free * share) return 0
        return Math.max(0, found.at + doubledWait(waits, found.count - free * share) - clock.monotonic())
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
      forget: (key: string): void => failures.delete(key),
    }
  }
  const [accounts, addresses] = [counter(freeOfAccount), counter(freeOfAddress)]
  const keyOf = (from: string, account: string | undefined): string => `${addressGroup(from)} ${account ?? ''}`
  const networks = (from: string) => networksOf(addressGroup(from))
  return {
    /** Time to wait in ms. */
    left: (from: string, account: string | undefined): number =>
      Math.max(
        accounts.wait(keyOf(from, account)),
        ...networks(from).map(({ network, share }) => addresses.wait(network, share)),
      ),
    failed: (from: string, account: string | undefined) => {
      accounts.add(keyOf(from, account))
      for (const { network } of networks(from)) addresses.add(network)
    },
    /** Forgets the account's failures there, and this one of the address. */
    succeeded: (from: string, account: string | undefined) => {
      accounts.forget(keyOf(from, account))
      // Only this one: an own account must not give free tries at others.
      for (const { network } of networks(from)) addresses.takeBack(network)
    },
  }
}
