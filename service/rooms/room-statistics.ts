import type { Clock } from '../../platform/clock.ts'
import { sql, type Kysely } from 'kysely'
import { createBulkInsert } from '../storage/bulk-insert.ts'
import type { RoomStatTable } from '../storage/room-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { Period, RoomPeriods } from './room-periods.ts'

const day = 86_400_000
/** Retention of counters in days (behaviour.md#statistics). */
const keptDays = 60
const periods: readonly Period[] = ['HOUR', 'DAY']

/** A counted event: an entry, or a shown line. */
export interface StatEvent {
  readonly uid: number
  readonly roomid: number
  readonly accid: string
  readonly at: number
  readonly what: 'enters' | 'msgs'
}
/** Ranking of rooms. */
export type RankedBy = 'active' | 'enters' | 'msgs'

const insertActive = createBulkInsert('roomActive', ['roomid', 'period', 'start', 'accid'], {
  conflict: { key: ['roomid', 'period', 'start', 'accid'] },
})
const addCounts = createBulkInsert('roomStat', ['roomid', 'uid', 'period', 'start', 'active', 'enters', 'msgs'], {
  conflict: { key: ['roomid', 'period', 'start'], add: ['active', 'enters', 'msgs'] },
})
const keyOf = ({ roomid, period, start }: RoomStatTable) => ({ roomid, period, start })

/** Loads the active accounts of the current hour and day. `reads` is for long reads. */
export async function createRoomStatistics(
  db: Kysely<Tables>,
  { startOf, endOf }: RoomPeriods,
  clock: Pick<Clock, 'now'>,
  reads = db,
) {
  // Accounts known in current periods; finished ones are not looked up again.
  const beginning = (period: Period, start: number) => ({
    start,
    end: endOf(period, start),
    accounts: new Set<string>(),
  })
  const known = {
    HOUR: beginning('HOUR', startOf('HOUR', clock.now())),
    DAY: beginning('DAY', startOf('DAY', clock.now())),
  }
  /** The current period is cached; others need the calendar. */
  const startAt = (period: Period, at: number): number =>
    at >= known[period].start && at < known[period].end ? known[period].start : startOf(period, at)
  for (const period of periods) {
    const rows = await db
      .selectFrom('roomActive')
      .select(['roomid', 'accid'])
      .where('period', '=', period)
      .where('start', '=', known[period].start)
      .execute()
    for (const { roomid, accid } of rows) known[period].accounts.add(`${roomid} ${accid}`)
  }
  const isKnown = (period: Period, start: number, key: string): boolean =>
    known[period].start === start && known[period].accounts.has(key)
  const keep = (period: Period, start: number, key: string): void => {
    if (start < known[period].start) return
    if (start > known[period].start) known[period] = beginning(period, start)
    known[period].accounts.add(key)
  }

  return {
    /** Counts events in the caller's transaction; call the result after the commit. */
    async count(transaction: Kysely<Tables>, statEvents: readonly StatEvent[]): Promise<() => void> {
      const rows = new Map<string, RoomStatTable & { readonly accounts: Set<string> }>()
      for (const period of periods)
        for (const { uid, roomid, accid, at, what } of statEvents) {
          const start = startAt(period, at)
          const key = `${period} ${start} ${roomid}`
          let row = rows.get(key)
          if (!row)
            rows.set(key, (row = { roomid, uid, period, start, active: 0, enters: 0, msgs: 0, accounts: new Set() }))
          row[what] += 1
          if (!isKnown(period, start, `${roomid} ${accid}`)) row.accounts.add(accid)
        }
      // In one order everywhere: transactions that lock the same rows in other orders would wait for each other.
      const counted = [...rows.values()].sort(
        (one, other) => one.roomid - other.roomid || one.start - other.start || (one.period < other.period ? -1 : 1),
      )
      const people = counted.flatMap((row) =>
        [...row.accounts].sort().map((accid) => ({ row, active: { ...keyOf(row), accid } })),
      )
      const areNew = await insertActive(
        transaction,
        people.map(({ active }) => active),
      )
      for (const [index, { row }] of people.entries()) row.active += Number(areNew[index])
      await addCounts(transaction, counted)
      return () => {
        for (const { accounts, period, start, roomid } of rows.values())
          for (const accid of accounts) keep(period, start, `${roomid} ${accid}`)
      }
    },
    /** Rooms of a finished period, highest first; none while it runs. */
    async top(uid: number, period: Period, at: number, by: RankedBy, limit: number): Promise<RoomStatTable[]> {
      const start = startOf(period, at)
      if (endOf(period, start) > clock.now()) return []
      return reads
        .selectFrom('roomStat')
        .selectAll()
        .where('uid', '=', uid)
        .where('period', '=', period)
        .where('start', '=', start)
        .orderBy(by, 'desc')
        .orderBy('roomid')
        .limit(limit)
        .execute()
    },
    /** Removes old counters, `limit` per statement. */
    async removeOld(limit: number): Promise<void> {
      const before = clock.now() - keptDays * day
      // By key, so that a statement stays small however many are old. People first: of a period whose counter is gone
      // nothing is left.
      const removals = [
        sql`delete from "roomActive" where ("roomid", "period", "start", "accid") in
          (select "roomid", "period", "start", "accid" from "roomActive" where "start" < ${before} limit ${limit})`,
        sql`delete from "roomStat" where ("roomid", "period", "start") in
          (select "roomid", "period", "start" from "roomStat" where "start" < ${before} limit ${limit})`,
      ]
      for (const removal of removals) while ((await removal.execute(db)).numAffectedRows === BigInt(limit));
    },
  }
}

/** Counters of rooms by hour and day (3-chatrooms Statistics record; behaviour.md#statistics). */
export type RoomStatistics = Awaited<ReturnType<typeof createRoomStatistics>>
