import { defineStore } from 'pinia'
import { computed, ref, shallowReactive } from 'vue'
import type { RpcClient } from '../../data/client.ts'
import { useRequest } from '../../data/request.ts'
import { useCompanion } from '../../data/companion.ts'
import { endedPeriods, type Period, type PeriodSpan } from './room-periods.ts'
import { useRoom } from './room.ts'
import { useServices } from '../../data/services.ts'

/** Figures of a room. */
export type Figure = 'active' | 'enter' | 'message'
type Counts = Readonly<Record<Figure, number>>
interface PeriodCounts extends Period {
  /** `unranked`: not among the 500 listed rooms; `none`: not answered by a hosted service. */
  readonly state: 'waiting' | 'counted' | 'unranked' | 'none'
  readonly counts: Counts | null
}
interface RankedRoom extends Counts {
  readonly roomid: number
}

type Rows = Awaited<ReturnType<RpcClient['operations']['statistics']['topn']>>['data']
interface Told {
  readonly rooms: readonly RankedRoom[]
  /** Start by the service, in ms; null without rooms. */
  readonly start: number | null
  /** Figures are final. */
  readonly settled: boolean
}

/** 3-chatrooms topn. */
const most = 500
const maxKept = 240
/** Age of a period whose figures are final, in ms. */
const settledAfter = 300_000

const roomsOf = (rows: Rows): RankedRoom[] =>
  rows.map(({ roomId, activeNums, enterNums, msgs }) => ({
    roomid: roomId,
    active: activeNums,
    enter: enterNums,
    message: msgs,
  }))

/** Statistics of the shown room and ranking of rooms, of past periods. */
export const useRoomStatistics = defineStore('roomStatistics', () => {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const room = useRoom()
  const span = ref<PeriodSpan>('hours')
  const figure = ref<Figure>('active')
  /** In ms; null for the newest. */
  const chosen = ref<number | null>(null)
  const told = shallowReactive(new Map<string, Told>())
  const { failure, busy: loading, run } = useRequest<void>({ keepsFailure: true })

  // Hours begin on whole minutes in every zone.
  const minute = computed(() => Math.floor(companion.clock / 60_000) * 60_000)
  const periods = computed(() => endedPeriods(span.value, minute.value, companion.zone))
  const keyOf = (by: Figure, { start }: Period): string => `${room.profileId} ${span.value} ${by} ${start}`
  const series = computed<readonly PeriodCounts[]>(() =>
    periods.value.map((period) => {
      const answer = told.get(keyOf('active', period))
      if (!answer) return { ...period, state: 'waiting', counts: null }
      const own = answer.rooms.find(({ roomid }) => roomid === room.roomid)
      const at = { start: answer.start ?? period.start, end: period.end }
      if (own) return { ...at, state: 'counted', counts: own }
      if (answer.rooms.length >= most) return { ...at, state: 'unranked', counts: null }
      // In the zone of a hosted service, the period may not have ended.
      if (answer.start === null && !companion.extended) return { ...at, state: 'none', counts: null }
      return { ...at, state: 'counted', counts: { active: 0, enter: 0, message: 0 } }
    }),
  )
  const ranked = computed(() => periods.value.find(({ start }) => start === chosen.value) ?? periods.value.at(-1)!)
  const ranking = computed<readonly RankedRoom[] | null>(() => {
    const all = told.get(keyOf('active', ranked.value))
    const rooms =
      all !== undefined && all.rooms.length < most ? all.rooms : told.get(keyOf(figure.value, ranked.value))?.rooms
    return rooms?.toSorted((a, b) => b[figure.value] - a[figure.value] || a.roomid - b.roomid) ?? null
  })

  const ask = async (by: Figure, period: Period): Promise<void> => {
    const key = keyOf(by, period)
    if (told.get(key)?.settled) return
    const settled = now() - period.end >= settledAfter
    const timestamp = period.start + Math.floor((period.end - period.start) / 2)
    const call = { topn: most, timestamp, period: span.value === 'hours' ? 'hour' : 'day', orderby: by }
    const { data } = await rpc.operations.statistics.topn({ profileId: room.profileId, call })
    told.delete(key)
    told.set(key, { rooms: roomsOf(data), start: data[0] ? data[0].datetime * 1000 : null, settled })
    for (const oldest of told.keys()) {
      if (told.size <= maxKept) break
      told.delete(oldest)
    }
  }

  return {
    span,
    figure,
    chosen,
    series,
    ranked,
    /** Descending; null if unknown. */
    ranking,
    loading,
    failure,
    /** Requests unknown periods one by one, newest first, until one fails. */
    read: (): Promise<void> =>
      run(async (isLate) => {
        for (const period of periods.value.toReversed()) {
          if (isLate()) return
          await ask('active', period)
        }
        const all = told.get(keyOf('active', ranked.value))
        if (!isLate() && all !== undefined && all.rooms.length >= most) await ask(figure.value, ranked.value)
      }),
  }
})
