import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import { writeTogether } from '../storage/write-together.ts'
import type { EventFrame, SequencePosition, EventStream, Memberships, NewEvent, StoredEvent } from '../events/event.ts'
import { createCursors, type Cursors } from './cursors.ts'
import { createEventWrites, type PlacedEvent } from './event-writes.ts'
import { createHistory, type History } from './history.ts'
import type { KeepDays } from './keep-days.ts'
import { createReplay, type Replay } from './replay.ts'
import { createUnread, type Unread } from './unread.ts'

/** What the stream uses. */
export interface MessagingStreamOptions {
  readonly db: Kysely<Tables>
  /** For long reads; by default the database. */
  readonly reads?: Kysely<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly memberships: Memberships
  readonly keep: (uid: number) => KeepDays
  /** Events waiting to be stored; further ones fail. 50,000 by default. */
  readonly maxWaiting?: number
}

/** The stream, with reads of missed events, history and unread counts. */
export interface MessagingStream extends EventStream, Replay, Cursors, History, Unread {
  /**
   * Hands over events as they are stored, in the order of seq, to who must neither throw nor wait; the returned
   * function ends it.
   */
  on(receiver: (event: StoredEvent) => void): () => void
}

interface Waiting extends PlacedEvent {
  /** Set if the idempotency key was used before. */
  earlier: { readonly seq: number; readonly at: number } | undefined
}

const framed = ({ frame }: NewEvent, seq: number, at: number): EventFrame =>
  ({ ...frame, seq, at, ...(frame.t === 'notification' && { msgid: seq }) }) as EventFrame

/** Opens the stream. Concurrent events are stored in one transaction, in order of seq. */
export async function createMessagingStream(options: MessagingStreamOptions): Promise<MessagingStream> {
  const { db, clock, log, maxWaiting = 50_000 } = options
  const { value } = await db.selectFrom('streamPosition').select('value').executeTakeFirstOrThrow()
  const writes = createEventWrites(db)
  const advance = db.updateTable('streamPosition').set({ value: 0 }).compile()
  let last = value
  let committed = value
  let waitingNow = 0
  const receivers = new Set<(event: StoredEvent) => void>()

  const hand = ({ event, seq, at, frame }: Waiting): void => {
    committed = seq
    try {
      event.stored?.({ seq, at })
      const { inTransaction: _inTransaction, stored: _stored, idempotencyKey: _idempotencyKey, ...rest } = event
      const stored = { ...rest, frame, seq, at }
      for (const receive of receivers) receive(stored)
    } catch (error) {
      // It is stored: receivers find it at their next sync.
      log.error({ seq, err: error }, 'an event could not be delivered')
    }
  }
  const publish = createWriteBatch<Waiting>(async (batch) => {
    await db.transaction().execute(async (transaction) => {
      await writeTogether(async (start) => {
        for (const waiting of batch) {
          const { event, seq, at } = waiting
          waiting.earlier =
            event.idempotencyKey === undefined
              ? undefined
              : await writes.once(transaction, waiting, event.idempotencyKey)
          if (waiting.earlier) continue
          await writes.store(transaction, waiting)
          // At once, so that copies are written together.
          if (event.inTransaction) start(event.inTransaction(transaction, { seq, at }))
        }
      })
      await transaction.executeQuery({ ...advance, parameters: [batch.at(-1)!.seq] })
    })
    for (const waiting of batch) if (!waiting.earlier) hand(waiting)
  })

  const committedNow = (): number => committed
  return {
    async publish(event): Promise<SequencePosition> {
      if (waitingNow >= maxWaiting) throw new Error(`${maxWaiting} events wait for being stored`)
      const seq = ++last
      const at = clock.now()
      const waiting: Waiting = { event, seq, at, frame: framed(event, seq, at), earlier: undefined }
      waitingNow++
      await publish(waiting).finally(() => waitingNow--)
      return waiting.earlier ? { ...waiting.earlier, repeated: true } : { seq, at }
    },
    committed: committedNow,
    on(receiver) {
      receivers.add(receiver)
      return () => void receivers.delete(receiver)
    },
    ...createReplay({ ...options, committed: committedNow }),
    ...createCursors({ db, committed: committedNow }),
    ...createHistory(options),
    ...createUnread({ ...options, committed: committedNow }),
  }
}
