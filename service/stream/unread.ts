import type { Clock } from '../../platform/clock.ts'
import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'
import type { Memberships } from '../events/event.ts'
import { accountCursor } from './cursors.ts'
import { conversationWith, peerOf, teamConversation, type Peer } from './conversation.ts'

/** Days for which a message counts as unread. */
export const countedDays = 7
/** Newest entries of an inbox and of each team that are counted, to bound the cost. */
export const maxCounted = 2000
const day = 86_400_000

/** Unread messages of an account. */
export interface UnreadCounts {
  /** The badge: messages, and notifications that no device has. */
  readonly total: number
  /** Conversations with unread messages. */
  readonly conversations: readonly { readonly peer: Peer; readonly unread: number }[]
}

/** Makes the counts. */
export function createUnread(options: {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly memberships: Memberships
  readonly committed: () => number
}) {
  const { db, clock, memberships, committed } = options
  /** Counted inbox entries of an account. */
  const inInbox = (uid: number, accid: string, from: number) =>
    db
      .selectFrom((query) =>
        query
          .selectFrom('inbox')
          .select(['seq', 'counts'])
          .where('uid', '=', uid)
          .where('accid', '=', accid)
          .orderBy('seq', 'desc')
          .limit(maxCounted)
          .as('newest'),
      )
      .innerJoin('event', 'event.seq', 'newest.seq')
      .where('newest.counts', '=', 1)
      .where('event.recalled', '=', 0)
      .where('event.at', '>=', from)
  const ofTeam = async (
    uid: number,
    accid: string,
    { tid, kind, after, from }: { tid: number; kind: string; after: number; from: number },
  ): Promise<number> => {
    const { unread } = await db
      .selectFrom((query) =>
        query
          .selectFrom('event')
          .select(['kind', 'badge', 'hidden', 'recalled', 'sender', 'at'])
          .where('uid', '=', uid)
          .where('conversation', '=', teamConversation(tid))
          .where('seq', '>', after)
          .orderBy('seq', 'desc')
          .limit(maxCounted)
          .as('newest'),
      )
      .select((query) => query.fn.countAll<number>().as('unread'))
      .where((row) => row.and({ kind, badge: 1, hidden: 0, recalled: 0 }))
      .where('sender', '!=', accid)
      .where('at', '>=', from)
      .executeTakeFirstOrThrow()
    return unread
  }
  const count = async (uid: number, accid: string): Promise<UnreadCounts> => {
    const from = clock.now() - countedDays * day
    const rows = await inInbox(uid, accid, from)
      .leftJoin('readMark', (join) =>
        join
          .on('readMark.uid', '=', uid)
          .on('readMark.accid', '=', accid)
          .onRef('readMark.conversation', '=', 'event.conversation'),
      )
      .select((query) => ['event.conversation', query.fn.countAll<number>().as('unread')])
      .where('event.kind', '=', 'message')
      .where((query) =>
        query.or([query('readMark.seq', 'is', null), query('readMark.seq', '<', query.ref('newest.seq'))]),
      )
      .groupBy('event.conversation')
      .execute()
    const conversations: { peer: Peer; unread: number }[] = rows.map(({ conversation, unread }) => ({
      peer: peerOf(accid, conversation),
      unread,
    }))
    // Notifications have no conversation: they count until a device has them.
    const taken = await accountCursor(db, uid, accid)
    const { waiting } = await inInbox(uid, accid, from)
      .select((query) => query.fn.countAll<number>().as('waiting'))
      .where('newest.seq', '>', taken)
      .where('event.kind', '=', 'notification')
      .executeTakeFirstOrThrow()
    let notifications = waiting
    const marked = await db
      .selectFrom('readMark')
      .select(['conversation', 'seq'])
      .where('uid', '=', uid)
      .where('accid', '=', accid)
      .execute()
    const marks = new Map(marked.map(({ conversation, seq }) => [conversation, seq]))
    for (const { tid, since } of memberships.membershipsOf(uid, accid)) {
      const read = marks.get(teamConversation(tid)) ?? 0
      const unread = await ofTeam(uid, accid, { tid, kind: 'message', after: Math.max(read, since - 1), from })
      if (unread > 0) conversations.push({ peer: { scene: 'team', tid }, unread })
      notifications += await ofTeam(uid, accid, { tid, kind: 'notification', after: Math.max(taken, since - 1), from })
    }
    return { total: conversations.reduce((sum, { unread }) => sum + unread, notifications), conversations }
  }
  return {
    unread: count,
    /** Marks a conversation read up to a seq, at most the end of the stream; never goes back. */
    async read(
      uid: number,
      accid: string,
      peer: Peer,
      given: number,
    ): Promise<{ readonly unread: number; readonly total: number }> {
      const upTo = Math.min(given, committed())
      const conversation = conversationWith(accid, peer)
      await db
        .insertInto('readMark')
        .values({ uid, accid, conversation, seq: upTo })
        .onConflict((conflict) =>
          conflict
            .columns(['uid', 'accid', 'conversation'])
            .doUpdateSet({ seq: upTo })
            .where('readMark.seq', '<', upTo),
        )
        .execute()
      const { total, conversations } = await count(uid, accid)
      return {
        total,
        unread: conversations.find((one) => conversationWith(accid, one.peer) === conversation)?.unread ?? 0,
      }
    },
  }
}

/**
 * Counts unread messages: from others, with a badge, of the last 7 days and newest 2000, after the read mark. Counted
 * at log-in and after `read`, not per message.
 */
export type Unread = ReturnType<typeof createUnread>
