import type { Kysely } from 'kysely'
import type { EventFrame, StoredEvent } from '../events/event.ts'
import type { PreparedChange, SharedEvents } from '../journal/journal.ts'
import type { EventTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { peerOf } from './conversation.ts'
import { storedOf, type PlacedEvent } from './event-writes.ts'

/** An event of this service, with what it changes. */
interface OwnEvent extends PlacedEvent {
  readonly change: PreparedChange | undefined
}

const columns = [
  'seq',
  'uid',
  'at',
  'sender',
  'conversation',
  'frame',
  'history',
  'roam',
  'offline',
  'hidden',
  'sync',
  'recalled',
] as const
type Row = Pick<EventTable, (typeof columns)[number]>

/**
 * The event of a row, for its receivers; `inbox` has the accounts with an entry of it. Its frame is read when somebody
 * asks for it: of most events of other services nobody is connected here.
 */
function eventOf({ seq, at, uid, sender, conversation, frame, ...row }: Row, inbox: readonly string[]): StoredEvent {
  const peer = peerOf(sender, conversation)
  let read: EventFrame | undefined
  return {
    seq,
    at,
    uid,
    get frame() {
      return (read ??= JSON.parse(frame) as EventFrame)
    },
    from: sender,
    // The inbox has all receivers; with a team only those besides its members.
    ...(peer.scene === 'team' ? { to: { tid: peer.tid }, extraRecipients: inbox } : { to: { accids: inbox } }),
    keep: { history: row.history === 1, roam: row.roam === 1, offline: row.offline === 1 },
    ...(row.hidden === 1 && { hidden: true }),
    ...(row.sync === 0 && { sync: false }),
  }
}

/**
 * Hands on the events of all services of a database: those of others from their rows. `give` hands an event to its
 * receivers, once those up to `handed` were.
 */
export function createSharedEvents(options: {
  readonly db: Kysely<Tables>
  readonly events: SharedEvents
  readonly handed: number
  readonly give: (event: StoredEvent) => void
}) {
  const { db, events, handed, give } = options
  /** Those of this service until they are handed on: only here is known which session sent them. */
  const own = new Map<number, PlacedEvent>()
  /** Own ones in a statement that gives them their places; it may be committed before its answer is here. */
  const putting = new Set<Promise<void>>()
  const giveOwn = (event: PlacedEvent): void => {
    own.delete(event.seq)
    give(storedOf(event))
  }
  /** A place may have become another service's, where the transaction failed here. */
  const isOwn = (event: PlacedEvent | undefined, { sender, frame }: Row): event is PlacedEvent =>
    event?.event.from === sender && JSON.stringify(event.frame) === frame
  const inboxes = async (after: number, upTo: number): Promise<Map<number, string[]>> => {
    const entries = await db
      .selectFrom('inbox')
      .select(['seq', 'accid'])
      .where('seq', '>', after)
      .where('seq', '<=', upTo)
      .execute()
    const found = new Map<number, string[]>()
    for (const { seq, accid } of entries) {
      const known = found.get(seq)
      if (known) known.push(accid)
      else found.set(seq, [accid])
    }
    return found
  }

  events.attach(
    {
      async read(after, upTo, limit) {
        const rows = await db
          .selectFrom('event')
          .select(columns)
          .where('seq', '>', after)
          .where('seq', '<=', upTo)
          .orderBy('seq')
          .limit(limit)
          .execute()
        const last = rows.at(-1)?.seq
        const receivers = last === undefined ? new Map<number, string[]>() : await inboxes(after, last)
        // Own ones may be among them, of which is not known here yet where they are.
        if (putting.size > 0) await Promise.all(putting)
        return rows.map((row) => {
          const { seq, recalled } = row
          return {
            seq,
            hand(): void {
              const mine = own.get(seq)
              if (isOwn(mine, row)) return giveOwn(mine)
              own.delete(seq)
              // Its receivers are told of the recall next, of which they know nothing else.
              if (recalled === 1) return
              give(eventOf(row, receivers.get(seq) ?? []))
            },
          }
        })
      },
    },
    handed,
  )

  return {
    /** Last in the transaction that stores events. */
    async append(transaction: Kysely<Tables>, stored: readonly OwnEvent[]): Promise<void> {
      // Before the commit, after which the rows may be read at once.
      for (const event of stored) own.set(event.seq, event)
      const changes = stored.flatMap(({ change, seq }) => (change ? [{ change, event: seq }] : []))
      if (changes.length > 0) await events.append(transaction, changes)
    },
    /** Waits for a statement that stores events by itself, and resolves with these. */
    async put(storing: Promise<readonly OwnEvent[]>): Promise<void> {
      const known = storing.then((stored) => {
        for (const event of stored) own.set(event.seq, event)
      })
      const settled = known.catch(() => undefined)
      putting.add(settled)
      try {
        await known
      } finally {
        putting.delete(settled)
      }
    },
    /** Waits for that transaction. */
    async follow(storing: Promise<void>, stored: () => readonly PlacedEvent[]): Promise<void> {
      try {
        await storing
      } catch (error) {
        for (const event of stored()) if (own.get(event.seq) === event) own.delete(event.seq)
        throw error
      }
    },
    /** After the commit of events with places from `first` to `last`. */
    stored: (stored: readonly OwnEvent[], first: number, last: number): void =>
      events.stored(
        stored.map((event) => ({ seq: event.seq, change: event.change, hand: () => giveOwn(event) })),
        first,
        last,
      ),
    /** Resolves once the events up to a place are handed on here. */
    reached: events.reached,
    /** The same for a place that a client names, which may not be there. */
    async caughtUp(place: number): Promise<void> {
      if (place <= events.handed()) return
      const { value } = await db.selectFrom('streamPosition').select('value').executeTakeFirstOrThrow()
      await events.reached(Math.min(place, value))
    },
  }
}
