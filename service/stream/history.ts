import type { Clock } from '../../platform/clock.ts'
import { sql, type Kysely } from 'kysely'
import type { EventTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { EventFrame } from '../events/event.ts'
import { conversationWith, type Peer } from './conversation.ts'
import type { KeepDays } from './keep-days.ts'

const day = 86_400_000

/** A query: whose view of which conversation. */
export interface HistoryRequest {
  readonly uid: number
  /** The reader, who also sees own messages that were not delivered. */
  readonly accid: string
  readonly peer: Peer
  /** First and last time in ms. */
  readonly begin?: number
  readonly end?: number
  /** Only from this seq on: what a team member may read. */
  readonly since?: number
  /** Only before this seq. */
  readonly before?: number
  readonly ascending: boolean
  readonly limit: number
  /** Only these types; all by default. */
  readonly types?: readonly number[] | undefined
  /** Includes recalled messages, empty and marked. */
  readonly recalled?: boolean
}

/** Makes the history; events beyond the retention are not returned, even before their removal. */
export function createHistory(options: {
  readonly db: Kysely<Tables>
  readonly reads?: Kysely<Tables> | undefined
  readonly clock: Clock
  readonly keep: (uid: number) => KeepDays
}) {
  const { db, reads = db, clock, keep } = options
  return {
    async history({
      uid,
      accid,
      peer,
      begin = 0,
      end = Number.MAX_SAFE_INTEGER,
      since,
      before,
      ascending,
      limit,
      types,
      recalled = false,
    }: HistoryRequest): Promise<
      { readonly seq: number; readonly at: number; readonly from: string; readonly frame: EventFrame }[]
    > {
      const oldest = clock.now() - keep(uid).historyDays * day
      const order = ascending ? 'asc' : 'desc'
      // By seq for a position, by time for a window; each has its index. The sign keeps SQLite from using the time
      // index.
      const at = before === undefined ? sql.ref<number>('at') : sql<number>`+${sql.ref('at')}`
      let query = reads
        .selectFrom('event')
        .select(['seq', 'at', 'sender', 'frame'])
        .where('uid', '=', uid)
        .where('conversation', '=', conversationWith(accid, peer))
        .where(at, '>=', Math.max(begin, oldest))
        .where(at, '<=', end)
        .where('history', '=', 1)
        .where((condition) => condition.or([condition('hidden', '=', 0), condition('sender', '=', accid)]))
      if (since !== undefined) query = query.where('seq', '>=', since)
      // Filters the conversation's rows that the index gives.
      if (types !== undefined)
        query = query.where(sql<number>`json_extract(${sql.ref('frame')}, '$.type')`, 'in', [...types])
      if (!recalled) query = query.where('recalled', '=', 0)
      if (before === undefined) query = query.orderBy('at', order).orderBy('seq', order)
      else query = query.where('seq', '<', before).orderBy('seq', order)
      const rows = await query.limit(limit).execute()
      return rows.map(({ seq, at, sender, frame }) => ({
        seq,
        at,
        from: sender,
        frame: JSON.parse(frame) as EventFrame,
      }))
    },
    /** A stored event of an application. */
    find: (uid: number, seq: number): Promise<Readonly<EventTable> | undefined> =>
      db.selectFrom('event').selectAll().where('seq', '=', seq).where('uid', '=', uid).executeTakeFirst(),
  }
}

/** The history of conversations. */
export type History = ReturnType<typeof createHistory>
