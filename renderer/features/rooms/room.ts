import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { Measure, RoomPanel } from '../../../contract/rpc/index.ts'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { roomNotices } from '../../../contract/catalogue/notices.ts'
import { failureOf, type Failure } from '../../data/failure.ts'
import { useCompanion } from '../../data/companion.ts'
import { createRoomActs, type Taking } from './room-acts.ts'
import { createRoomArrivals } from './room-arrivals.ts'
import { createRoomForce } from './room-force.ts'
import { createRoomRefusals } from './room-refusals.ts'
import { lineOf, lineOfHistory, maxLines, nickIn, oldestKept, withHeld, withLines, withRemoved } from './room-log.ts'
import type { RoomLine } from './room-log.ts'
import { isAboutPeople, guardOf } from './room-measures.ts'
import { createRoomList } from './room-list.ts'
import { createRoomMembers } from './room-members.ts'
import { createRoomRoles } from './room-roles.ts'
import { createRoomTries } from './room-tries.ts'
import { useServices } from '../../data/services.ts'
import { later } from '../../data/timer.ts'

/** Room ids are unique within a service only. */
const keyOf = (profileId: string, roomid: number): string => `${profileId} ${roomid}`
const historyPage = 500
const none: readonly RoomLine[] = []

/** The shown room: lines, people and measures. */
export const useRoom = defineStore('room', () => {
  const { rpc, now, memory } = useServices()
  const companion = useCompanion()
  const panels = shallowReactive(new Map<string, RoomPanel>())
  const lines = shallowReactive(new Map<string, readonly RoomLine[]>())
  /** Whether the lines begin with the first one of the history. */
  const reachesBack = shallowReactive(new Map<string, boolean>())
  const readingOlder = ref(false)
  const force = createRoomForce(now)
  const roomid = ref<number | null>(null)
  /** The channel whose chat was switched last, in any window. */
  const switched = shallowRef<Extract<AppEvent, { type: 'chat' }> | null>(null)
  const { failure, trying } = createRoomTries()
  /** Why the app is outside the room; lines of viewers do not come then. */
  const outside = shallowRef<Failure | null>(null)
  const refusals = createRoomRefusals()
  const acts = createRoomActs(now)

  const profileId = computed(() => companion.profile?.id ?? '')
  const list = createRoomList({ rpc, memory, profileId, trying })
  const { rooms } = list
  const members = createRoomMembers({
    rpc,
    companion,
    profileId,
    roomid,
    force,
    trying,
    wasRead: () => wonder(log.value),
  })
  const { people, morePeople, readPeople, readForce, queue } = members
  const key = computed(() => (roomid.value === null ? '' : keyOf(profileId.value, roomid.value)))
  const panel = computed(() => panels.get(key.value) ?? null)
  const log = computed(() => lines.get(key.value) ?? none)
  const older = computed(() => {
    if (log.value.length === 0) return null
    return log.value.length >= maxLines ? 'full' : reachesBack.get(key.value) === true ? 'first' : 'more'
  })
  const beyond = createRoomRoles({ later, ask: members.ask })
  const roles = computed(
    () => new Map([...beyond.known.value, ...people.value.map(({ accid, type }) => [accid, type] as const)]),
  )
  const creator = computed(
    () => rooms.value?.find((room) => room.roomid === roomid.value)?.creator ?? panel.value?.accid ?? '',
  )
  watch(
    profileId,
    () => {
      roomid.value = null
      list.clear()
      failure.value = null
      outside.value = null
      acts.forget()
    },
    { flush: 'sync' },
  )
  watch(
    key,
    () => {
      beyond.clear()
      force.clear()
    },
    { flush: 'sync' },
  )
  const wonder = (said: readonly RoomLine[]): void => {
    if (!morePeople.value) return
    const known = new Set(people.value.map(({ accid }) => accid))
    beyond.wonder(said.flatMap(({ from, notice }) => (notice !== null || known.has(from) ? [] : [from])))
  }
  const put = (at: string, more: readonly RoomLine[]): void => {
    lines.set(at, withLines(lines.get(at) ?? none, more))
    if (at === key.value) wonder(more)
  }
  const arrivals = createRoomArrivals({ put, now, later })

  const readHistory = async (id: number, before?: string): Promise<void> => {
    const profile = profileId.value
    await trying('history', async () => {
      const part = before === undefined ? {} : { before }
      const { ret } = await rpc.rooms.history({
        profileId: profile,
        call: { roomid: id, limit: historyPage, notices: true, ...part },
      })
      if (before !== undefined || !ret.more) reachesBack.set(keyOf(profile, id), !ret.more)
      put(keyOf(profile, id), ret.list.map(lineOfHistory))
    })
  }

  const enter = async (id: number, renew: boolean): Promise<boolean> => {
    const profile = profileId.value
    try {
      const entered = await rpc.rooms.enter({ profileId: profile, roomid: id, renew })
      const at = keyOf(entered.profileId, id)
      // An event that came meanwhile is newer.
      if (!panels.has(at) || renew) panels.set(at, entered)
      if (at === key.value) outside.value = null
      return true
    } catch (error) {
      if (keyOf(profile, id) === key.value) outside.value = failureOf(error)
      return false
    }
  }
  const act = async (measure: Measure, why = '', way: Taking = {}): Promise<boolean> => {
    const id = roomid.value
    if (id === null) return false
    const [profile, at] = [profileId.value, key.value]
    try {
      const done = await acts.take(measure, way, () =>
        rpc.rooms.act({ profileId: profile, roomid: id, measure, why, ...way }),
      )
      if (done) refusals.done(at, measure)
      return done
    } catch (error) {
      refusals.refused({ at, measure, failure: failureOf(error) })
      return false
    } finally {
      inBackground(readPeople())
    }
  }

  return {
    profileId,
    rooms,
    roomid,
    panel,
    /** Count of the service; null if unknown. */
    online: computed(() => (companion.isLost ? null : (panel.value?.online ?? null))),
    log,
    people,
    /** The room has more people than `people`. */
    morePeople,
    roles,
    reads: members.reads,
    /** By account; null if unknown, and for a hosted profile. */
    force: force.all,
    restricted: computed(() =>
      [...(force.all.value?.values() ?? [])].filter(
        (each) => each.muted || each.blacklistedAt !== null || each.mutedUntil > companion.clock,
      ),
    ),
    readForce,
    queue,
    creator,
    failure,
    refusals: computed(() => refusals.all.value.filter(({ at }) => at === key.value)),
    closeRefusals: (): void => refusals.close(key.value),
    /** Drops a refusal that is shown elsewhere. */
    settle: (measure: Measure): void => refusals.done(key.value, measure),
    outside,
    switched,
    undoable: acts.undoable,
    outlasted: acts.outlasted,
    taken: acts.taken,
    begun: acts.begun,
    carried: acts.carried,
    readRooms: list.read,
    hasMoreRooms: list.hasMore,
    moreRooms: list.more,
    readPeople,
    /** Before the first line: more, nothing, or more than the page keeps. */
    older,
    readingOlder,
    readOlder: async (): Promise<void> => {
      const id = roomid.value
      if (id === null || older.value !== 'more' || readingOlder.value) return
      readingOlder.value = true
      await readHistory(id, oldestKept(log.value)?.msgid)
      readingOlder.value = false
    },
    act,
    /** Enters the room if the app is outside; false where it cannot. */
    comeIn: async (): Promise<boolean> => {
      const id = roomid.value
      if (id === null) return false
      // The API speaks in hosted rooms, the streamer's app in that of a seat.
      if (!companion.extended || companion.seat !== null || (panel.value !== null && panel.value.phase !== 'refused'))
        return true
      return enter(id, false)
    },
    renew: (id: number): Promise<boolean> => {
      failure.value = null
      return enter(id, true)
    },
    nickOf: (accid: string): string => nickIn(log.value, people.value, accid),
    guard: (accid: string) => guardOf(accid, panel.value?.accid ?? '', creator.value, roles.value),
    open: async (id: number): Promise<void> => {
      list.remember(id)
      failure.value = null
      // The same room keeps its content until the answers arrive.
      if (roomid.value !== id) {
        roomid.value = id
        outside.value = null
        members.clear()
        acts.forget()
      }
      await Promise.all([readPeople(), readHistory(id), enter(id, false)])
    },
    remembered: list.remembered,
    undo: async (): Promise<void> => {
      const last = acts.undoable.value
      if (last && last.until > now()) await act(last.inverse(), '', { undoes: last.action.id })
      acts.undoable.value = null
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'room') {
        const at = keyOf(event.panel.profileId, event.panel.roomid)
        const before = panels.get(at)
        if (event.panel.phase === 'off') panels.delete(at)
        else panels.set(at, event.panel)
        // Lines said during an outage are in the history.
        if (before && before.phase !== 'inside' && event.panel.phase === 'inside' && at === key.value) {
          failure.value = outside.value = null
          inBackground(readHistory(event.panel.roomid))
        }
      } else if (event.type === 'roomPush') {
        const { push } = event
        const at = keyOf(event.profileId, event.roomid)
        if (push.t === 'roomMessage') {
          const line = lineOf(push as typeof push & { t: 'roomMessage' })
          if (line.notice === null) return arrivals.add(at, line)
          // Other code watches the newest notice, so each is added alone.
          arrivals.settle()
          put(at, [line])
          if (at !== key.value) return
          force.noticed(line.notice)
          acts.noticed(line.notice)
          refusals.noticed(at, line.notice)
          const { id, target } = line.notice
          if (id === roomNotices.entered || id === roomNotices.left) members.moved(line.notice, line.at)
          if (id === roomNotices.appearanceChanged) members.renamed(line.notice)
          if (id === roomNotices.queueChanged || id === roomNotices.queueEmptied) members.readQueueSoon()
          if (!isAboutPeople(id)) return
          beyond.changed(target)
          members.readPeopleSoon()
        } else if (push.t === 'roomDecided' && push.heldAt !== undefined) {
          // The line itself may be waiting.
          arrivals.settle()
          lines.set(at, withHeld(lines.get(at) ?? none, push.msgid, push.heldAt))
        } else if (push.t === 'roomRecall') {
          arrivals.settle()
          refusals.removed(at, push.msgid)
          lines.set(
            at,
            withRemoved(lines.get(at) ?? none, push.msgid, { by: push.operator, why: push.ext ?? '', at: push.at }),
          )
        }
      } else if (event.type === 'chat') switched.value = event
      else if (event.type === 'channels' && companion.seat !== null && event.profileId === companion.seat.profileId) {
        // A moderator's room was linked to another channel.
        inBackground(list.read(companion.seat.roomid))
      }
    },
  }
})
