import type { Kysely } from 'kysely'
import type { LiveCallback, LiveEventName } from '../../contract/callbacks/live.ts'
import type { Clock } from '../../platform/clock.ts'
import { createSerial } from '../../platform/serial.ts'
import { inBackground } from '../background.ts'
import type { HubEvent } from '../hub/hub-events.ts'
import type { Log } from '../log.ts'
import type { Store } from '../storage/store.ts'
import type { Tables, ToldPushTable } from '../storage/schema.ts'
import { callbackOf, liveKind } from './callbacks.ts'
import type { Outbox } from './outbox.ts'

/** How often it is noted that a push is still on air, in ms. */
const seenEvery = 15_000
/** A push that no service has seen for so long has ended, in ms (behaviour.md#live-callbacks). */
const goneAfter = 60_000
/** A push that comes back so soon after it was last seen is the same broadcast, unless its end was told; ms. */
const sameWithin = 15 * 60_000
/** Pause after a failure of the database, in ms. */
const againAfter = 5_000
/** What waits to be stored at most; the oldest are left out. */
const maxWaiting = 1000
/** Channels in one statement. */
const together = 500

/** Live callbacks of the applications. */
export type LiveCallbacks = ReturnType<typeof createLiveCallbacks>

/** The begin or the end of a push. */
interface Change {
  readonly cid: string
  readonly uid: number
  readonly name: string
  readonly at: number
  /** Why it ended; absent where it began. */
  readonly reason?: string | undefined
}

/**
 * Tells applications of the begin and the end of each broadcast. What was told is a row of `toldPush`, written in the
 * transaction that queues the message: so a start after a kill, and another node of a cluster, know what was told.
 */
export function createLiveCallbacks(options: {
  readonly store: Pick<Store, 'db' | 'durable'>
  readonly outbox: Pick<Outbox, 'put'>
  readonly hub: { on(listener: (event: HubEvent) => void): () => void }
  readonly channels: { get(cid: string): { readonly row: { readonly uid: number; readonly name: string } } | undefined }
  /** Name of this service among those that share the database: an end counts where the push is. */
  readonly node: string
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}) {
  const { store, outbox, hub, channels, node, clock, log } = options
  const startedAt = clock.monotonic()
  /** Pushes on air here, with their channels as they were when they began: a deleted one ends after its deletion. */
  const onAir = new Map<string, { readonly uid: number; readonly name: string }>()
  const waiting: Change[] = []
  const inTurn = createSerial()
  let isEnding = false
  let cancelAgain = (): void => {}

  const put = async (
    transaction: Kysely<Tables>,
    event: LiveEventName,
    { cid, uid, began }: Pick<ToldPushTable, 'cid' | 'uid' | 'began'>,
    more: Pick<LiveCallback, 'name'> & Partial<Pick<LiveCallback, 'endTime' | 'reason'>>,
  ): Promise<void> => {
    const { liveUrl } = (await callbackOf(transaction, uid)) ?? {}
    if (typeof liveUrl !== 'string') return
    const body = { event, uid: String(uid), cid, beginTime: String(began), ...more }
    await outbox.put(transaction, {
      uid,
      kind: liveKind,
      url: liveUrl,
      line: `${liveKind}:${cid}`,
      body: (nId) => JSON.stringify({ ...body, nId } satisfies LiveCallback),
    })
  }
  const nameOf = (cid: string): string => channels.get(cid)?.row.name ?? ''
  const rowOf = (transaction: Kysely<Tables>, cid: string) =>
    transaction.selectFrom('toldPush').selectAll().where('cid', '=', cid).executeTakeFirst()
  /** Tells the end, if nobody else has told it or seen the push meanwhile. */
  const end = async (
    transaction: Kysely<Tables>,
    row: ToldPushTable,
    more: Parameters<typeof put>[3],
  ): Promise<boolean> => {
    const { numDeletedRows } = await transaction
      .deleteFrom('toldPush')
      .where('cid', '=', row.cid)
      .where('began', '=', row.began)
      .where('seen', '=', row.seen)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
    await put(transaction, 'live.ended', row, more)
    return true
  }

  const began = ({ cid, uid, name, at }: Change): Promise<void> =>
    store.durable(async (transaction) => {
      const { liveUrl } = (await callbackOf(transaction, uid)) ?? {}
      const row = await rowOf(transaction, cid)
      const isSame = row !== undefined && at - row.seen <= sameWithin
      if (isSame) {
        await transaction.updateTable('toldPush').set({ seen: at, node }).where('cid', '=', cid).execute()
        return
      }
      if (row) await end(transaction, row, { name, endTime: String(row.seen), reason: 'lost' })
      if (typeof liveUrl !== 'string') return
      const told = { cid, uid, began: at, seen: at, node }
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto('toldPush')
        .values(told)
        .onConflict((conflict) => conflict.column('cid').doNothing())
        .executeTakeFirst()
      if (numInsertedOrUpdatedRows === 1n) await put(transaction, 'live.started', told, { name })
    })
  const ended = ({ cid, name, at, reason = 'lost' }: Change): Promise<void> =>
    store.durable(async (transaction) => {
      const row = await rowOf(transaction, cid)
      if (row?.node === node) await end(transaction, row, { name, endTime: String(at), reason })
    })

  /** Stores what waits, in its order; what fails is tried again. */
  const work = async (): Promise<void> => {
    cancelAgain()
    try {
      for (let next = waiting[0]; next; next = waiting[0]) {
        await (next.reason === undefined ? began(next) : ended(next))
        if (waiting[0] === next) waiting.shift()
      }
    } catch (error) {
      log.warn({ err: error, waiting: waiting.length }, 'live callbacks could not be queued; tried again')
      cancelAgain = clock.after(againAfter, run)
    }
  }
  function run(): void {
    inBackground(inTurn(work), log, 'queueing live callbacks')
  }
  const add = (change: Change): void => {
    waiting.push(change)
    if (waiting.length > maxWaiting) waiting.shift()
    run()
  }

  const look = async (): Promise<void> => {
    const now = clock.now()
    const here = [...onAir.keys()]
    for (let from = 0; from < here.length; from += together)
      await store.db
        .updateTable('toldPush')
        .set({ seen: now })
        .where('cid', 'in', here.slice(from, from + together))
        .where('node', '=', node)
        .execute()
    // Encoders come back after a restart.
    if (clock.monotonic() - startedAt < goneAfter) return
    const gone = await store.db
      .selectFrom('toldPush')
      .selectAll()
      .where('seen', '<', now - goneAfter)
      .orderBy('seen')
      .limit(together)
      .execute()
    for (const row of gone)
      if (!onAir.has(row.cid))
        await store.durable((transaction) =>
          end(transaction, row, { name: nameOf(row.cid), endTime: String(row.seen), reason: 'lost' }),
        )
  }
  let cancelLook = (): void => {}
  const lookLater = (): void => {
    cancelLook = clock.after(seenEvery, () => {
      inBackground(inTurn(look), log, 'looking for broadcasts that are over')
      lookLater()
    })
  }
  lookLater()

  const offHub = hub.on(({ type, cid, at, detail }) => {
    // What ends as the service does comes back with the next start, or is found to be gone.
    if (isEnding) return
    if (type === 'started') {
      const channel = channels.get(cid)?.row
      if (!channel) return
      onAir.set(cid, channel)
      add({ cid, uid: channel.uid, name: channel.name, at })
    } else if (type === 'ended') {
      const known = onAir.get(cid)
      onAir.delete(cid)
      if (known && detail !== 'closing') add({ cid, ...known, at, reason: detail ?? 'lost' })
    }
  })

  return {
    /** Called first of all when the service ends. */
    ending() {
      isEnding = true
    },
    /** Resolves when what has happened so far is stored, or could not be. */
    settled: () => inTurn.idle(),
    async close() {
      offHub()
      cancelAgain()
      cancelLook()
      await inTurn.idle()
    },
  }
}
