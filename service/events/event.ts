import type { Kysely } from 'kysely'
import type { LinkPush } from '../../contract/link/frames.ts'
import type { Tables } from '../storage/schema.ts'

/** Kinds of pushes that have a place in the stream. */
export type EventKind =
  | 'message'
  | 'notification'
  | 'recall'
  | 'friend'
  | 'relation'
  | 'teamInvite'
  | 'teamApply'
  | 'teamRefused'
type Frame = {
  [K in EventKind]: Omit<LinkPush<K>, 'seq' | 'at' | 'msgid'> & Partial<Pick<LinkPush<'recall'>, 'msgid'>>
}[EventKind]

/** Something that happened in an application's conversations and that receivers shall learn, once and in order. */
export interface NewEvent {
  readonly uid: number
  /** What receivers get, without seq and at, which the stream gives. */
  readonly frame: Frame
  /** Sender's accid. */
  readonly from: string
  /** Who gets it: the members of a team (by tid), or the accounts named. Push off for one of them is looked up when it is delivered. */
  readonly to: { readonly tid: number } | { readonly accids: readonly string[] }
  /** Members of the team that get it besides or no more: who was just put out learns it, who was just pulled in does not read what was before. */
  readonly extraRecipients?: readonly string[]
  /** What is kept of it (2-messaging Message option): in the history, for devices that come later, for those who are offline now. */
  readonly keep: { readonly history: boolean; readonly roam: boolean; readonly offline: boolean }
  /** Stored for its sender alone: the receiver has blacklisted the sender, or the word list caught it (behaviour.md#blacklist-and-mute-list). */
  readonly hidden?: boolean
  /** False: the sender's other devices do not get it (2-messaging Message option, sendersync). Otherwise the sender of what goes to accounts need not be named in `to`. */
  readonly sync?: boolean
  /** Accounts whose unread count it does not raise: they have the sender on their mute list. */
  readonly noBadgeFor?: readonly string[]
  /** The sender's own id of it: a second one of the same sender is neither stored nor delivered, and resolves with the place of the first. */
  readonly idempotencyKey?: string
  /** The link session that sent it and knows it already. */
  readonly origin?: string
  /** Writes that must stand together with the event, such as its copy in the outbox; within the event's transaction. Only the database may be touched: after a failure it runs again. */
  readonly inTransaction?: (transaction: Kysely<Tables>, place: SequencePosition) => Promise<void>
  /**
   * What changes in memory with the event, such as who is in a team. Called once it is stored, synchronously, before any receiver gets it and
   * before any later event is given out, so that each event reaches exactly those who were members at its place. Must not throw.
   */
  readonly stored?: (place: SequencePosition) => void
}

/** Where an event stands: its msgid, and when it was taken in ms. */
export interface SequencePosition {
  readonly seq: number
  readonly at: number
  /** The sender gave the same `idempotencyKey` before: this is the place of that one. */
  readonly repeated?: boolean
}

/** An event that is stored: what receivers are handed, in the order of seq. */
export interface StoredEvent
  extends Omit<NewEvent, 'frame' | 'inTransaction' | 'stored' | 'idempotencyKey'>, SequencePosition {
  /** The push as it goes over the link. */
  readonly frame: EventFrame
}

/** A push with its place. */
export type EventFrame = LinkPush<EventKind>

/** Who gets events as they happen. Must not throw and must not wait. */
export interface EventReceivers {
  deliver(event: StoredEvent): void
}

/** The teams that an account is in. */
export interface Memberships {
  /** `since` is the seq of the event that let it in: that one and what stands behind it is for this account, nothing before. */
  membershipsOf(uid: number, accid: string): Iterable<{ readonly tid: number; readonly since: number }>
}

/** The one ordered stream of each application's events. Resolves once the event is stored, then receivers get it. */
export interface EventStream {
  publish(event: NewEvent): Promise<SequencePosition>
  /** The greatest seq that is stored and was handed to the receivers. */
  committed(): number
}
