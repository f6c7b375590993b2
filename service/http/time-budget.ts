import { AsyncLocalStorage } from 'node:async_hooks'

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
  /** The account that all of an address share; undefined for this computer, whose clients are the app's own or a proxy's. */
  ofAddress(address: string): TimeAccount | undefined
  /** Does the work of a request, and charges what it takes until it waits for something else. */
  charged<T>(accounts: readonly TimeAccount[], work: () => Promise<T>): Promise<T>
  /** Charges time that was taken elsewhere to the request that is being served. */
  spent(ms: number): void
}

/** Of a session: a request is done in a fraction of 1 ms, so an honest client never comes near. */
const sessionRate: TimeRate = { perSecond: 100, atOnce: 200 }
/** Of all sessions and requests of one address. */
const addressRate: TimeRate = { perSecond: 300, atOnce: 600 }
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

const isHere = (address: string): boolean => address === '::1' || /^(?:::ffff:)?127\./.test(address)

/** Makes the budget of one service. */
export function createTimeBudget(monotonic: () => number, rates: { readonly session?: TimeRate; readonly address?: TimeRate } = {}): TimeBudget {
  const { session = sessionRate, address: shared = addressRate } = rates
  const addresses = new Map<string, TimeAccount>()
  const serving = new AsyncLocalStorage<readonly TimeAccount[]>()
  return {
    account: () => createTimeAccount(monotonic, session),
    ofAddress(address) {
      if (isHere(address)) return undefined
      const known = addresses.get(address) ?? createTimeAccount(monotonic, shared)
      // Moved to the end: the map's order is the order of the last request.
      addresses.delete(address)
      if (addresses.size >= addressesMost) addresses.delete(addresses.keys().next().value!)
      addresses.set(address, known)
      return known
    },
    charged(accounts, work) {
      const begun = monotonic()
      // Called when no callback and no promise of this turn is left: what goes on later does so in the turns of others.
      queueMicrotask(() =>
        process.nextTick(() => {
          const took = monotonic() - begun
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
