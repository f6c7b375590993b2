import type { Kysely } from 'kysely'
import type { LinkPush } from '../../contract/link/frames.ts'
import type { Tables } from '../storage/schema.ts'

/** Kinds of pushes that have a place in the stream. */
export type EventKind = 'message' | 'notification' | 'recall' | 'friend' | 'relation' | 'teamInvite' | 'teamApply' | 'teamRefused'
type Frame = { [K in EventKind]: Omit<LinkPush<K>, 'seq' | 'at' | 'msgid'> & Partial<Pick<LinkPush<'recall'>, 'msgid'>> }[EventKind]

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
  readonly alsoTo?: readonly string[]
  /** What is kept of it (2-messaging Message option): in the history, for devices that come later, for those who are offline now. */
  readonly keep: { readonly history: boolean; readonly roam: boolean; readonly offline: boolean }
  /** Stored for its sender alone: the receiver has blacklisted the sender, or the word list caught it (decisions, Messaging). */
  readonly hidden?: boolean
  /** The link session that sent it and knows it already. */
  readonly origin?: string
  /** Writes that must stand together with the event, such as its copy in the outbox; within the event's transaction. */
  readonly within?: (transaction: Kysely<Tables>, place: EventPlace) => Promise<void>
  /**
   * What changes in memory with the event, such as who is in a team. Called once it is stored, synchronously, before any receiver gets it and
   * before any later event is given out, so that each event reaches exactly those who were members at its place. Must not throw.
   */
  readonly stored?: (place: EventPlace) => void
}

/** Where an event stands: its msgid, and when it was taken in ms. */
export interface EventPlace {
  readonly seq: number
  readonly at: number
}

/** The one ordered stream of each application's events. Resolves once the event is stored, then receivers get it. */
export interface EventStream {
  publish(event: NewEvent): Promise<EventPlace>
}
