import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'
import { isServer } from '../storage/engine.ts'
import { createPosition } from '../storage/position.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import { writeTogether } from '../storage/write-together.ts'
import type { Journal, PreparedChange } from '../journal/journal.ts'
import type { MessageCounts } from '../events/message-counts.ts'
import type { DatabaseCounts } from '../storage/database-counts.ts'
import type { EventFrame, SequencePosition, EventStream, Memberships, NewEvent, StoredEvent } from '../events/event.ts'
import { createCursors, type Cursors } from './cursors.ts'
import { earlierOf, storedOf, storeEvents, storeKeys, type PlacedEvent } from './event-writes.ts'
import { createHistory, type History } from './history.ts'
import type { KeepDays } from './keep-days.ts'
import { createReplay, type Replay } from './replay.ts'
import { putOnServer } from './server-writes.ts'
import { createSharedEvents } from './shared-events.ts'
import { createUnread, type Unread } from './unread.ts'

/** What the stream uses. */
export interface MessagingStreamOptions {
  readonly db: Kysely<Tables>
  /** For long reads; by default the database. */
  readonly reads?: Kysely<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly memberships: Memberships
  /** Where services share the database its `events` say in which order all are handed on. */
  readonly journal?: Pick<Journal, 'events'>
  readonly keep: (uid: number) => KeepDays
  /** Events waiting to be stored; further ones fail. 50,000 by default. */
  readonly maxWaiting?: number
  readonly messageCounts?: Pick<MessageCounts, 'conversations'> | undefined
  readonly databaseCounts?: Pick<DatabaseCounts, 'batches'> | undefined
}

/** The stream, with reads of missed events, history and unread counts. */
export interface MessagingStream extends EventStream, Replay, Cursors, History, Unread {
  /**
   * Hands over events as they are stored, in the order of seq, to who must neither throw nor wait; the returned
   * function ends it.
   */
  on(receiver: (event: StoredEvent) => void): () => void
  /** Events that wait to be stored. */
  waiting(): number
}

/** An event with its position, which it has within the transaction that stores it, and what it changes. */
interface Placed extends PlacedEvent {
  change: PreparedChange | undefined
  /** Set if the idempotency key was used before: its position, unless that is read by who needs it. */
  earlier: { readonly seq: number; readonly at: number } | 'unread' | undefined
}
interface Waiting {
  readonly event: NewEvent
  placed?: Placed
}

const framed = ({ frame }: NewEvent, seq: number, at: number): EventFrame =>
  ({ ...frame, seq, at, ...(frame.t === 'notification' && { msgid: seq }) }) as EventFrame

/** A change knows the turn in which it was published, whoever's turn it is when its batch is stored. */
const withContext = ({ change, ...event }: NewEvent): NewEvent =>
  change ? { ...event, change: AsyncLocalStorage.bind(change) } : event

/** Opens the stream. Concurrent events are stored in one transaction, in order of seq. */
export async function createMessagingStream(options: MessagingStreamOptions): Promise<MessagingStream> {
  const { db, clock, log, journal, maxWaiting = 50_000, messageCounts, databaseCounts } = options
  const { value } = await db.selectFrom('streamPosition').select('value').executeTakeFirstOrThrow()
  const position = createPosition(db, 'streamPosition')
  const isOnServer = isServer(db)
  let committed = value
  let waitingNow = 0
  const receivers = new Set<(event: StoredEvent) => void>()

  const give = (event: StoredEvent): void => {
    for (const receive of receivers) receive(event)
  }
  const shared = journal?.events && createSharedEvents({ db, events: journal.events, handed: value, give })
  const hand = (placed: Placed): void => {
    const { seq, change } = placed
    committed = seq
    try {
      change?.apply()
      give(storedOf(placed))
    } catch (error) {
      // It is stored: receivers find it at their next sync.
      log.error({ seq, err: error }, 'an event could not be delivered')
    }
  }
  const placedAt = (batch: readonly Waiting[], first: number, at: number): Placed[] =>
    batch.map((waiting, index): Placed => {
      const { event } = waiting
      const seq = first + index
      const frame = framed(event, seq, at)
      return (waiting.placed = { event, seq, at, frame, change: undefined, earlier: undefined })
    })
  const putEach = async (transaction: Kysely<Tables>, batch: readonly Waiting[]): Promise<Placed[]> => {
    const first = await position.take(transaction, batch.length)
    // Not before: another process may have stored meanwhile, and later places have later times.
    const placed = placedAt(batch, first, clock.now())
    await storeKeys(transaction, placed, (each, earlier) => (each.earlier = earlier))
    await storeEvents(
      transaction,
      placed.filter((each) => !each.earlier),
    )
    return placed
  }
  const putTogether = async (executor: Kysely<Tables>, batch: readonly Waiting[]): Promise<Placed[]> => {
    const events = batch.map(({ event }) => event)
    const { first, at, repeated } = await putOnServer(executor, events, clock.now())
    const placed = placedAt(batch, first, at)
    // Not read here: a failure of that would store the others again.
    for (const index of repeated) placed[index]!.earlier = 'unread'
    return placed
  }
  const store = async (
    transaction: Kysely<Tables>,
    batch: readonly Waiting[],
    start: (write: Promise<void>) => void,
  ): Promise<void> => {
    const placed = await (isOnServer ? putTogether : putEach)(transaction, batch)
    const fresh = placed.filter((each) => !each.earlier)
    // At once, so that copies are written together.
    for (const each of fresh) {
      const { event, seq, at } = each
      if (event.inTransaction) start(event.inTransaction(transaction, { seq, at }))
      each.change = event.change?.({ seq, at })
      if (each.change) start(each.change.store(transaction))
    }
  }
  const freshOf = (batch: readonly Waiting[]): Placed[] =>
    batch.flatMap(({ placed }) => (placed && !placed.earlier ? [placed] : []))
  /** Nothing else is written with it. */
  const isPlain = ({ event }: Waiting): boolean => !event.inTransaction && !event.change
  const storeAll = (batch: readonly Waiting[]): Promise<void> => {
    if (isOnServer && batch.every(isPlain)) {
      const storing = putTogether(db, batch)
      return shared ? shared.put(storing.then(() => freshOf(batch))) : storing.then(() => undefined)
    }
    const stored = db.transaction().execute(async (transaction) => {
      await writeTogether((start) => store(transaction, batch, start))
      if (shared) await shared.append(transaction, freshOf(batch))
    })
    return shared ? shared.follow(stored, () => freshOf(batch)) : stored
  }
  const publish = createWriteBatch<Waiting>(async (batch) => {
    await storeAll(batch)
    const fresh = freshOf(batch)
    if (messageCounts) messageCounts.conversations.stored += fresh.length
    if (shared) shared.stored(fresh, batch[0]!.placed!.seq, batch.at(-1)!.placed!.seq)
    else fresh.forEach(hand)
  }, databaseCounts?.batches)

  const committedNow = journal?.events?.handed ?? ((): number => committed)
  return {
    async publish(event): Promise<SequencePosition> {
      if (waitingNow >= maxWaiting) throw new Error(`${maxWaiting} events wait for being stored`)
      const waiting: Waiting = { event: shared ? withContext(event) : event }
      waitingNow++
      try {
        await publish(waiting)
        // Members of a team, as its sender then reads them, are those after the event.
        await shared?.reached(waiting.placed!.seq)
      } finally {
        waitingNow--
      }
      const { earlier, seq, at } = waiting.placed!
      if (!earlier) return { seq, at }
      return { ...(earlier === 'unread' ? await earlierOf(db, event) : earlier), repeated: true }
    },
    committed: committedNow,
    waiting: () => waitingNow,
    on(receiver) {
      receivers.add(receiver)
      return () => void receivers.delete(receiver)
    },
    ...createReplay({ ...options, committed: committedNow, caughtUp: shared?.caughtUp }),
    ...createCursors({ db, committed: committedNow }),
    ...createHistory(options),
    ...createUnread({ ...options, committed: committedNow }),
  }
}
