import { sql } from 'kysely'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { createRoomPeriods } from './room-periods.ts'
import { createRoomStatistics, type RankedBy, type RoomStatistics, type StatEvent } from './room-statistics.ts'
import { startStoredRoom, type StoredRoom } from './testing/stored-room.ts'

const hour = 3_600_000
const day = 24 * hour
const begin = Date.UTC(2027, 0, 15, 10)
let rig: StoredRoom
let clock: ManualClock
let statistics: RoomStatistics
beforeEach(async () => {
  rig = await startStoredRoom()
  onTestFinished(() => rig.close())
  clock = manualClock(begin)
  statistics = await createRoomStatistics(rig.store.db, createRoomPeriods('UTC'), clock)
})
const count = async (
  ...events: readonly (readonly [roomid: number, accid: string, what: StatEvent['what'], more?: Partial<StatEvent>])[]
) => {
  const counted = await rig.store.db.transaction().execute((transaction) =>
    statistics.count(
      transaction,
      events.map(([roomid, accid, what, more]) => ({ uid: 1, roomid, accid, at: clock.now(), what, ...more })),
    ),
  )
  counted()
}
const top = async (by: RankedBy, limit = 10, period: 'HOUR' | 'DAY' = 'HOUR', uid = 1) =>
  (await statistics.top(uid, period, begin, by, limit)).map(({ roomid, active, enters, msgs }) => [
    roomid,
    active,
    enters,
    msgs,
  ])

it('rooms are ranked by who was active, entries or lines, highest first, ties by number, up to a limit', async () => {
  await count(
    [3, 'a', 'msgs'],
    [3, 'a', 'msgs'],
    [3, 'a', 'msgs'],
    [1, 'a', 'enters'],
    [1, 'b', 'enters'],
    [2, 'a', 'msgs'],
    [2, 'a', 'enters'],
  )
  clock.advance(hour)
  const [one, two, three] = [
    [1, 2, 2, 0],
    [2, 1, 1, 1],
    [3, 1, 0, 3],
  ]
  expect(await top('active')).toEqual([one, two, three])
  expect(await top('enters')).toEqual([one, two, three])
  expect(await top('msgs')).toEqual([three, two, one])
  expect(await top('msgs', 2)).toEqual([three, two])
  expect(await top('msgs', 10, 'HOUR', 2)).toEqual([])
})

it('a period is given from the ms in which it is over', async () => {
  await count([1, 'a', 'msgs'])
  clock.advance(hour - 1)
  expect(await top('msgs')).toEqual([])
  clock.advance(1)
  expect([await top('msgs'), await top('msgs', 10, 'DAY')]).toEqual([[[1, 1, 0, 1]], []])
  clock.advance(13 * hour)
  expect(await top('msgs', 10, 'DAY')).toEqual([[1, 1, 0, 1]])
})

it('somebody counts once in an hour and once in a day, however often and in whichever room apart', async () => {
  await count([1, 'a', 'msgs'], [2, 'a', 'msgs'])
  await count([1, 'a', 'enters'], [1, 'b', 'msgs'])
  clock.advance(hour)
  await count([1, 'a', 'msgs'], [1, 'c', 'msgs'])
  clock.advance(14 * hour)
  expect(await top('active')).toEqual([
    [1, 2, 1, 2],
    [2, 1, 0, 1],
  ])
  expect(await top('active', 10, 'DAY')).toEqual([
    [1, 3, 1, 4],
    [2, 1, 0, 1],
  ])
})

it('an event of an hour before is counted there, also where the next one has begun', async () => {
  clock.advance(hour)
  await count([1, 'a', 'msgs'])
  await count([1, 'a', 'msgs', { at: begin + hour - 1 }])
  await count([1, 'a', 'msgs', { at: begin + hour - 1 }])
  clock.advance(hour)
  expect(await top('msgs')).toEqual([[1, 1, 0, 2]])
})

it('what is not stored in the end does not count as known', async () => {
  await rig.store.db
    .transaction()
    .execute(async (transaction) => {
      await statistics.count(transaction, [{ uid: 1, roomid: 1, accid: 'a', at: clock.now(), what: 'msgs' }])
      throw new Error('no')
    })
    .catch(() => undefined)
  await count([1, 'a', 'msgs'])
  clock.advance(hour)
  expect(await top('msgs')).toEqual([[1, 1, 0, 1]])
})

it('counters are removed when their period began more than 60 days ago, however many there are', async () => {
  await count(...Array.from({ length: 7 }, (_, index) => [index + 1, 'a', 'msgs'] as const))
  clock.advance(hour)
  const kept = async () =>
    (await rig.store.db.selectFrom('roomStat').selectAll().where('period', '=', 'HOUR').execute()).length
  clock.advance(60 * day - hour)
  await statistics.removeOld(3)
  expect(await kept()).toBe(7)
  clock.advance(1)
  await statistics.removeOld(3)
  expect(await kept()).toBe(0)
  expect(await rig.store.db.selectFrom('roomActive').selectAll().execute()).toEqual([])
})

it('of a period whose counter is gone nobody is left, whatever ends the removal', async () => {
  await count([1, 'a', 'msgs'])
  clock.advance(62 * day)
  await sql`alter table "roomStat" rename to "roomStatAway"`.execute(rig.store.db)
  await expect(statistics.removeOld(3)).rejects.toThrow('roomStat')
  expect(await rig.store.db.selectFrom('roomActive').selectAll().execute()).toEqual([])
})
