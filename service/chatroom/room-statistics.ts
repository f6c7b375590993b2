import { sql, type Kysely } from 'kysely'
import type { RoomStatTable, Tables } from '../storage/schema.ts'
import type { Period, RoomPeriods } from './room-periods.ts'

const day = 86_400_000
/** Days that counters are kept (behaviour.md#statistics). */
const keptDays = 60
const periods: readonly Period[] = ['HOUR', 'DAY']

/** Something that counts: somebody entered a room, or a line was shown there. */
export interface StatEvent {
  readonly uid: number
  readonly roomid: number
  readonly accid: string
  readonly at: number
  readonly what: 'enters' | 'msgs'
}
/** By what rooms are ranked. */
export type RankedBy = 'active' | 'enters' | 'msgs'

/** Counters of rooms by hour and day (3-chatrooms Statistics record; behaviour.md#statistics). */
export interface RoomStatistics {
  /** Counts statEvents in the caller's transaction; call what it returns once that is stored. */
  count(transaction: Kysely<Tables>, statEvents: readonly StatEvent[]): Promise<() => void>
  /** The rooms of a period that is over, the most first; none while it goes on. */
  top(uid: number, period: Period, at: number, by: RankedBy, most: number): Promise<RoomStatTable[]>
  /** Removes counters that are too old, so many in one statement. */
  removeOld(most: number): Promise<void>
}

/** Loads who was active in the hour and the day that go on, and counts from there. `reads` is where long reads go. */
export async function createRoomStatistics(
  db: Kysely<Tables>,
  { startOf, endOf }: RoomPeriods,
  clock: () => number,
  reads = db,
): Promise<RoomStatistics> {
  // Who is known in the periods that go on; of those that are over nobody is asked for again.
  const beginning = (period: Period, start: number) => ({
    start,
    end: endOf(period, start),
    accounts: new Set<string>(),
  })
  const known = { HOUR: beginning('HOUR', startOf('HOUR', clock())), DAY: beginning('DAY', startOf('DAY', clock())) }
  /** The period that goes on is known: a calendar is asked for others only. */
  const startAt = (period: Period, at: number): number =>
    at >= known[period].start && at < known[period].end ? known[period].start : startOf(period, at)
  // Compiled once: everybody who enters is counted by them.
  const adding = db
    .insertInto('roomStat')
    .values({ roomid: 0, uid: 0, period: 'HOUR', start: 0, active: 0, enters: 0, msgs: 0 })
    .onConflict((conflict) =>
      conflict.columns(['roomid', 'period', 'start']).doUpdateSet((table) => ({
        active: table('roomStat.active', '+', 0),
        enters: table('roomStat.enters', '+', 0),
        msgs: table('roomStat.msgs', '+', 0),
      })),
    )
    .compile()
  const appearing = db
    .insertInto('roomActive')
    .values({ roomid: 0, period: 'HOUR', start: 0, accid: '' })
    .onConflict((conflict) => conflict.doNothing())
    .compile()
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
    async count(transaction, statEvents) {
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
      for (const { accounts, ...row } of rows.values()) {
        const { roomid, period, start } = row
        for (const accid of accounts) {
          const { numAffectedRows } = await transaction.executeQuery({
            ...appearing,
            parameters: [roomid, period, start, accid],
          })
          row.active += Number(numAffectedRows)
        }
        const { uid, active, enters, msgs } = row
        await transaction.executeQuery({
          ...adding,
          parameters: [roomid, uid, period, start, active, enters, msgs, active, enters, msgs],
        })
      }
      return () => {
        for (const { accounts, period, start, roomid } of rows.values())
          for (const accid of accounts) keep(period, start, `${roomid} ${accid}`)
      }
    },
    async top(uid, period, at, by, most) {
      const start = startOf(period, at)
      if (endOf(period, start) > clock()) return []
      return reads
        .selectFrom('roomStat')
        .selectAll()
        .where('uid', '=', uid)
        .where('period', '=', period)
        .where('start', '=', start)
        .orderBy(by, 'desc')
        .orderBy('roomid')
        .limit(most)
        .execute()
    },
    async removeOld(most) {
      const before = clock() - keptDays * day
      // By their keys: a statement takes no more of them, however many are too old at once.
      const removals = [
        sql`delete from "roomStat" where ("roomid", "period", "start") in (select "roomid", "period", "start" from "roomStat" where "start" < ${before} limit ${most})`,
        sql`delete from "roomActive" where ("roomid", "period", "start", "accid") in
          (select "roomid", "period", "start", "accid" from "roomActive" where "start" < ${before} limit ${most})`,
      ]
      for (const removal of removals) while ((await removal.execute(db)).numAffectedRows === BigInt(most));
    },
  }
}
