import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { Measure } from '../../../contract/rpc/index.ts'
import { shownName } from '../../../contract/web-link.ts'
import type { RpcClient } from '../../data/client.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useCompanion } from '../../data/companion.ts'
import { guardOf } from './room-measures.ts'
import { useRoom } from './room.ts'
import { comesOrGoes } from './room-log.ts'
import { useServices } from '../../data/services.ts'

/** Fixed members, others inside, fixed members online (3-chatrooms membersByPage). */
type PeopleKind = 'fixed' | 'temporary' | 'online'
/** Somebody in a list. */
export interface Someone {
  readonly accid: string
  readonly nick: string
  /** -1 limited, 0 ordinary, 1 creator, 2 admin, 3 temporary; null if unknown. */
  readonly type: number | null
  readonly online: boolean
  readonly robot: boolean
  /** When a fixed member became one or another person entered, in ms. */
  readonly since: number | null
  readonly muted: boolean
  /** In ms; 0 for not muted temporarily. */
  readonly mutedUntil: number
  readonly blacklisted: boolean
}
interface PeopleList {
  readonly people: readonly Someone[]
  readonly complete: boolean
}
type Blocker = 'self' | 'creator' | 'admin' | 'limited'

type Member = Awaited<ReturnType<RpcClient['operations']['chatrooms']['membersByPage']>>['desc']['data'][number]
const types: Readonly<Record<PeopleKind, number>> = { fixed: 0, temporary: 1, online: 2 }
/** People per page; people read again at most. */
const [pageSize, maxAgain] = [100, 500]
/** Minimum time between reads, in ms. */
const quietFor = 900
const crowdQuietFor = 5_000
/** 3-chatrooms queryMembers. */
const maxSearch = 200

const someoneOf = (member: Member, now: number): Someone => ({
  accid: member.accid,
  nick: shownName(member.nick, member.accid),
  type: member.type,
  online: member.onlineStat,
  robot: member.isRobot === true,
  since: member.enterTime ?? member.updateTime ?? null,
  muted: member.muted === true,
  mutedUntil: member.tempMuteTtl === undefined ? 0 : now + member.tempMuteTtl * 1000,
  blacklisted: member.blacklisted === true,
})
/** Times within a list are unique. */
const cursorOf = (list: PeopleList | undefined): number => list?.people.at(-1)?.since ?? 0

/** Accids in typed text. */
export const accidsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,，、]+/)
      .filter((one) => /^[a-z0-9_@.-]{1,32}$/.test(one)),
  ),
]

/** Null when allowed. Measures in force hinder making somebody an admin, nothing else. */
export function blockerOf(
  { kind, on }: { readonly kind: 'admin' | 'ordinary' | 'mute' | 'blacklist'; readonly on: boolean },
  who: Someone,
  room: { readonly acting: string; readonly creator: string; readonly now: number },
): Blocker | null {
  const guard = guardOf(who.accid, room.acting, room.creator, new Map(who.type === null ? [] : [[who.accid, who.type]]))
  if (kind !== 'admin') return guard
  if (guard === 'self' || guard === 'creator') return guard
  return on && (who.muted || who.blacklisted || who.mutedUntil > room.now) ? 'limited' : null
}

/** Lists of people of the shown room. */
export const useRoomPeople = defineStore('roomPeople', () => {
  const { rpc, now } = useServices()
  const companion = useCompanion()
  const room = useRoom()
  const lists = shallowReactive(new Map<PeopleKind, PeopleList>())
  const kind = ref<PeopleKind>('temporary')
  const found = shallowRef<{ readonly asked: readonly string[]; readonly people: readonly Someone[] } | null>(null)
  const loading = ref(false)
  const failure = shallowRef<Failure | null>(null)
  let followers = 0
  let due: { readonly at: number; readonly timer: ReturnType<typeof setTimeout> } | undefined

  const place = computed(() => (room.roomid === null ? null : { profileId: room.profileId, roomid: room.roomid }))
  const page = async (of: PeopleKind, endtime: number): Promise<Someone[]> => {
    const at = place.value!
    const { desc } = await rpc.operations.chatrooms.membersByPage({
      profileId: at.profileId,
      call: { roomid: at.roomid, type: types[of], endtime, limit: pageSize },
    })
    return desc.data.map((member) => someoneOf(member, now()))
  }
  const trying = async (work: (isLate: () => boolean) => Promise<void>): Promise<void> => {
    const at = place.value
    if (at === null) return
    loading.value = true
    try {
      await work(() => at !== place.value)
      if (at === place.value) failure.value = null
    } catch (error) {
      if (at === place.value) failure.value = failureOf(error)
    }
    if (at === place.value) loading.value = false
  }
  const nickOf = (accid: string): string =>
    [...lists.values()].flatMap(({ people }) => people).find((one) => one.accid === accid)?.nick ?? room.nickOf(accid)
  const plain = { type: null, online: false, robot: false, since: null }
  const restricted = computed<readonly Someone[] | null>(() => {
    if (room.force === null) return null
    const all = room.restricted.map(({ accid, muted, mutedUntil, blacklistedAt }) => ({
      ...plain,
      accid,
      nick: nickOf(accid),
      muted,
      mutedUntil,
      blacklisted: blacklistedAt !== null,
      since: blacklistedAt,
    }))
    return all.sort((a, b) => (a.accid < b.accid ? -1 : 1))
  })
  const refresh = (): Promise<void> =>
    trying(async (isLate) => {
      const of = kind.value
      const wanted = Math.min(maxAgain, Math.max(1, lists.get(of)?.people.length ?? 0))
      let list: PeopleList = { people: [], complete: false }
      do {
        const more = await page(of, cursorOf(list))
        list = { people: [...list.people, ...more], complete: more.length < pageSize }
      } while (!list.complete && list.people.length < wanted && !isLate())
      if (isLate()) return
      lists.set(of, list)
      await room.readForce()
    })
  const search = (text: string): Promise<void> =>
    trying(async (isLate) => {
      const at = place.value!
      const asked = accidsOf(text).slice(0, maxSearch)
      if (asked.length === 0) {
        found.value = null
        return
      }
      const { desc } = await rpc.operations.chatrooms.queryMembers({
        profileId: at.profileId,
        call: { roomid: at.roomid, accids: asked },
      })
      if (!isLate()) found.value = { asked, people: desc.data.map((member) => someoneOf(member, now())) }
    })
  const stop = (): void => {
    clearTimeout(due?.timer)
    due = undefined
  }
  const soon = (ms: number): void => {
    const at = now() + ms
    if (followers === 0 || (due !== undefined && due.at <= at)) return
    stop()
    const timer = setTimeout(() => {
      due = undefined
      if (followers > 0) inBackground(refresh())
    }, ms)
    due = { at, timer }
  }
  watch(
    place,
    () => {
      lists.clear()
      found.value = null
      failure.value = null
      loading.value = false
      if (followers > 0) inBackground(refresh())
    },
    { flush: 'sync' },
  )
  watch(kind, () => {
    if (followers > 0) inBackground(refresh())
  })
  // An outage of the service causes no notices.
  watch(
    () => companion.isLost,
    (isLost) => {
      if (!isLost && followers > 0) inBackground(refresh())
    },
  )
  watch(
    () => room.log.at(-1),
    (line) => {
      if (line?.notice) soon(comesOrGoes(line) ? crowdQuietFor : quietFor)
    },
  )

  return {
    lists,
    kind,
    /** By account; null while unknown, and for a hosted profile. */
    restricted,
    /** Null without a search. */
    found,
    loading,
    failure,
    refresh,
    search,
    more: (): Promise<void> =>
      trying(async (isLate) => {
        const of = kind.value
        const before = lists.get(of)
        if (!before || before.complete) return
        const more = await page(of, cursorOf(before))
        if (!isLate()) lists.set(of, { people: [...before.people, ...more], complete: more.length < pageSize })
      }),
    /** The person with the measures in force at present; lists have older ones. */
    current: (who: Someone): Someone => {
      if (room.force === null) return who
      const force = room.force.get(who.accid)
      return {
        ...who,
        muted: force?.muted === true,
        mutedUntil: force?.mutedUntil ?? 0,
        blacklisted: (force?.blacklistedAt ?? null) !== null,
      }
    },
    /** Refreshes until the returned function is called. */
    follow: (): (() => void) => {
      if (++followers === 1) inBackground(refresh())
      return () => {
        if (--followers > 0) return
        stop()
      }
    },
    act: async (measure: Measure, why: string): Promise<boolean> => {
      const done = await room.act(measure, why)
      await refresh()
      if (found.value) await search(found.value.asked.join(' '))
      return done
    },
    blocker: (what: Parameters<typeof blockerOf>[0], who: Someone): Blocker | null =>
      blockerOf(what, who, { acting: room.panel?.accid ?? room.creator, creator: room.creator, now: companion.clock }),
  }
})
