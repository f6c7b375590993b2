import type { Kysely } from 'kysely'
import type { Tables } from '../../storage/schema.ts'
import type { Memberships } from '../event.ts'
import { conversationWith, peerOf, teamConversation, type Peer } from './conversation.ts'

/** Days for which a message counts as unread. */
export const countedDays = 7
const day = 86_400_000

/** Unread messages of an account. */
export interface UnreadCounts {
  /** The badge: all of them. */
  readonly total: number
  /** Conversations that have some. */
  readonly conversations: readonly { readonly peer: Peer; readonly unread: number }[]
}

/** Counts of unread messages: from others, with a badge, of the last 7 days, behind what was marked read. Asked for at log-in and after `read`, not for every message. */
export interface Unread {
  unread(uid: number, accid: string): Promise<UnreadCounts>
  /** Marks a conversation read up to a seq; the mark never goes back. */
  read(uid: number, accid: string, peer: Peer, upTo: number): Promise<{ readonly unread: number; readonly total: number }>
}

/** Unread counts from the database. */
export function createUnread({
  db,
  clock,
  memberships,
}: {
  readonly db: Kysely<Tables>
  readonly clock: () => number
  readonly memberships: Memberships
}): Unread {
  const count = async (uid: number, accid: string): Promise<UnreadCounts> => {
    const from = clock() - countedDays * day
    const rows = await db
      .selectFrom('inbox')
      .innerJoin('event', 'event.seq', 'inbox.seq')
      .leftJoin('readMark', (join) =>
        join.onRef('readMark.uid', '=', 'inbox.uid').onRef('readMark.accid', '=', 'inbox.accid').onRef('readMark.conversation', '=', 'event.conversation'),
      )
      .select((query) => ['event.conversation', query.fn.countAll<number>().as('unread')])
      .where('inbox.uid', '=', uid)
      .where('inbox.accid', '=', accid)
      .where('inbox.counts', '=', 1)
      .where('event.recalled', '=', 0)
      .where('event.at', '>=', from)
      .where((query) => query.or([query('readMark.seq', 'is', null), query('readMark.seq', '<', query.ref('inbox.seq'))]))
      .groupBy('event.conversation')
      .execute()
    const conversations: { peer: Peer; unread: number }[] = rows
      .filter(({ conversation }) => conversation.startsWith('p:'))
      .map(({ conversation, unread }) => ({ peer: peerOf(accid, conversation), unread }))
    const marks = new Map(
      (await db.selectFrom('readMark').select(['conversation', 'seq']).where('uid', '=', uid).where('accid', '=', accid).execute()).map(
        ({ conversation, seq }) => [conversation, seq],
      ),
    )
    for (const { tid, since } of memberships.membershipsOf(uid, accid)) {
      const conversation = teamConversation(tid)
      const { unread } = await db
        .selectFrom('event')
        .select((query) => query.fn.countAll<number>().as('unread'))
        .where('uid', '=', uid)
        .where('conversation', '=', conversation)
        .where('seq', '>', Math.max(marks.get(conversation) ?? 0, since - 1))
        .where('kind', '=', 'message')
        .where('badge', '=', 1)
        .where('hidden', '=', 0)
        .where('recalled', '=', 0)
        .where('sender', '!=', accid)
        .where('at', '>=', from)
        .executeTakeFirstOrThrow()
      if (unread > 0) conversations.push({ peer: { scene: 'team', tid }, unread })
    }
    return { total: conversations.reduce((sum, { unread }) => sum + unread, 0), conversations }
  }
  return {
    unread: count,
    async read(uid, accid, peer, upTo) {
      const conversation = conversationWith(accid, peer)
      await db
        .insertInto('readMark')
        .values({ uid, accid, conversation, seq: upTo })
        .onConflict((conflict) => conflict.columns(['uid', 'accid', 'conversation']).doUpdateSet({ seq: upTo }).where('readMark.seq', '<', upTo))
        .execute()
      const { total, conversations } = await count(uid, accid)
      return { total, unread: conversations.find((one) => conversationWith(accid, one.peer) === conversation)?.unread ?? 0 }
    },
  }
}
