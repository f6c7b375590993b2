import { AsyncLocalStorage } from 'node:async_hooks'
import { isLoopbackGroup } from '../../platform/address-group.ts'

/** Time that one may take of what all share: so much a second on the long run, and so much at once, in ms. */
export interface TimeRate {
  readonly perSecond: number
  readonly atOnce: number
}

/** What is left of somebody's time. */
export interface TimeAccount {
  /** Takes ms away; it may become less than nothing. */
  spend(ms: number): void
  /** For how many ms it has nothing left; 0 when it has. */
  wait(): number
}

/** Time of requests: on the event loop and in the thread of long reads. */
export interface TimeBudget {
  /** An account of its own, for a session. */
  account(): TimeAccount
  /** The account of all sessions and requests of an address (`Client.subnet`); undefined for this computer, whose clients are the app's own or a proxy's. */
  ofAddress(subnet: string): TimeAccount | undefined
  /** The account of all signed requests of an application that come from other computers. */
  ofApplication(uid: number): TimeAccount
  /**
   * Does the work of a request, and charges what it takes until it waits for something else. Within work that is charged to the same accounts
   * it charges nothing twice.
   */
  charged<T>(accounts: readonly TimeAccount[], work: () => T): T
  /** Charges time that was taken elsewhere to the request that is being served. */
  spent(ms: number): void
}

/** Of a session: a request is done in a fraction of 1 ms, so an honest client never comes near. */
const sessionRate: TimeRate = { perSecond: 100, atOnce: 200 }
/** Of all sessions and requests of one address. */
const addressRate: TimeRate = { perSecond: 300, atOnce: 600 }
/** Of all signed requests of one application from other computers: more than one address alone can take. */
const applicationRate: TimeRate = { perSecond: 600, atOnce: 1200 }
/** Addresses remembered; the one that asked longest ago is forgotten, by when its time is whole again. */
const addressesMost = 10_000

/** An account that starts whole. `monotonic` is in ms. */
export function createTimeAccount(monotonic: () => number, { perSecond, atOnce }: TimeRate): TimeAccount {
  let left = atOnce
  let at = monotonic()
  const settle = (): void => {
    const now = monotonic()
    left = Math.min(atOnce, left + ((now - at) * perSecond) / 1000)
    at = now
  }
  return {
    spend(ms) {
      settle()
      left -= ms
    },
    wait() {
      settle()
      return left > 0 ? 0 : Math.ceil(((1 - left) * 1000) / perSecond)
    },
  }
}

/** Makes the budget of one service. */
export function createTimeBudget(
  monotonic: () => number,
  rates: { readonly session?: TimeRate; readonly address?: TimeRate; readonly application?: TimeRate } = {},
): TimeBudget {
  const { session = sessionRate, address: shared = addressRate, application = applicationRate } = rates
  const addresses = new Map<string, TimeAccount>()
  /** As many as the service has applications. */
  const applications = new Map<number, TimeAccount>()
  const serving = new AsyncLocalStorage<readonly TimeAccount[]>()
  /** Whose time passes in this turn. */
  let charging: readonly TimeAccount[] | undefined
  return {
    account: () => createTimeAccount(monotonic, session),
    ofAddress(subnet) {
      if (isLoopbackGroup(subnet)) return undefined
      const known = addresses.get(subnet) ?? createTimeAccount(monotonic, shared)
      // Moved to the end: the map's order is the order of the last request.
      addresses.delete(subnet)
      if (addresses.size >= addressesMost) addresses.delete(addresses.keys().next().value!)
      addresses.set(subnet, known)
      return known
    },
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
  }
}
