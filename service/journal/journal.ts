import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** Changes of what the service keeps in memory, each with its rows. Nothing else changes that memory. */
export interface Journal {
  /** Makes a kind of change; a name is of one kind. */
  kind<Change>(name: string, rules: ChangeRules<Change>): ChangeKind<Change>
  /** Where services share the database: the order in which each hands on the events of all. */
  readonly events?: SharedEvents
}

/** What a change of a kind does. */
export interface ChangeRules<Change> {
  /** Writes its rows in a transaction. */
  store(transaction: Kysely<Tables>, change: Change): Promise<void>
  /** Makes the change in memory. Neither throws nor waits. */
  apply(change: Change): void
}

/** Changes of one kind. */
export interface ChangeKind<Change> {
  /**
   * Stores a change and makes it in memory, in the order of the calls; resolves after both. `also` writes more in the
   * same transaction, to the database only: it is repeated after a failure. Rejects with nothing changed.
   */
  commit(change: Change, also?: (transaction: Kysely<Tables>) => Promise<void>): Promise<void>
  /** The same, for a change that survives a power failure once it has resolved. */
  commitDurably(change: Change, also?: (transaction: Kysely<Tables>) => Promise<void>): Promise<void>
  /** A change that an event of the stream brings: stored with it, and made in memory at its place. */
  ofEvent(change: Change): PreparedChange
  /** Runs work on a key in sequence, so that what it checked stays true until it has committed. */
  inTurn<T>(key: string | number, work: () => T | Promise<T>): Promise<T>
  /** Resolves when all work in turn has ended. */
  idle(): Promise<void>
}

/** A change for who stores it, as the stream does with those of events. */
export interface PreparedChange {
  store(transaction: Kysely<Tables>): Promise<void>
  /** Called after the commit, except where services share the database: there `SharedEvents` makes it at its place. */
  apply(): void
}

/** An event that is stored, for who hands it on. */
export interface OrderedEvent {
  readonly seq: number
  hand(): void
}
/** Reads the events of all services. */
export interface EventSource {
  /** The first ones with places after `after` up to `upTo`, in order. */
  read(after: number, upTo: number, limit: number): Promise<readonly OrderedEvent[]>
}

/** The order in which every service hands on the events of all, with each change made at the place of its event. */
export interface SharedEvents {
  /** Reads events from a source from now on, after those that were there before. */
  attach(source: EventSource, handed: number): void
  /**
   * Last in the transaction that stores events: gives the changes that were stored with them their places, in the order
   * of the events.
   */
  append(
    transaction: Kysely<Tables>,
    changes: readonly { readonly change: PreparedChange; readonly event: number }[],
  ): Promise<void>
  /** After the commit of events with places from `first` to `last`; places of repeated ones stay empty. */
  stored(
    events: readonly (OrderedEvent & { readonly change: PreparedChange | undefined })[],
    first: number,
    last: number,
  ): void
  /** Resolves once the events up to a place are handed on here. */
  reached(seq: number): Promise<void>
  /** The last event that was handed on here. */
  handed(): number
}
