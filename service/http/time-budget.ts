import type { Clock } from '../../platform/clock.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'
import { createLru } from '../../platform/lru.ts'

/** A rate of processing time: ms per second, and burst in ms. */
export type TimeRate = BucketRate

/** Remaining processing time, in ms. */
export type TimeAccount = TokenBucket

/** Limits processing time of requests: on the event loop and in the thread of long reads. */
export type TimeBudget = ReturnType<typeof createTimeBudget>

/** Per session; a request takes a fraction of 1 ms. */
const sessionRate: TimeRate = { perSecond: 100, atOnce: 200 }
/** Per address. */
const addressRate: TimeRate = { perSecond: 300, atOnce: 600 }
/** All strangers together: media and signed requests keep the other half of the loop. */
const strangersRate: TimeRate = { perSecond: 500, atOnce: 500 }
/** Own share of a stranger's address: a few requests a second, more than a viewer's player and chat need. */
const shareRate: TimeRate = { perSecond: 10, atOnce: 80 }
/** Per application, over all its computers: more than one address may use. */
const applicationRate: TimeRate = { perSecond: 600, atOnce: 1200 }
/** Addresses remembered; beyond it the least recent is forgotten, full again by then. */
const maxAddresses = 10_000

/** A full account. */
export const createTimeAccount = (clock: Pick<Clock, 'monotonic'>, rate: TimeRate): TimeAccount =>
  createTokenBucket(clock, rate)

/** Makes the budget of a service. */
export function createTimeBudget(
  clock: Pick<Clock, 'monotonic'>,
  rates: {
    readonly session?: TimeRate
    readonly address?: TimeRate
    readonly application?: TimeRate
    readonly strangers?: TimeRate
  } = {},
) {
  const { session = sessionRate, address: shared = addressRate, application = applicationRate } = rates
  const addresses = createLru<{ readonly own: TimeAccount; readonly stranger: TimeAccount }>(maxAddresses)
  const strangers = createTimeAccount(clock, rates.strangers ?? strangersRate)
  /** Bounded by the number of applications. */
  const applications = new Map<number, TimeAccount>()
  const ofStrangers = new WeakSet<TimeAccount>()
  const serving = new AsyncLocalStorage<readonly TimeAccount[]>()
  /** Accounts charged in this turn. */
  let charging: readonly TimeAccount[] | undefined
  const strangerAt = (own: TimeAccount): TimeAccount => {
    const share = createTimeAccount(clock, shareRate)
    return {
      spend(ms) {
        own.spend(ms)
        strangers.spend(ms)
        // Only the other accounts go into debt, so the share recovers at once.
        if (share.wait() === 0) share.spend(ms)
      },
      wait: () => Math.max(own.wait(), Math.min(share.wait(), strangers.wait())),
    }
  }
  const accountsAt = (subnet: string) => {
    if (isLoopbackGroup(subnet)) return undefined
    return addresses.of(subnet, () => {
      const own = createTimeAccount(clock, shared)
      const stranger = strangerAt(own)
      ofStrangers.add(stranger)
      return { own, stranger }
    })
  }
  return {
    /** Account of all strangers, for work outside of their requests. */
    strangers,
    /** A separate account, for a session. */
    account: (): TimeAccount => createTimeAccount(clock, session),
    /** Account of all work of an address (`Client.subnet`); undefined for this computer, which may be a proxy. */
    ofAddress: (subnet: string): TimeAccount | undefined => accountsAt(subnet)?.own,
    /** The same for strangers, who also share one account; when that is empty, the address has a small own share. */
    ofStranger: (subnet: string): TimeAccount | undefined => accountsAt(subnet)?.stranger,
    /** Account of all signed requests of an application from other computers. */
    ofApplication(uid: number): TimeAccount {
      let known = applications.get(uid)
      if (!known) applications.set(uid, (known = createTimeAccount(clock, application)))
      return known
    },
    /** Runs work and charges its time until it waits. Nested work for the same accounts is charged once. */
    charged<T>(accounts: readonly TimeAccount[], work: () => T): T {
      if (charging === accounts) return serving.run(accounts, work)
      charging = accounts
      const begun = clock.monotonic()
      // Runs after all callbacks and promises of this turn: later work belongs to other turns.
      queueMicrotask(() =>
        process.nextTick(() => {
          const took = clock.monotonic() - begun
          if (charging === accounts) charging = undefined
          for (const account of accounts) account.spend(took)
        }),
      )
      return serving.run(accounts, work)
    },
    /** Charges time spent elsewhere to the current request. */
    spent(ms: number) {
      for (const account of serving.getStore() ?? []) account.spend(ms)
    },
    /** Whether the current request is a stranger's. */
    isStranger: () => serving.getStore()?.some((account) => ofStrangers.has(account)) === true,
  }
}
