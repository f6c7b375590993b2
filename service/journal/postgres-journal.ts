import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import type { Bus } from '../bus/bus.ts'
import type { Log } from '../log.ts'
import type { Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { createWriteBatch } from '../storage/write-batch.ts'
import type { ChangeKind, ChangeRules, Journal, PreparedChange, SharedEvents } from './journal.ts'
import { createSharedOrder, type Entry } from './shared-order.ts'
import { createJournalTrim } from './journal-trim.ts'
import type { Turn, TurnLocks } from './turn-locks.ts'

/** A journal that several services share. */
export interface SharedJournal extends Journal {
  readonly events: SharedEvents
  /** Place of the last change that is made in memory here. */
  applied(): number
  /** Resolves once the changes up to a place are made in memory here. */
  reached(place: number): Promise<void>
  /** Looks for changes and events of other services now. */
  look(): void
  /** Removes what nobody needs any more, as it is done once an hour. */
  trim(): Promise<void>
  /**
   * Resolves once what any service has answered before is made and handed on here; where the database does not say in
   * time what that is, after that time.
   */
  fresh(): Promise<void>
  /**
   * Begins to look by itself, and resolves once what is stored by now is made. Every kind must be there, with what is
   * stored loaded after the journal was made.
   */
  start(): Promise<void>
  close(): Promise<void>
}

interface Item {
  readonly kind: string
  /** JSON, made before anything is stored. */
  readonly body: string
  /** The turn in which it was committed. */
  readonly turn: Held | undefined
  readonly store: (transaction: Kysely<Tables>) => Promise<void>
  place: number
  /** Place of the event that brings it. */
  event: number | null
}
/** A turn, until its work has ended. */
interface Held {
  readonly turn: Turn
  isOver: boolean
}

/**
 * Makes the journal of services that share a PostgreSQL. Each change is an entry, whose place the counter row gives in
 * the transaction that stores it: its lock is held until the commit, so places have no gaps and are seen in order.
 * Every service makes the changes in memory in that order, its own too, and those of events with these
 * (`shared-order.ts`).
 */
export async function createPostgresJournal(options: {
  readonly store: Pick<Store, 'db' | 'durable'>
  readonly locks: TurnLocks
  readonly clock: Clock
  readonly log: Pick<Log, 'error' | 'warn'>
  /** Tells others of each commit, so that they look at once. */
  readonly bus: Pick<Bus, 'topic' | 'onBack'>
  /** Called once where what is in memory is not what the database has any more: only another start helps. */
  readonly mustEnd?: ((why: string) => void) | undefined
}): Promise<SharedJournal> {
  const { store, locks, clock, log } = options
  const { db } = store
  const kinds = new Map<string, (change: never) => void>()
  const turns = new AsyncLocalStorage<Held>()
  const make = ({ kind, body, place }: Entry): void => {
    try {
      const apply = kinds.get(kind)
      if (apply) apply(JSON.parse(body) as never)
      else log.error({ kind, place }, 'a change of a kind that is not known here was left out')
    } catch (error) {
      log.error({ err: error, kind, place }, 'a change could not be made in memory')
    }
  }
  const order = await createSharedOrder({ ...options, db, make })
  const trim = createJournalTrim({ db, clock, log })

  /** Last in a transaction: whoever has a place waits for nothing any more. */
  const append = async (transaction: Kysely<Tables>, items: readonly Item[]): Promise<void> => {
    const { value } = await transaction
      .updateTable('journalPosition')
      .set(({ eb }) => ({ value: eb('value', '+', items.length) }))
      .returning('value')
      .executeTakeFirstOrThrow()
    const at = clock.now()
    for (const [index, item] of items.entries()) item.place = value - items.length + index + 1
    await transaction
      .insertInto('journalEntry')
      .values(items.map(({ place, kind, body, event }) => ({ place, kind, body, event, at })))
      .execute()
  }
  const storeRows = async (transaction: Kysely<Tables>, { turn, store: write }: Item): Promise<void> => {
    if (turn && !turn.isOver) await turn.turn.fence(transaction)
    await write(transaction)
  }
  const storeAll = async (transaction: Kysely<Tables>, items: readonly Item[]): Promise<void> => {
    for (const item of items) await storeRows(transaction, item)
    await append(transaction, items)
  }
  const write = createWriteBatch<Item>((items) =>
    db.transaction().execute((transaction) => storeAll(transaction, items)),
  )
  const ofEvents = new WeakMap<PreparedChange, Item>()

  return {
    applied: order.applied,
    reached: order.made,
    look: order.look,
    fresh: order.fresh,
    trim: trim.run,
    start: order.start,
    async close() {
      await trim.close()
      await order.close()
      await locks.close()
    },
    events: {
      attach: order.attach,
      async append(transaction, changes) {
        const items = changes.map(({ change, event }) => Object.assign(ofEvents.get(change)!, { event }))
        if (items.length > 0) await append(transaction, items)
      },
      stored: (events, first, last) =>
        order.storedEvents(
          events.map(({ seq, hand, change }) => ({ seq, hand, entry: change && ofEvents.get(change) })),
          first,
          last,
        ),
      reached: order.handedOn,
      handed: order.handed,
    },
    kind<Change>(name: string, { store: write1, apply }: ChangeRules<Change>): ChangeKind<Change> {
      if (kinds.has(name)) throw new Error(`there is a kind of change named ${name} already`)
      kinds.set(name, apply)
      const keys = locks.of(name)
      const itemOf = (change: Change, also?: (transaction: Kysely<Tables>) => Promise<void>): Item => ({
        kind: name,
        body: JSON.stringify(change),
        turn: turns.getStore(),
        async store(transaction) {
          await write1(transaction, change)
          await also?.(transaction)
        },
        place: 0,
        event: null,
      })
      return {
        async commit(change, also) {
          const item = itemOf(change, also)
          await write(item)
          await order.stored([item])
        },
        async commitDurably(change, also) {
          const item = itemOf(change, also)
          await store.durable((transaction) => storeAll(transaction, [item]))
          await order.stored([item])
        },
        ofEvent(change): PreparedChange {
          const item = itemOf(change)
          const prepared = { store: (transaction: Kysely<Tables>) => storeRows(transaction, item), apply() {} }
          ofEvents.set(prepared, item)
          return prepared
        },
        inTurn: (key, work) =>
          keys.hold(key, async (turn) => {
            await order.made(turn.last)
            const held: Held = { turn, isOver: false }
            try {
              return await turns.run(held, async () => work())
            } finally {
              held.isOver = true
            }
          }),
        idle: keys.idle,
      }
    },
  }
}
