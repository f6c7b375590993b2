import type { Kysely } from 'kysely'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import { deliveryResults } from '../../contract/callbacks/results.ts'
import type { Log } from '../log.ts'
import type { DeliveryTable, Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { AddressGuard } from './address-guard.ts'
import { createDeliveries } from './deliveries.ts'
import { deliverOnce, type Attempt } from './delivery-request.ts'
import { createOutcomes } from './outcomes.ts'

/** How one kind of message is delivered. */
export interface DeliveryKind {
  /** Waits in ms before each resend; after the last the message stays in the log. */
  readonly resendAfter: readonly number[]
  /** Headers of one attempt, made anew for each: signed with what is in force then. */
  headers(uid: number, body: string): Promise<Readonly<Record<string, string>>>
}

/** A message to be delivered. */
export interface Message {
  readonly uid: number
  readonly kind: string
  readonly url: string
  /** The body that carries the message's id. */
  readonly body: (nId: string) => string
}

/** Durable deliveries: at least once, the same nId on every attempt, marked once, over kills and restarts (decisions, Live, Callback). */
export interface Outbox {
  /** Puts a message in, within the caller's transaction (`store.durable`), and returns its nId. It is sent once the transaction stands. */
  put(transaction: Kysely<Tables>, message: Message): Promise<string>
  /** Sends what still waits of a kind to another address, at once. */
  redirect(transaction: Kysely<Tables>, to: { readonly uid: number; readonly kind: string; readonly url: string }): Promise<void>
  /** Delivers an entry of the log again, with a schedule from its beginning and, when given, to another address; false when there is none. */
  resend(nId: string, url: string | undefined): Promise<boolean>
  find(nId: string): Promise<DeliveryTable | undefined>
  /** An application's entries, newest first, those put in before a time when one is given. */
  list(uid: number, limit: number, before: number | undefined): Promise<DeliveryTable[]>
  /** How many of an application wait. */
  waiting(uid: number): Promise<number>
  /** Begins to deliver; before it messages are only kept. */
  start(): void
  /** Ends attempts under way (they are made again at the next start) and waits until what came of others is kept. */
  close(): Promise<void>
}

/** What an outbox works with. */
export interface OutboxOptions {
  readonly store: Pick<Store, 'db' | 'durable'>
  readonly guard: AddressGuard
  readonly kinds: Readonly<Record<string, DeliveryKind>>
  /** Whether an application's messages may go to this computer and its network. */
  readonly localAllowed: (uid: number) => Promise<boolean>
  readonly clock: () => number
  /** Calls once after ms; returns its cancellation. */
  readonly after: (ms: number, call: () => void) => () => void
  readonly random: (bytes: number) => Buffer
  readonly log: Log
  /** Certificate authorities beside the system's. */
  readonly ca?: string | undefined
}

/** Attempts under way to one target (scheme, host and port) at once, and to all. What is beyond waits in the database. */
const perTarget = 4
const inAll = 32
/** How long the outbox sleeps at most, in ms: after a clock was set, nothing is late by more than this. */
const sleepMost = 60_000
/** How long it waits after the database refused, in ms. */
const afterFault = 5_000
/** The log keeps ended entries this long, in ms, and at most this many of an application; the oldest go first. Waiting ones are never dropped. */
const logLife = 30 * 86_400_000
const logMost = 10_000
const trimEvery = 3_600_000

const targetOf = (url: string): string => new URL(url).origin

/** Makes an outbox over the store. */
export async function createOutbox(options: OutboxOptions): Promise<Outbox> {
  const { store, guard, kinds, clock, after, log } = options
  const rows = createDeliveries(store.db)
  const closing = new AbortController()
  const outcomes = createOutcomes(options, closing.signal)
  const underWay = new Map<string, string>()
  const working = new Set<Promise<void>>()
  let lastCreated = await rows.newest()
  /** Targets to be looked at; `all` when something may be due for others too. */
  const wanted = new Set<string>()
  let all = false
  /** Up to when every target was looked at. */
  let lookedUntil = 0
  /** Something is due that the bound on all attempts keeps waiting. */
  let held = false
  let looking = false
  let started = false
  let wakeAt = Infinity
  let cancelWake = (): void => {}
  let cancelTrim = (): void => {}

  const track = (work: Promise<void>): void => {
    working.add(work)
    void work.finally(() => working.delete(work))
  }
  /** Looks at everything after ms, or earlier when that was asked for before. */
  const wakeAfter = (ms: number): void => {
    const at = clock() + ms
    if (!started || closing.signal.aborted || at >= wakeAt) return
    cancelWake()
    wakeAt = at
    cancelWake = after(ms, () => {
      wakeAt = Infinity
      pump()
    })
  }
  const underWayTo = (target: string): number => [...underWay.values()].filter((to) => to === target).length

  const attempt = async (row: DeliveryTable): Promise<Attempt> => {
    const deadline = new AbortController()
    const cancel = after(deliveryTimeout, () => deadline.abort())
    const signal = AbortSignal.any([deadline.signal, closing.signal])
    const late = new Promise<'late'>((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true }))
    try {
      const kind = kinds[row.kind]
      if (!kind) return { delivered: false, result: deliveryResults.kind }
      const target = await Promise.race([guard.check(row.url, await options.localAllowed(row.uid)), late])
      if (target === 'late') return { delivered: false, result: deliveryResults.unresolved }
      if (!target.ok) return { delivered: false, result: target.reason.slice(0, 256) }
      return await deliverOnce({ target, body: row.body, headers: await kind.headers(row.uid, row.body), signal, ca: options.ca })
    } catch (error) {
      log.error({ nId: row.nId, err: error }, 'a delivery could not be made')
      return { delivered: false, result: deliveryResults.fault }
    } finally {
      cancel()
    }
  }
  const deliver = async (row: DeliveryTable): Promise<void> => {
    const outcome = await attempt(row)
    // An attempt that the closing cut off has no outcome: it stays as it was and is made again at the next start.
    if (outcome.delivered || !closing.signal.aborted) {
      const words = { nId: row.nId, kind: row.kind, target: row.target, attempt: row.attempts + 1, result: outcome.result }
      if (outcome.delivered) log.info(words, 'delivered')
      else log.warn(words, 'not delivered')
      const target = await outcomes.keep(row, outcome)
      if (target !== row.target) wanted.add(target)
    }
    underWay.delete(row.nId)
    pump(held ? undefined : row.target)
  }

  const lookAt = async (target: string): Promise<void> => {
    const free = perTarget - underWayTo(target)
    const room = Math.min(free, inAll - underWay.size)
    if (room < free) held = true
    if (room <= 0) return
    for (const row of await rows.due(target, clock(), [...underWay.keys()], room)) {
      if (closing.signal.aborted) return
      underWay.set(row.nId, target)
      track(deliver(row))
    }
  }
  const look = async (): Promise<void> => {
    while ((all || wanted.size > 0) && !closing.signal.aborted) {
      const [everything, some, now] = [all, [...wanted], clock()]
      all = false
      wanted.clear()
      if (everything) {
        lookedUntil = now
        held = false
      }
      const targets = everything ? await rows.targets(now) : some
      for (const target of targets) await lookAt(target)
    }
    const next = await rows.nextDue(lookedUntil)
    wakeAfter(Math.min(next === undefined ? sleepMost : Math.max(next - clock(), 0), sleepMost))
  }
  /** Looks what is due for a target that has room again, or for all. */
  const pump = (target?: string): void => {
    if (target === undefined) all = true
    else wanted.add(target)
    if (looking || !started || closing.signal.aborted) return
    looking = true
    track(
      look()
        .catch((error: unknown) => {
          log.error({ err: error }, 'the outbox could not be read')
          all = false
          wanted.clear()
          wakeAfter(afterFault)
        })
        .finally(() => {
          looking = false
          if (all || wanted.size > 0) pump(wanted.values().next().value)
        }),
    )
  }
  const trim = (): void => {
    track(rows.trim(logMost, clock() - logLife).catch((error: unknown) => log.error({ err: error }, 'the delivery log could not be trimmed')))
    cancelTrim = after(trimEvery, trim)
  }

  return {
    async put(transaction, { uid, kind, url, body }) {
      const nId = options.random(16).toString('hex')
      const now = clock()
      lastCreated = Math.max(now, lastCreated + 1)
      const given = { nId, uid, kind, url, target: targetOf(url), body: body(nId) }
      await rows.insert({ ...given, state: 'waiting', attempts: 0, step: 0, due: now, created: lastCreated, result: null }, transaction)
      // The look waits for the connection, which the caller's transaction has until it stands.
      wakeAfter(0)
      return nId
    },
    async redirect(transaction, { uid, kind, url }) {
      const elsewhere = transaction
        .updateTable('delivery')
        .where('uid', '=', uid)
        .where('kind', '=', kind)
        .where('state', '=', 'waiting')
        .where('url', '!=', url)
      await elsewhere.set({ url, target: targetOf(url), due: clock() }).execute()
      wakeAfter(0)
    },
    async resend(nId, url) {
      const again = { state: 'waiting' as const, step: 0, due: clock(), ...(url !== undefined && { url, target: targetOf(url) }) }
      const { numUpdatedRows } = await store.durable((transaction) => transaction.updateTable('delivery').set(again).where('nId', '=', nId).executeTakeFirst())
      pump()
      return numUpdatedRows > 0n
    },
    find: (nId) => rows.find(nId),
    list: (uid, limit, before) => rows.list(uid, limit, before),
    waiting: (uid) => rows.waiting(uid),
    start() {
      started = true
      trim()
      pump()
    },
    async close() {
      closing.abort()
      cancelWake()
      cancelTrim()
      while (working.size > 0) await Promise.allSettled(working)
    },
  }
}
