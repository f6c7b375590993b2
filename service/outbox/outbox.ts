import type { Kysely } from 'kysely'
import { copyHeadPatience } from '../../contract/callbacks/copy.ts'
import { reasonOf, writeReason } from '../../contract/catalogue/reasons.ts'
import { ownJobs } from '../jobs/jobs.ts'
import { afterCommit } from '../storage/after-commit.ts'
import type { DeliveryTable, Tables } from '../storage/schema.ts'
import { createAttempts } from './attempts.ts'
import { createDeliveries, notYet, type Deliveries } from './deliveries.ts'
import { createDispatcher } from './dispatcher.ts'
import { createLines, type Lines } from './lines.ts'
import type { OutboxOptions } from './outbox-options.ts'
import { createOutcomes } from './outcomes.ts'
import { createSharedOutbox } from './shared-outbox.ts'
import { createSerial } from '../../platform/serial.ts'

/** A message to be delivered. */
export interface Message {
  readonly uid: number
  readonly kind: string
  readonly url: string
  readonly body: (nId: string) => string
  /** Messages of an application's line are delivered in order; others are independent. */
  readonly line?: string
}

/** Durable deliveries: at least once, with the same nId (behaviour.md#recording-callbacks). */
export type Outbox = Awaited<ReturnType<typeof createOutbox>>

/** Resends after which a line passed a message in an earlier start. */
const passedSteps = 3
/** Lifetime of ended entries in ms, and their number per application; the oldest are deleted. Waiting ones are kept. */
const logLife = 30 * 86_400_000
const maxLog = 10_000
const trimEvery = 3_600_000
/** Or after this many messages. */
const trimAfter = 50_000

const targetOf = (url: string): string => new URL(url).origin
const lineOf = (uid: number, line: string): string => `${uid}:${line}`

/** Those that wait at the start. */
async function loadLines(rows: Pick<Deliveries, 'lines' | 'heads'>, lines: Lines): Promise<void> {
  for (const { line, target } of await rows.lines()) lines.touched(line, target)
  const headed = new Set<string>()
  for (const { line, target, nId } of await rows.heads(passedSteps)) {
    if (!headed.has(line)) lines.block(line, nId, target)
    headed.add(line)
  }
}

/** Makes an outbox over the store. */
export async function createOutbox(options: OutboxOptions) {
  const { store, log, jobs = ownJobs } = options
  const kinds = Object.keys(options.kinds)
  const rows = createDeliveries(store.db, kinds, store.reads)
  const shared =
    options.shared && (await createSharedOutbox({ ...options, shared: options.shared, rows, kinds, passedSteps }))
  const clock = shared?.clock ?? options.clock
  const closing = new AbortController()
  const lines = shared?.lines ?? createLines({ clock, patience: copyHeadPatience })
  if (!shared) await loadLines(rows, lines)
  const attempts = createAttempts(options)
  const outcomes = createOutcomes(options, closing.signal, shared?.claims)
  const dispatcher = createDispatcher({
    rows: shared?.rows ?? rows,
    claims: shared?.taking,
    lines,
    attempts,
    outcomes,
    waits: Object.fromEntries(Object.entries(options.kinds).map(([kind, { resendAfter }]) => [kind, resendAfter])),
    clock,
    log,
    gatherFor: options.gatherFor,
  })
  shared?.attach(dispatcher)
  let lastCreated = await rows.newest()
  let untrimmed = 0
  let isStarted = false
  const inTurn = createSerial()
  let cancelTrim = (): void => {}

  /** Unless another service did within `every` ms. */
  const trim = (every = trimEvery): void => {
    cancelTrim()
    untrimmed = 0
    inTurn(() => jobs.run('outbox', every, () => rows.trim(maxLog, clock.now() - logLife))).catch((error: unknown) =>
      log.error({ err: error }, 'the delivery log could not be trimmed'),
    )
    cancelTrim = clock.after(trimEvery, trim)
  }

  return {
    /** Queues a message in the caller's transaction (`store.durable`); returns its nId. Sent after the commit. */
    async put(transaction: Kysely<Tables>, { uid, kind, url, body, line }: Message) {
      const nId = options.random(16).toString('hex')
      const now = clock.now()
      // Pages of the log end at a time. Other processes may give the same: the order is that of the rows' places.
      lastCreated = Math.max(now, lastCreated + 1)
      const given = { nId, uid, kind, url, target: targetOf(url), body: body(nId) }
      const place = line === undefined ? { line: null, due: now } : { line: lineOf(uid, line), due: notYet }
      const written = rows.insert(
        { ...given, ...place, state: 'waiting', attempts: 0, step: 0, created: lastCreated, result: null },
        transaction,
      )
      if (++untrimmed >= trimAfter && isStarted) trim(0)
      const noted = afterCommit(transaction, () => {
        if (shared) return shared.put(place.line)
        if (place.line === null) return dispatcher.anyTouched()
        lines.touched(place.line, given.target)
        dispatcher.lineTouched()
      })
      await Promise.all([written, noted])
      return nId
    },
    /** Sends waiting messages of a kind to another address, at once. */
    async redirect(
      transaction: Kysely<Tables>,
      { uid, kind, url }: { readonly uid: number; readonly kind: string; readonly url: string },
    ) {
      const now = clock.now()
      for await (const part of rows.waitingParts(transaction, uid, kind))
        await transaction
          .updateTable('delivery')
          .where('nId', 'in', [...part])
          .where('url', '!=', url)
          .set(({ eb }) => ({
            url,
            target: targetOf(url),
            due: eb.case().when('due', '=', notYet).then(eb.ref('due')).else(eb.val(now)).end(),
          }))
          .execute()
      await afterCommit(transaction, shared?.changed ?? dispatcher.changed)
    },
    /** Marks waiting messages of a kind as failed. */
    async drop(transaction: Kysely<Tables>, { uid, kind }: { readonly uid: number; readonly kind: string }) {
      for await (const part of rows.waitingParts(transaction, uid, kind))
        await transaction
          .updateTable('delivery')
          .set({ state: 'failed', result: writeReason(reasonOf('delivery', 'unset')) })
          .where('nId', 'in', [...part])
          .execute()
      await afterCommit(transaction, () => {
        if (shared) return shared.dropped(lineOf(uid, ''))
        lines.release(lineOf(uid, ''))
        dispatcher.changed()
      })
    },
    /** Restarts the schedule of a log entry, optionally to another address; false when there is none. */
    async resend(nId: string, url: string | undefined) {
      const again = {
        state: 'waiting' as const,
        step: 0,
        due: clock.now(),
        ...(url !== undefined && { url, target: targetOf(url) }),
      }
      const { numUpdatedRows } = await store.durable((transaction) =>
        transaction.updateTable('delivery').set(again).where('nId', '=', nId).executeTakeFirst(),
      )
      if (shared) shared.put(null)
      else dispatcher.anyTouched()
      return numUpdatedRows > 0n
    },
    find: (nId: string): Promise<DeliveryTable | undefined> => rows.find(nId),
    /** Entries of an application, newest first, optionally before a time and of one kind. */
    list: (uid: number, limit: number, before: number | undefined, kind?: string): Promise<DeliveryTable[]> =>
      rows.list(uid, limit, before, kind),
    waiting: (uid: number, kind?: string) => rows.waiting(uid, kind),
    backlog: rows.backlog,
    attempts: outcomes.attempts,
    isBroken: dispatcher.isBroken,
    start() {
      isStarted = true
      trim()
      dispatcher.start()
    },
    /** Resolves when the log is trimmed, and what waited at the start was looked at. */
    async looked() {
      await Promise.all([inTurn.idle(), dispatcher.looked()])
    },
    /** Cancels running attempts (repeated at the next start) and stores all results. */
    async close() {
      closing.abort()
      cancelTrim()
      attempts.close()
      await dispatcher.close()
      await inTurn.idle()
      await shared?.close()
    },
  }
}
