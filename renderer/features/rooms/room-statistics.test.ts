import { describe, expect, it } from 'vitest'
import { times } from '../../format/times.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { endedPeriods } from './room-periods.ts'
import { useRoomStatistics } from './room-statistics.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const at = Date.parse('2026-11-21T12:34:56.789Z')

describe('periods that are over', () => {
  it('are the 24 hours and 14 days before the one that goes on, without a gap, in the zone', () => {
    for (const name of ['UTC', 'Asia/Shanghai', 'Asia/Kolkata']) {
      const zone = times(name)
      const [hours, days] = [endedPeriods('hours', at, zone), endedPeriods('days', at, zone)]
      expect([hours.length, days.length]).toEqual([24, 14])
      expect(hours.every(({ start, end }) => end - start === hour && zone.clock(start).endsWith(':00:00'))).toBe(true)
      expect(days.every(({ start, end }) => end - start === day && zone.clock(start) === '00:00:00')).toBe(true)
      for (const list of [hours, days])
        for (const [index, { end }] of list.entries()) expect(list[index + 1]?.start ?? end).toBe(end)
      expect(hours.at(-1)!.end).toBeLessThanOrEqual(at)
      expect(hours.at(-1)!.end).toBeGreaterThan(at - hour)
    }
  })

  it('have 25 hours and 23 hours in days on which clocks change, and none is missing', () => {
    const zone = times('Europe/Berlin')
    const lengths = (now: string): number[] =>
      endedPeriods('days', Date.parse(now), zone).map(({ start, end }) => (end - start) / hour)
    expect(lengths('2026-10-27T12:00:00Z').filter((length) => length !== 24)).toEqual([25])
    expect(lengths('2026-03-31T12:00:00Z').filter((length) => length !== 24)).toEqual([23])
  })
})

interface Call {
  readonly profileId: string
  readonly call: {
    readonly timestamp?: number | undefined
    readonly period?: string | undefined
    readonly orderby?: string | undefined
    readonly topn?: number | undefined
  }
}
const row = (roomId: number, datetime: number, figures: readonly [number, number, number], period = 'HOUR') => ({
  roomId,
  activeNums: figures[0],
  enterNums: figures[1],
  msgs: figures[2],
  datetime: datetime / 1000,
  period,
})
const startOf = ({ timestamp = NaN }: Call['call']): number => Math.floor(timestamp / hour) * hour

describe('statistics of a room', () => {
  it('are asked for once of each period, the newest first, and are 0 where others were counted and this room was not', async () => {
    const on = roomStage(
      {
        'statistics.topn': ({ call }: Call) => ({
          data:
            startOf(call) % (2 * hour) === 0
              ? [row(9, startOf(call), [9, 1, 1]), row(7, startOf(call), [3, 2, 1])]
              : [],
        }),
      },
      at,
    )
    const statistics = useRoomStatistics()
    expect(statistics.series.map(({ state }) => state)).toEqual(Array.from({ length: 24 }, () => 'waiting'))
    await statistics.read()
    const asked = on.calls('statistics.topn') as Call[]
    expect(asked.map(({ call }) => call.timestamp)).toEqual(
      statistics.series.map(({ start, end }) => (start + end) / 2).toReversed(),
    )
    expect(new Set(asked.map(({ call: { topn, period, orderby } }) => `${topn} ${period} ${orderby}`))).toEqual(
      new Set(['500 hour active']),
    )
    expect(statistics.series.filter(({ counts }) => counts?.message === 1)).toHaveLength(12)
    expect(statistics.series.filter(({ counts }) => counts?.message === 0)).toHaveLength(12)
    await statistics.read()
    expect(on.calls('statistics.topn')).toHaveLength(24)
    // An hour later only the one that is over since is asked for.
    on.companion.clock = on.time.now = at + hour
    await statistics.read()
    expect(on.calls('statistics.topn')).toHaveLength(25)
  })

  it('are asked for again while a period is over for less than five minutes: what was said last is written a moment later', async () => {
    const now = Math.floor(at / hour) * hour + minute
    const on = roomStage({ 'statistics.topn': () => ({ data: [] }) }, now)
    const statistics = useRoomStatistics()
    await statistics.read()
    await statistics.read()
    expect((on.calls('statistics.topn') as Call[]).filter(({ call }) => call.timestamp! > now - hour)).toHaveLength(2)
    expect(on.calls('statistics.topn')).toHaveLength(25)
  })

  it('stop at the first refusal, keep what was told, and go on from there', async () => {
    let left = 5
    const on = roomStage(
      {
        'statistics.topn': ({ call }: Call) => {
          if (left-- <= 0) throw refusal(416)
          return { data: [row(7, startOf(call), [1, 1, 1])] }
        },
      },
      at,
    )
    const statistics = useRoomStatistics()
    await statistics.read()
    expect(statistics.failure).toMatchObject({ kind: 'code', code: 416 })
    expect(on.calls('statistics.topn')).toHaveLength(6)
    expect(statistics.series.map(({ state }) => state).slice(-6)).toEqual([
      'waiting',
      ...Array.from({ length: 5 }, () => 'counted'),
    ])
    left = 100
    await statistics.read()
    expect(statistics.failure).toBeNull()
    expect(on.calls('statistics.topn')).toHaveLength(25)
    expect(statistics.loading).toBe(false)
  })

  it('say when a room is not among the 500 that are listed, and rank by the figure then', async () => {
    const on = roomStage(
      {
        'statistics.topn': ({ call }: Call) => ({
          data: Array.from({ length: 500 }, (_, index) => row(index + 100, startOf(call), [1, index, 0])),
        }),
      },
      at,
    )
    const statistics = useRoomStatistics()
    statistics.figure = 'enter'
    await statistics.read()
    expect(statistics.series.every(({ state, counts }) => state === 'unranked' && counts === null)).toBe(true)
    expect((on.calls('statistics.topn') as Call[]).at(-1)!.call.orderby).toBe('enter')
    expect(statistics.ranking?.slice(0, 2).map(({ roomid }) => roomid)).toEqual([599, 598])
  })

  it('do not call it 0 when a hosted service, which may have another zone, tells nothing', async () => {
    const on = roomStage({ 'statistics.topn': () => ({ data: [] }) }, at)
    on.companion.choose('h')
    const statistics = useRoomStatistics()
    await statistics.read()
    expect(new Set(statistics.series.map(({ state }) => state))).toEqual(new Set(['none']))
  })

  it('rank the rooms of the chosen period, ties by number, and fall back to the newest', async () => {
    roomStage(
      {
        'statistics.topn': ({ call }: Call) => ({
          data: [row(9, startOf(call), [1, 5, 2]), row(8, startOf(call), [1, 2, 2]), row(7, startOf(call), [4, 1, 1])],
        }),
      },
      at,
    )
    const statistics = useRoomStatistics()
    expect(statistics.ranking).toBeNull()
    await statistics.read()
    const order = (): number[] => statistics.ranking!.map(({ roomid }) => roomid)
    expect(order()).toEqual([7, 8, 9])
    statistics.figure = 'message'
    expect(order()).toEqual([8, 9, 7])
    statistics.chosen = statistics.series[3]!.start
    expect(statistics.ranked.start).toBe(statistics.series[3]!.start)
    statistics.span = 'days'
    expect(statistics.ranked.end).toBeGreaterThan(at - day)
  })
})
