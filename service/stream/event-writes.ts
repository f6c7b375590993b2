import type { Kysely } from 'kysely'
import { createBulkInsert } from '../storage/bulk-insert.ts'
import type { EventTable, InboxTable, SentOnceTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { EventFrame, NewEvent, StoredEvent } from '../events/event.ts'
import { p2pConversation, teamConversation } from './conversation.ts'

/** An event with its position. */
export interface PlacedEvent {
  readonly event: NewEvent
  readonly seq: number
  readonly at: number
  readonly frame: EventFrame
}

/** The event as its receivers get it. */
export function storedOf({ event, seq, at, frame }: PlacedEvent): StoredEvent {
  const { inTransaction: _inTransaction, change: _change, idempotencyKey: _idempotencyKey, ...rest } = event
  return { ...rest, frame, seq, at }
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
const insertEvents = createBulkInsert('event', Object.keys(emptyEvent) as (keyof EventTable)[])
const insertInbox = createBulkInsert('inbox', Object.keys(emptyInbox) as (keyof InboxTable)[], {
  // A message to an account has two.
  together: 2,
})
const insertOnce = createBulkInsert('sentOnce', Object.keys(emptyOnce) as (keyof SentOnceTable)[], {
  conflict: { key: ['uid', 'sender', 'clientId'] },
})

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

const rowOf = ({ event, seq, at, frame }: PlacedEvent): EventTable => ({
  seq,
  uid: event.uid,
  at,
  kind: frame.t,
  conversation: conversationOf(event),
  sender: event.from,
  frame: JSON.stringify(frame),
  history: Number(event.keep.history),
  roam: Number(event.keep.roam),
  offline: Number(event.keep.offline),
  hidden: Number(event.hidden === true),
  badge: Number(hasBadge(event)),
  sync: Number(event.sync !== false),
  recalled: 0,
})
/** Whether it counts as unread. Events that are not kept cannot be read later. */
export const hasBadge = ({ frame, keep }: NewEvent): boolean =>
  'badge' in frame && frame.badge && (keep.history || keep.roam || keep.offline)

/** Inbox entries of an event, with whether it counts as unread. */
export function inboxEntriesOf(event: NewEvent): { readonly accid: string; readonly counts: number }[] {
  const { from, noBadgeFor } = event
  const badge = hasBadge(event)
  return Array.from(inboxOf(event), (accid) => ({
    accid,
    counts: Number(badge && accid !== from && noBadgeFor?.includes(accid) !== true),
  }))
}

/** Stores events and their inbox entries. */
export async function storeEvents(transaction: Kysely<Tables>, placed: readonly PlacedEvent[]): Promise<void> {
  await insertEvents(transaction, placed.map(rowOf))
  const entries = placed.flatMap(({ event, seq }) =>
    inboxEntriesOf(event).map(({ accid, counts }): InboxTable => ({ uid: event.uid, accid, seq, counts })),
  )
  await insertInbox(transaction, entries)
}

/** Stores the idempotency keys of events; tells those whose key was used before, with their earlier positions. */
export async function storeKeys<Event extends PlacedEvent>(
  transaction: Kysely<Tables>,
  placed: readonly Event[],
  known: (event: Event, earlier: { readonly seq: number; readonly at: number }) => void,
): Promise<void> {
  const keyed: Event[] = []
  const rows: SentOnceTable[] = []
  for (const each of placed) {
    const { uid, from: sender, idempotencyKey: clientId } = each.event
    if (clientId === undefined) continue
    keyed.push(each)
    rows.push({ uid, sender, clientId, seq: each.seq, at: each.at })
  }
  const areNew = await insertOnce(transaction, rows)
  for (const [index, each] of keyed.entries()) if (!areNew[index]) known(each, await earlierOf(transaction, each.event))
}

/** The first position of an idempotency key that was used before. */
export function earlierOf(
  db: Kysely<Tables>,
  { uid, from: sender, idempotencyKey: clientId }: NewEvent,
): Promise<{ readonly seq: number; readonly at: number }> {
  return db
    .selectFrom('sentOnce')
    .select(['seq', 'at'])
    .where((row) => row.and({ uid, sender, clientId: clientId! }))
    .executeTakeFirstOrThrow()
}
