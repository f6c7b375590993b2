import type { Kysely } from 'kysely'
import { copyHeadPatience } from '../../contract/callbacks/copy.ts'
import { deliveryTimeout } from '../../contract/callbacks/recording.ts'
import { deliveryResults } from '../../contract/callbacks/results.ts'
import type { Log } from '../log.ts'
import type { DeliveryTable, Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import type { AddressGuard } from './address-guard.ts'
import { createDeliveries, notYet } from './deliveries.ts'
import { deliverOnce, type Attempt } from './delivery-request.ts'
import { createLines } from './lines.ts'
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
  /** Messages of an application with the same line are delivered in the order in which they were put in; others do not wait for them. */
  readonly line?: string
}

/** Durable deliveries: at least once, the same nId on every attempt, marked once, over kills and restarts (decisions, Live, Callback). */
export interface Outbox {
  /** Puts a message in, within the caller's transaction (`store.durable`), and returns its nId. It is sent once the transaction stands. */
  put(transaction: Kysely<Tables>, message: Message): Promise<string>
  /** Sends what still waits of a kind to another address, at once. */
  redirect(transaction: Kysely<Tables>, to: { readonly uid: number; readonly kind: string; readonly url: string }): Promise<void>
  /** Ends what still waits of a kind: it stays in the log as failed. */
  drop(transaction: Kysely<Tables>, of: { readonly uid: number; readonly kind: string }): Promise<void>
  /** Delivers an entry of the log again, with a schedule from its beginning and, when given, to another address; false when there is none. */
  resend(nId: string, url: string | undefined): Promise<boolean>
  find(nId: string): Promise<DeliveryTable | undefined>
  /** An application's entries, newest first, those put in before a time and of a kind when they are given. */
  list(uid: number, limit: number, before: number | undefined, kind?: string): Promise<DeliveryTable[]>
  /** How many of an application, and of a kind when one is given, wait. */
  waiting(uid: number, kind?: string): Promise<number>
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
/** Messages of a line that are read, and sent one after the other, before others have their turn. */
const runMost = 16
/** Resends after which a line went past a message in an earlier start. */
const passedSteps = 3
/** How long the outbox sleeps at most, in ms: after a clock was set, nothing is late by more than this. */
const sleepMost = 60_000
/** How long it waits after the database refused, in ms. */
const afterFault = 5_000
/** The log keeps ended entries this long, in ms, and at most this many of an application; the oldest go first. Waiting ones are never dropped. */
const logLife = 30 * 86_400_000
const logMost = 10_000
const trimEvery = 3_600_000
/** Or after as many messages. */
const trimAfter = 50_000

const targetOf = (url: string): string => new URL(url).origin
const lineOf = (uid: number, line: string): string => `${uid}:${line}`

/** Makes an outbox over the store. */
export async function createOutbox(options: OutboxOptions): Promise<Outbox> {
  const { store, guard, kinds, clock, after, log } = options
  const rows = createDeliveries(store.db)
  const closing = new AbortController()
  const outcomes = createOutcomes(options, closing.signal)
  const underWay = new Map<string, string>()
  const working = new Set<Promise<void>>()
  const lines = createLines({ clock, patience: copyHeadPatience })
  for (const { line, target } of await rows.lines()) lines.touched(line, target)
  const headed = new Set<string>()
  for (const { line, target, nId } of await rows.heads(passedSteps)) {
    if (!headed.has(line)) lines.block(line, nId, target)
    headed.add(line)
  }
  /** Counts what changed messages that wait, so that a run does not send what it read before. */
  let changes = 0
  let lastCreated = await rows.newest()
  let untrimmed = 0
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
  const tell = (row: DeliveryTable, outcome: Attempt): void => {
    const words = { nId: row.nId, kind: row.kind, target: row.target, attempt: row.attempts + 1, result: outcome.result }
    if (!outcome.delivered) log.warn(words, 'not delivered')
    else if (row.line === null) log.info(words, 'delivered')
    else log.debug(words, 'delivered')
  }
  const deliver = async (row: DeliveryTable): Promise<void> => {
    const outcome = await attempt(row)
    // An attempt that the closing cut off has no outcome: it stays as it was and is made again at the next start.
    if (outcome.delivered || !closing.signal.aborted) {
      tell(row, outcome)
      const target = await outcomes.keep(row, outcome)
      if (target !== row.target) wanted.add(target)
      const goesOn = row.line !== null && outcome.delivered ? lines.delivered(row.line, row.nId) : undefined
      if (goesOn !== undefined) wanted.add(goesOn)
    }
    underWay.delete(row.nId)
    pump(held ? undefined : row.target)
  }
  /** Sends the next of a line in their order until one is not delivered. */
  const run = async (line: string, target: string): Promise<void> => {
    const next = await rows.held(line, runMost)
    const read = changes
    const kept: Promise<string>[] = []
    let left: 'nothing' | 'more' | 'blocked' = next.length === runMost ? 'more' : 'nothing'
    for (const row of next) {
      const elsewhere = row.target !== target
      if (elsewhere || changes !== read || closing.signal.aborted) {
        if (elsewhere) wanted.add((target = row.target))
        left = 'more'
        break
      }
      const outcome = await attempt(row)
      if (!outcome.delivered && closing.signal.aborted) break
      tell(row, outcome)
      kept.push(outcomes.keep(row, outcome))
      if (outcome.delivered) continue
      left = changes === read ? 'blocked' : 'more'
      if (left === 'blocked') lines.block(line, row.nId, target)
      break
    }
    await Promise.all(kept)
    if (left !== 'blocked') lines.ran(line, left, target)
  }

  const lookAt = async (target: string): Promise<void> => {
    const free = perTarget - underWayTo(target)
    const room = Math.min(free, inAll - underWay.size)
    if (room < free) held = true
    if (room <= 0) return
    const due = await rows.due(target, clock(), [...underWay.keys()], room)
    if (closing.signal.aborted) return
    for (const row of due) {
      underWay.set(row.nId, target)
      track(deliver(row))
    }
    for (const line of lines.take(target, room - due.length)) {
      underWay.set(line, target)
      track(
        run(line, target)
          .catch((error: unknown) => {
            log.error({ err: error }, 'a line of deliveries could not be read')
            lines.block(line, '', target)
          })
          .then(() => {
            underWay.delete(line)
            pump(held ? undefined : target)
          }),
      )
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
      lines.release()
      const targets = everything ? new Set([...(await rows.targets(now)), ...lines.targets()]) : some
      for (const target of targets) await lookAt(target)
    }
    const next = Math.min((await rows.nextDue(lookedUntil)) ?? notYet, lines.nextRelease() ?? notYet)
    wakeAfter(Math.min(Math.max(next - clock(), 0), sleepMost))
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
    cancelTrim()
    untrimmed = 0
    track(rows.trim(logMost, clock() - logLife).catch((error: unknown) => log.error({ err: error }, 'the delivery log could not be trimmed')))
    cancelTrim = after(trimEvery, trim)
  }

  return {
    async put(transaction, { uid, kind, url, body, line }) {
      const nId = options.random(16).toString('hex')
      const now = clock()
      lastCreated = Math.max(now, lastCreated + 1)
      const given = { nId, uid, kind, url, target: targetOf(url), body: body(nId) }
      const place = line === undefined ? { line: null, due: now } : { line: lineOf(uid, line), due: notYet }
      const written = rows.insert({ ...given, ...place, state: 'waiting', attempts: 0, step: 0, created: lastCreated, result: null }, transaction)
      // The look waits for the connection, which the caller's transaction has until it stands.
      if (place.line !== null) lines.touched(place.line, given.target)
      if (++untrimmed >= trimAfter && started) trim()
      wakeAfter(0)
      await written
      return nId
    },
    async redirect(transaction, { uid, kind, url }) {
      const elsewhere = transaction
        .updateTable('delivery')
        .where('uid', '=', uid)
        .where('kind', '=', kind)
        .where('state', '=', 'waiting')
        .where('url', '!=', url)
      await elsewhere.set(({ eb }) => ({ url, target: targetOf(url), due: eb.case().when('due', '=', notYet).then(notYet).else(clock()).end() })).execute()
      changes++
      wakeAfter(0)
    },
    async drop(transaction, { uid, kind }) {
      await transaction
        .updateTable('delivery')
        .set({ state: 'failed', result: deliveryResults.unset })
        .where('uid', '=', uid)
        .where('kind', '=', kind)
        .where('state', '=', 'waiting')
        .execute()
      changes++
      lines.release(lineOf(uid, ''))
      wakeAfter(0)
    },
    async resend(nId, url) {
      const again = { state: 'waiting' as const, step: 0, due: clock(), ...(url !== undefined && { url, target: targetOf(url) }) }
      const { numUpdatedRows } = await store.durable((transaction) => transaction.updateTable('delivery').set(again).where('nId', '=', nId).executeTakeFirst())
      pump()
      return numUpdatedRows > 0n
    },
    find: (nId) => rows.find(nId),
    list: (uid, limit, before, kind) => rows.list(uid, limit, before, kind),
    waiting: (uid, kind) => rows.waiting(uid, kind),
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
