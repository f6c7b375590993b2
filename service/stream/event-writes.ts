import type { Kysely } from 'kysely'
import type { EventTable, InboxTable, SentOnceTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { EventFrame, NewEvent } from '../events/event.ts'
import { p2pConversation, teamConversation } from './conversation.ts'

/** An event with its position. */
export interface PlacedEvent {
  readonly event: NewEvent
  readonly seq: number
  readonly at: number
  readonly frame: EventFrame
}

const emptyEvent: EventTable = {
  seq: 0,
  uid: 0,
  at: 0,
  kind: '',
  conversation: '',
  sender: '',
  frame: '',
  history: 0,
  roam: 0,
  offline: 0,
  hidden: 0,
  badge: 0,
  sync: 0,
  recalled: 0,
}
const emptyInbox: InboxTable = { uid: 0, accid: '', seq: 0, counts: 0 }
const emptyOnce: SentOnceTable = { uid: 0, sender: '', clientId: '', seq: 0, at: 0 }
const eventColumns = Object.keys(emptyEvent) as (keyof EventTable)[]

/** Conversation of an event: all events of a team, messages of two accounts; '' otherwise. */
export function conversationOf({ to, frame, from }: NewEvent): string {
  if ('tid' in to) return teamConversation(to.tid)
  return frame.t === 'message' ? p2pConversation(from, frame.to) : ''
}

/** Accounts with an inbox entry of the event; team members find team events without one. */
export function inboxOf({ to, extraRecipients = [], from, hidden, sync }: NewEvent): Iterable<string> {
  if (hidden) return sync === false ? [] : [from]
  const isTeam = 'tid' in to
  const accids = new Set(isTeam ? extraRecipients : [...to.accids, ...extraRecipients])
  if (sync === false) accids.delete(from)
  else if (!isTeam) accids.add(from)
  return accids
}

/** Statements that store an event, compiled once. */
export function createEventWrites(db: Kysely<Tables>) {
  const eventInsertion = db.insertInto('event').values(emptyEvent).compile()
  const inboxInsertion = db.insertInto('inbox').values(emptyInbox).compile()
  const onceInsertion = db
    .insertInto('sentOnce')
    .values(emptyOnce)
    .onConflict((conflict) => conflict.columns(['uid', 'sender', 'clientId']).doNothing())
    .compile()
  return {
    /** Stores an event and its inbox entries. */
    async store(executor: Kysely<Tables>, { event, seq, at, frame }: PlacedEvent): Promise<void> {
      const { uid, from, keep, hidden, sync, noBadgeFor } = event
      // Events that are not kept cannot be read later.
      const badge = 'badge' in frame && frame.badge && (keep.history || keep.roam || keep.offline)
      const row: EventTable = {
        seq,
        uid,
        at,
        kind: frame.t,
        conversation: conversationOf(event),
        sender: from,
        frame: JSON.stringify(frame),
        history: Number(keep.history),
        roam: Number(keep.roam),
        offline: Number(keep.offline),
        hidden: Number(hidden === true),
        badge: Number(badge),
        sync: Number(sync !== false),
        recalled: 0,
      }
      await executor.executeQuery({ ...eventInsertion, parameters: eventColumns.map((column) => row[column]) })
      for (const accid of inboxOf(event)) {
        const counts = Number(badge && accid !== from && noBadgeFor?.includes(accid) !== true)
        await executor.executeQuery({ ...inboxInsertion, parameters: [uid, accid, seq, counts] })
      }
    },
    /** Stores the idempotency key; returns the earlier position if it was used before. */
    async once(
      executor: Kysely<Tables>,
      { event, seq, at }: PlacedEvent,
      clientId: string,
    ): Promise<{ seq: number; at: number } | undefined> {
      const { numAffectedRows } = await executor.executeQuery({
        ...onceInsertion,
        parameters: [event.uid, event.from, clientId, seq, at],
      })
      if (numAffectedRows !== 0n) return undefined
      return executor
        .selectFrom('sentOnce')
        .select(['seq', 'at'])
        .where((row) => row.and({ uid: event.uid, sender: event.from, clientId }))
        .executeTakeFirstOrThrow()
    },
  }
}
