import type { Kysely } from 'kysely'
import { maxPushes } from '../../contract/operations/broadcasts.ts'
import type { BroadcastEventTable, BroadcastPushTable, BroadcastTable } from '../storage/broadcast-tables.ts'
import { createBulkInsert } from '../storage/bulk-insert.ts'
import type { Tables } from '../storage/schema.ts'
import { setBroadcastTitle } from './broadcast-changes.ts'
import type { Sample, UnstoredSamples } from './samples.ts'

/** Figures of a broadcast on air, since its begin. */
export type Totals = Pick<BroadcastTable, 'measured' | 'viewers' | 'peak' | 'leftOut'>
/** An event without its broadcast; its target has no name yet. */
export type NewEvent = Omit<BroadcastEventTable, 'broadcastId' | 'target'>
/** What became of a broadcast on air since it was noted last. */
export interface Progress {
  readonly broadcastId: string
  readonly seen: number
  readonly totals: Totals
  readonly samples: UnstoredSamples
  readonly events: readonly NewEvent[]
}
/** A page of an application's broadcasts, newest first. */
export interface BroadcastsRequest {
  readonly uid: number
  readonly cid: string | undefined
  /** Begun within this range (inclusive), in ms. */
  readonly from: number
  readonly to: number
  readonly limit: number
  /** The last entry of the page before. */
  readonly before: { readonly began: number; readonly broadcastId: string } | undefined
}

/** Rows of broadcasts; every method rejects when the store is broken. */
export type BroadcastsStore = ReturnType<typeof createBroadcastsStore>

/** A broadcast with its parts, in their order. */
const parts = ['broadcastPush', 'broadcastSample', 'broadcastEvent'] as const
/** Files and markers of one broadcast at most. */
const mostLinked = 10_000
/** Those that are looked at together. */
const together = 100

const insertSamples = createBulkInsert(
  'broadcastSample',
  [
    'broadcastId',
    'at',
    'measured',
    'known',
    'viewers',
    'peak',
    'kbps',
    'kbpsLow',
    'millifps',
    'millifpsLow',
    'keyFrameGap',
    'audioGap',
  ],
  { together: 60 },
)
const insertEvents = createBulkInsert('broadcastEvent', [
  'broadcastId',
  'number',
  'at',
  'kind',
  'state',
  'detail',
  'targetId',
  'target',
])

/** Makes the store; `reads` is for long reads. */
export function createBroadcastsStore(db: Kysely<Tables>, reads = db) {
  const remove = (broadcastIds: readonly string[]): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      for (const table of [...parts, 'broadcast'] as const)
        await transaction.deleteFrom(table).where('broadcastId', 'in', broadcastIds).execute()
    })
  const nameTargets = async (transaction: Kysely<Tables>, events: readonly NewEvent[]) => {
    const ids = [...new Set(events.flatMap(({ targetId }) => (targetId === null ? [] : [targetId])))]
    const rows =
      ids.length === 0
        ? []
        : await transaction.selectFrom('target').select(['targetId', 'name']).where('targetId', 'in', ids).execute()
    const names = new Map(rows.map(({ targetId, name }) => [targetId, name]))
    return events.map((event) => ({ ...event, target: names.get(event.targetId ?? 0) ?? null }))
  }
  return {
    /** The latest one of a channel. */
    newest: (uid: number, cid: string) =>
      db
        .selectFrom('broadcast')
        .selectAll()
        .where('uid', '=', uid)
        .where('cid', '=', cid)
        .orderBy('began', 'desc')
        .orderBy('broadcastId', 'desc')
        .limit(1)
        .executeTakeFirst(),
    one: (broadcastId: string) =>
      db.selectFrom('broadcast').selectAll().where('broadcastId', '=', broadcastId).executeTakeFirst(),
    /** Those on air, as far as they were noted. */
    open: () => db.selectFrom('broadcast').selectAll().where('ended', '=', 0).orderBy('seen').limit(together).execute(),
    samplesOf: async (broadcastId: string, from = db): Promise<Sample[]> =>
      (
        await from
          .selectFrom('broadcastSample')
          .selectAll()
          .where('broadcastId', '=', broadcastId)
          .orderBy('at')
          .execute()
      ).map(({ broadcastId: _broadcastId, ...sample }) => sample),
    /** When its last push began. */
    lastPush: async ({ broadcastId, pushes }: Pick<BroadcastTable, 'broadcastId' | 'pushes'>) =>
      (
        await db
          .selectFrom('broadcastPush')
          .select('began')
          .where('broadcastId', '=', broadcastId)
          .where('number', '=', pushes)
          .executeTakeFirst()
      )?.began,
    /** The number of the last one that is kept; 0 for none. */
    eventCount: async (broadcastId: string): Promise<number> =>
      (
        await db
          .selectFrom('broadcastEvent')
          .select('number')
          .where('broadcastId', '=', broadcastId)
          .orderBy('number', 'desc')
          .limit(1)
          .executeTakeFirst()
      )?.number ?? 0,
    pushesOf: (broadcastId: string): Promise<BroadcastPushTable[]> =>
      reads
        .selectFrom('broadcastPush')
        .selectAll()
        .where('broadcastId', '=', broadcastId)
        .orderBy('number')
        .limit(maxPushes)
        .execute(),
    eventsOf: (broadcastId: string): Promise<BroadcastEventTable[]> =>
      reads.selectFrom('broadcastEvent').selectAll().where('broadcastId', '=', broadcastId).orderBy('number').execute(),
    /** At most `limit`, and whether there are more. */
    async page({ uid, cid, from, to, limit, before }: BroadcastsRequest) {
      let query = reads
        .selectFrom('broadcast')
        .selectAll()
        .where('uid', '=', uid)
        .where('began', '>=', from)
        .where('began', '<=', Math.min(to, before?.began ?? to))
      if (cid !== undefined) query = query.where('cid', '=', cid)
      if (before)
        query = query.where(({ or, eb }) =>
          or([eb('began', '<', before.began), eb('broadcastId', '<', before.broadcastId)]),
        )
      const rows = await query
        .orderBy('began', 'desc')
        .orderBy('broadcastId', 'desc')
        .limit(limit + 1)
        .execute()
      return { rows: rows.slice(0, limit), more: rows.length > limit }
    },
    /** Notes what became of those on air at a node; nothing of one that another node has since. */
    note: (node: string, all: readonly Progress[]): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        for (const { broadcastId, seen, totals, samples, events } of all) {
          const { numUpdatedRows } = await transaction
            .updateTable('broadcast')
            .set({ seen, ...totals })
            .where('broadcastId', '=', broadcastId)
            .where('node', '=', node)
            .executeTakeFirst()
          if (numUpdatedRows === 0n) continue
          const before = transaction.deleteFrom('broadcastSample').where('broadcastId', '=', broadcastId)
          const times = samples.samples.map(({ at }) => at)
          if (times.length > 0) await (samples.isAll ? before : before.where('at', 'in', times)).execute()
          await insertSamples(
            transaction,
            samples.samples.map((sample) => ({ ...sample, broadcastId })),
          )
          const named = await nameTargets(transaction, events)
          await insertEvents(
            transaction,
            named.map((event) => ({ ...event, broadcastId })),
          )
        }
      }),
    setTitle: (broadcastId: string, title: string) => setBroadcastTitle(db, { broadcastId, title }),
    remove: (broadcastId: string) => remove([broadcastId]),
    /** Removes some that ended before a time, or are not among the `newest` of an application; those. */
    async removeOld(uid: number, before: number, newest: number) {
      const oldest = reads.selectFrom('broadcast').select(['broadcastId', 'cid']).where('uid', '=', uid)
      const old = await oldest
        .where('began', '<', before)
        .where('ended', '>', 0)
        .where('ended', '<', before)
        .orderBy('began')
        .limit(together)
        .execute()
      const last = await reads
        .selectFrom('broadcast')
        .select('began')
        .where('uid', '=', uid)
        .orderBy('began', 'desc')
        .limit(1)
        .offset(newest)
        .executeTakeFirst()
      const beyond = last
        ? await oldest
            .where('began', '<=', last.began)
            .where('ended', '>', 0)
            .orderBy('began')
            .limit(together)
            .execute()
        : []
      const gone = [...new Map([...old, ...beyond].map((row) => [row.broadcastId, row])).values()]
      if (gone.length > 0) await remove(gone.map(({ broadcastId }) => broadcastId))
      return gone
    },
    /** Recorded files of a channel from a range, without merged ones, oldest first. */
    async filesWithin(cid: string, from: number, to: number): Promise<number[]> {
      const rows = await reads
        .selectFrom('recording')
        .select(['vid', 'merged'])
        .where('cid', '=', cid)
        .where('state', '=', 'ready')
        .where('endTime', '>=', from)
        .where('beginTime', '<=', to)
        .orderBy('beginTime')
        .orderBy('vid')
        .limit(mostLinked)
        .execute()
      return rows.filter(({ merged }) => merged === 0).map(({ vid }) => vid)
    },
    markersWithin: (cid: string, from: number, to: number) =>
      reads
        .selectFrom('marker')
        .select(['markerId', 'at', 'label'])
        .where('cid', '=', cid)
        .where('at', '>=', from)
        .where('at', '<=', to)
        .orderBy('at')
        .orderBy('markerId')
        .limit(mostLinked)
        .execute(),
  }
}
