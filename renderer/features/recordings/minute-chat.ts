import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { inBackground } from '../../background.ts'
import { shownName } from '../../../contract/web-link.ts'
import { noticeType } from '../../../contract/catalogue/notices.ts'
import { useRequest } from '../../data/request.ts'
import { textOf } from '../../format/line-text.ts'
import { useServices } from '../../data/services.ts'
import type { Range } from './time-line.ts'

const minute = 60_000
/** 5,000 lines per minute, while a fast room has 3,000. */
const pageSize = 1000
const maxPages = 5
const maxKept = 8

/** A line of the current minute. */
export interface MinuteLine {
  readonly msgid: string
  readonly at: number
  readonly nick: string
  readonly text: string
  readonly removed: boolean
}

/** Independent of the zone, as zones differ by whole minutes. */
export function minuteOf(at: number): Range {
  const begin = Math.floor(at / minute) * minute
  return { begin, end: begin + minute - 1 }
}

/** Count of lines up to a time; lines are sorted by time. */
export function saidBy(lines: readonly { readonly at: number }[], at: number): number {
  let [low, high] = [0, lines.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (lines[middle]!.at <= at) low = middle + 1
    else high = middle
  }
  return low
}

/** In s, limited to the file. */
export const secondsOf = (
  at: number,
  { begin, end }: { readonly begin: number; readonly end: number | null },
): number => Math.max(0, Math.min(at, end ?? at) - begin) / 1000

/** The chat of a minute. `roomid`: null if no room is linked, undefined until known. */
export function useMinuteChat(
  wanted: Readonly<Ref<{ readonly profileId: string; readonly cid: string; readonly at: number } | null>>,
) {
  const { rpc } = useServices()
  const roomid = ref<number | null | undefined>(undefined)
  const kept = shallowRef<ReadonlyMap<number, readonly MinuteLine[]>>(new Map())
  const { failure, run } = useRequest<void>()

  const channel = computed(() => (wanted.value ? `${wanted.value.profileId} ${wanted.value.cid}` : null))
  const begin = computed(() => (wanted.value ? minuteOf(wanted.value.at).begin : null))
  const lines = computed(() => (begin.value === null ? undefined : kept.value.get(begin.value)))

  const read = async (profileId: string, room: number, { begin: beginTime, end }: Range): Promise<MinuteLine[]> => {
    const found = new Map<string, MinuteLine>()
    let before: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const call = { roomid: room, beginTime, endTime: end, limit: pageSize, ...(before !== undefined && { before }) }
      const { list, more } = (await rpc.rooms.history({ profileId, call })).ret
      for (const { msgid, at, from, type, attach, removed, nick } of list)
        if (type !== noticeType)
          found.set(msgid, { msgid, at, nick: shownName(nick, from), text: textOf(type, attach), removed })
      before = list.at(-1)?.msgid
      if (!more || before === undefined) break
    }
    return [...found.values()].sort((one, other) => one.at - other.at)
  }
  const load = async (): Promise<void> => {
    const [at, from] = [wanted.value, begin.value]
    await run(async (isLate) => {
      if (!at || from === null) return
      roomid.value ??= (await rpc.rooms.linked({ profileId: at.profileId, cid: at.cid })).roomid
      if (isLate() || roomid.value === null || kept.value.has(from)) return
      const found = await read(at.profileId, roomid.value, minuteOf(from))
      if (!isLate()) kept.value = new Map([...[...kept.value].slice(-maxKept + 1), [from, found]])
    })
  }
  watch(
    [channel, begin],
    ([now], [before]) => {
      if (now !== before) {
        roomid.value = undefined
        kept.value = new Map()
      }
      inBackground(load())
    },
    { immediate: true },
  )
  return { roomid, lines, failure, load }
}
