import { AsyncLocalStorage } from 'node:async_hooks'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import { createTokenBucket, type BucketRate, type TokenBucket } from '../../platform/token-bucket.ts'
import { createLru } from '../../platform/lru.ts'

/** Time that one may take of what all share: so much a second on the long run, and so much at once, in ms. */
export type TimeRate = BucketRate

/** What is left of somebody's time, in ms. */
export type TimeAccount = TokenBucket

/** Time of requests: on the event loop and in the thread of long reads. */
export interface TimeBudget {
  /** An account of its own, for a session. */
  account(): TimeAccount
  /** The account of all sessions and requests of an address (`Client.subnet`); undefined for this computer, whose clients are the app's own or a proxy's. */
  ofAddress(subnet: string): TimeAccount | undefined
  /**
   * The same for somebody without an account or a signature, who takes of the account of all strangers as well. While that has nothing left, an
   * address goes on with a small share of its own, so that those who ask for little are answered while others ask for all there is.
   */
  ofStranger(subnet: string): TimeAccount | undefined
  /** The account of all strangers together, for what is done for them outside of their requests. */
  readonly strangers: TimeAccount
  /** The account of all signed requests of an application that come from other computers. */
  ofApplication(uid: number): TimeAccount
  /**
   * Does the work of a request, and charges what it takes until it waits for something else. Within work that is charged to the same accounts
   * it charges nothing twice.
   */
  charged<T>(accounts: readonly TimeAccount[], work: () => T): T
  /** Charges time that was taken elsewhere to the request that is being served. */
  spent(ms: number): void
  /** Whether the request that is being served is a stranger's. */
  isStranger(): boolean
}

/** Of a session: a request is done in a fraction of 1 ms, so an honest client never comes near. */
const sessionRate: TimeRate = { perSecond: 100, atOnce: 200 }
/** Of all sessions and requests of one address. */
const addressRate: TimeRate = { perSecond: 300, atOnce: 600 }
/** Of all strangers together, whatever the number of their addresses: media and signed requests keep the other half of the loop. */
const strangersRate: TimeRate = { perSecond: 500, atOnce: 500 }
/** What each address of strangers has for itself: some requests a second, which is more than a viewer's player and chat need. */
const shareRate: TimeRate = { perSecond: 10, atOnce: 80 }
/** Of all signed requests of one application from other computers: more than one address alone can take. */
const applicationRate: TimeRate = { perSecond: 600, atOnce: 1200 }
/** Addresses remembered; the one that asked longest ago is forgotten, by when its time is whole again. */
const maxAddresses = 10_000

/** An account that starts whole. `monotonic` is in ms. */
export const createTimeAccount = (monotonic: () => number, rate: TimeRate): TimeAccount =>
  createTokenBucket(monotonic, rate)

/** Makes the budget of one service. */
export function createTimeBudget(
  monotonic: () => number,
  rates: {
    readonly session?: TimeRate
    readonly address?: TimeRate
    readonly application?: TimeRate
    readonly strangers?: TimeRate
  } = {},
): TimeBudget {
  const { session = sessionRate, address: shared = addressRate, application = applicationRate } = rates
  const addresses = createLru<{ readonly own: TimeAccount; readonly stranger: TimeAccount }>(maxAddresses)
  const strangers = createTimeAccount(monotonic, rates.strangers ?? strangersRate)
  /** As many as the service has applications. */
  const applications = new Map<number, TimeAccount>()
  const ofStrangers = new WeakSet<TimeAccount>()
  const serving = new AsyncLocalStorage<readonly TimeAccount[]>()
  /** Whose time passes in this turn. */
  let charging: readonly TimeAccount[] | undefined
  const strangerAt = (own: TimeAccount): TimeAccount => {
    const share = createTimeAccount(monotonic, shareRate)
    return {
      spend(ms) {
        own.spend(ms)
        strangers.spend(ms)
        // What it takes beyond its share is owed to the others only: the share is there again as soon as it is filled.
        if (share.wait() === 0) share.spend(ms)
      },
      wait: () => Math.max(own.wait(), Math.min(share.wait(), strangers.wait())),
    }
  }
  const accountsAt = (subnet: string) => {
    if (isLoopbackGroup(subnet)) return undefined
    return addresses.of(subnet, () => {
      const own = createTimeAccount(monotonic, shared)
      const stranger = strangerAt(own)
      ofStrangers.add(stranger)
      return { own, stranger }
    })
  }
  return {
    strangers,
    account: () => createTimeAccount(monotonic, session),
    ofAddress: (subnet) => accountsAt(subnet)?.own,
    ofStranger: (subnet) => accountsAt(subnet)?.stranger,
    ofApplication(uid) {
      let known = applications.get(uid)
      if (!known) applications.set(uid, (known = createTimeAccount(monotonic, application)))
      return known
    },
    charged(accounts, work) {
      if (charging === accounts) return serving.run(accounts, work)
      charging = accounts
      const begun = monotonic()
      // Called when no callback and no promise of this turn is left: what goes on later does so in the turns of others.
      queueMicrotask(() =>
        process.nextTick(() => {
          const took = monotonic() - begun
          if (charging === accounts) charging = undefined
          for (const account of accounts) account.spend(took)
        }),
      )
      return serving.run(accounts, work)
    },
    spent(ms) {
      for (const account of serving.getStore() ?? []) account.spend(ms)
    },
    isStranger: () => serving.getStore()?.some((account) => ofStrangers.has(account)) === true,
  }
}
