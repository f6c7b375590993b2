import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import { shownName } from '../../contract/web-link.ts'
import { failureOf, type Failure } from '../rpc/failure.ts'
import { useCompanion } from './companion.ts'
import { useRoom } from './room.ts'
import { useServices } from './services.ts'

/** A line that the word list holds back until somebody decides. */
export interface HeldLine {
  readonly msgid: string
  readonly at: number
  readonly from: string
  readonly nick: string
  readonly text: string
}

/** Lines that are listed at once, the newest. */
const most = 200
/** Held lines are told by no push: they are looked for so often while somebody looks, in ms; less often after a failure. */
const [every, afterFailure] = [3_000, 10_000]
/** The code of a line that is held no more. */
const gone = 618

/** Held lines of the room that is shown. */
export const useRoomHeld = defineStore('roomHeld', () => {
  const { rpc } = useServices()
  const companion = useCompanion()
  const room = useRoom()
  const lines = shallowRef<readonly HeldLine[]>([])
  const read = ref(false)
  const failure = shallowRef<Failure | null>(null)
  const busy = shallowReactive(new Set<string>())
  const failures = shallowReactive(new Map<string, Failure>())
  /** Somebody else decided first. */
  const late = ref(false)
  const isFull = ref(false)
  /** An answer that was on its way while a line was decided still has it. */
  const decided = new Set<string>()
  let watchers = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const place = computed(() =>
    companion.local && room.roomid !== null && companion.fault === null ? { profileId: room.profileId, roomid: room.roomid } : null,
  )
  const look = async (): Promise<void> => {
    const at = place.value
    if (at === null) return
    try {
      const { ret } = await rpc.rooms.held({ profileId: at.profileId, call: { roomid: at.roomid, limit: most } })
      if (at !== place.value) return
      lines.value = ret.list.flatMap(({ msgid, at: time, from, nick, attach }) =>
        decided.has(msgid) ? [] : [{ msgid, at: time, from, nick: shownName(nick, from), text: attach }],
      )
      isFull.value = ret.list.length >= most
      read.value = true
      failure.value = null
    } catch (error) {
      if (at === place.value) failure.value = failureOf(error)
    }
  }
  const again = (): void => {
    clearTimeout(timer)
    if (watchers > 0) timer = setTimeout(() => void look().then(again), failure.value === null ? every : afterFailure)
  }
  watch(
    place,
    () => {
      lines.value = []
      read.value = false
      failure.value = null
      late.value = false
      isFull.value = false
      decided.clear()
      busy.clear()
      failures.clear()
      if (watchers > 0) void look()
    },
    { flush: 'sync' },
  )

  return {
    lines,
    /** They were read at least once. */
    read,
    failure,
    busy,
    /** Why a decision failed, by msgid. */
    failures,
    late,
    /** Held lines, "200+" beyond what is listed. */
    count: computed(() => `${lines.value.length}${isFull.value ? '+' : ''}`),
    look,
    /** Looks for held lines from now on; call what it returns when nobody looks any more. */
    follow: (): (() => void) => {
      if (++watchers === 1) void look().then(again)
      return () => {
        if (--watchers === 0) clearTimeout(timer)
      }
    },
    /** Lets a line through or drops it; resolves with whether it is decided now. */
    decide: async ({ msgid, from }: HeldLine, allow: boolean): Promise<boolean> => {
      const at = place.value
      if (at === null || busy.has(msgid)) return false
      busy.add(msgid)
      failures.delete(msgid)
      let done = true
      late.value = false
      try {
        await rpc.rooms.act({ ...at, measure: { kind: 'decideHeld', target: from, msgid, allow }, why: '' })
      } catch (error) {
        const reason = failureOf(error)
        if (reason.code === gone) late.value = true
        else {
          failures.set(msgid, reason)
          done = false
        }
      }
      if (done && at === place.value) {
        decided.add(msgid)
        lines.value = lines.value.filter((line) => line.msgid !== msgid)
      }
      busy.delete(msgid)
      return done
    },
  }
})
