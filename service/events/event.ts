import type { Kysely } from 'kysely'
import type { ConversationCopy } from '../../contract/callbacks/copy.ts'
import type { LinkPush } from '../../contract/link/frames.ts'
import type { CopyKind } from '../../contract/operations/copy-kinds.ts'
import type { PreparedChange } from '../journal/journal.ts'
import type { Tables } from '../storage/schema.ts'

/** Kinds of pushes in the stream. */
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

/** An event in an application's conversations, delivered once and in order. */
export interface NewEvent {
  readonly uid: number
  /** Push without seq and at, which the stream adds. */
  readonly frame: Frame
  readonly from: string
  /** Receivers: members of a team (tid), or accounts. Notification preferences are looked up at delivery. */
  readonly to: { readonly tid: number } | { readonly accids: readonly string[] }
  /** Receivers besides the members: a removed member learns of it. */
  readonly extraRecipients?: readonly string[]
  /** Where it is kept (2-messaging Message option): history, devices that sign in later, offline accounts. */
  readonly keep: { readonly history: boolean; readonly roam: boolean; readonly offline: boolean }
  /** For its sender only: blacklisted, or caught by the word list (behaviour.md#blacklist-and-mute-list). */
  readonly hidden?: boolean
  /** False: not sent to the sender's other devices (2-messaging, sendersync). */
  readonly sync?: boolean
  /** Accounts whose unread count it does not raise: they have muted the sender. */
  readonly noBadgeFor?: readonly string[]
  /** The sender's own id: a repetition is neither stored nor delivered, and resolves with the first position. */
  readonly idempotencyKey?: string
  /** The sending session, which gets no push. */
  readonly origin?: string
  /** Writes in the event's transaction, such as its copy in the outbox. Database only: repeated after a failure. */
  readonly inTransaction?: (transaction: Kysely<Tables>, place: SequencePosition) => Promise<void>
  /**
   * What it changes, such as team members: stored in its transaction, and made in memory after the commit, before
   * delivery and before any later event, so that the receivers are the members at its position.
   */
  readonly change?: (place: SequencePosition) => PreparedChange
}

/** Position of an event: msgid, and time of acceptance in ms. */
export interface SequencePosition {
  readonly seq: number
  readonly at: number
  /** The idempotency key was used before: this is the first position. */
  readonly repeated?: boolean
}

/** A stored event, delivered in order of seq. */
export interface StoredEvent
  extends Omit<NewEvent, 'frame' | 'inTransaction' | 'change' | 'idempotencyKey'>, SequencePosition {
  readonly frame: EventFrame
}

/** A push with its position. */
export type EventFrame = LinkPush<EventKind>

/** The teams of an account. */
export interface Memberships {
  /** `since` is the seq of the event that added the account; it reads from there. */
  membershipsOf(uid: number, accid: string): Iterable<{ readonly tid: number; readonly since: number }>
}

/** The ordered event stream of each application. Resolves once stored; receivers are called after that. */
export interface EventStream {
  publish(event: NewEvent): Promise<SequencePosition>
  /** Greatest seq stored and delivered. */
  committed(): number
}

/** Queues copies of a conversation's events (`service/copies/`). */
export interface ConversationCopies {
  wants(uid: number, kind: CopyKind): boolean
  enqueue(transaction: Kysely<Tables>, uid: number, copy: ConversationCopy): Promise<void>
}
