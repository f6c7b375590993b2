import type { Kysely } from 'kysely'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import type { Log } from '../log.ts'
import type { DeliveryTable, Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { AddressGuard } from './address-guard.ts'
import { createDeliveries, type Skip } from './deliveries.ts'
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
  let looking = false
  let again = false
  let started = false
  let cancelWake = (): void => {}
  let cancelTrim = (): void => {}

  const track = (work: Promise<void>): void => {
    working.add(work)
    void work.finally(() => working.delete(work))
  }
  const wakeAfter = (ms: number): void => {
    cancelWake()
    if (started && !closing.signal.aborted) cancelWake = after(ms, pump)
  }
  const skip = (): Skip => {
    const counts = new Map<string, number>()
    for (const target of underWay.values()) counts.set(target, (counts.get(target) ?? 0) + 1)
    return { underWay: [...underWay.keys()], targets: [...counts].filter(([, count]) => count >= perTarget).map(([target]) => target) }
  }

  const attempt = async (row: DeliveryTable): Promise<Attempt> => {
    const deadline = new AbortController()
    const cancel = after(deliveryTimeout, () => deadline.abort())
    const signal = AbortSignal.any([deadline.signal, closing.signal])
    const late = new Promise<'late'>((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true }))
    try {
      const kind = kinds[row.kind]
      if (!kind) return { delivered: false, result: 'this kind is not delivered any more' }
      const target = await Promise.race([guard.check(row.url, await options.localAllowed(row.uid)), late])
      if (target === 'late') return { delivered: false, result: 'no answer in time: the name did not resolve' }
      if (!target.ok) return { delivered: false, result: target.reason.slice(0, 256) }
      return await deliverOnce({ target, body: row.body, headers: await kind.headers(row.uid, row.body), signal, ca: options.ca })
    } catch (error) {
      log.error({ nId: row.nId, err: error }, 'a delivery could not be made')
      return { delivered: false, result: 'fault of the service, see its log' }
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
      await outcomes.keep(row, outcome)
    }
    underWay.delete(row.nId)
    pump()
  }

  const look = async (): Promise<void> => {
    for (;;) {
      again = false
      const room = inAll - underWay.size
      const found = room > 0 ? await rows.due(clock(), skip(), room) : []
      if (closing.signal.aborted) return
      let begun = 0
      for (const row of found) {
        if (skip().targets.includes(row.target)) continue
        underWay.set(row.nId, row.target)
        track(deliver(row))
        begun++
      }
      // Rows beyond the bound of one target may have hidden those of others: ask again without that target.
      if (begun > 0) continue
      const next = underWay.size < inAll ? await rows.nextDue(skip()) : undefined
      if (!again) return wakeAfter(Math.min(next === undefined ? sleepMost : Math.max(next - clock(), 0), sleepMost))
    }
  }
  const pump = (): void => {
    again = true
    if (looking || !started || closing.signal.aborted) return
    looking = true
    track(
      look()
        .catch((error: unknown) => {
          log.error({ err: error }, 'the outbox could not be read')
          again = false
          wakeAfter(afterFault)
        })
        .finally(() => {
          looking = false
          if (again) pump()
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
