import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import { inBackground } from '../../background.ts'
import type { Measure, RoomDesk } from '../../../contract/rpc/index.ts'
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
/** Lines of a page of the history. */
const historyPage = 500
const none: readonly RoomLine[] = []

/** The shown room: its lines, its people, and the moderator's measures. */
export const useRoom = defineStore('room', () => {
  const { rpc, now, memory } = useServices()
  const companion = useCompanion()
  const desks = shallowReactive(new Map<string, RoomDesk>())
  const lines = shallowReactive(new Map<string, readonly RoomLine[]>())
  /** Whether the lines begin with the first one of the history, where known. */
  const reachesBack = shallowReactive(new Map<string, boolean>())
  const readingOlder = ref(false)
  const force = createRoomForce(now)
  const roomid = ref<number | null>(null)
  const { failure, trying } = createRoomTries()
  /** Why the app could not enter the shown room: without it, lines of viewers do not come and nothing is sent. */
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
  const desk = computed(() => desks.get(key.value) ?? null)
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
    () => rooms.value?.find((room) => room.roomid === roomid.value)?.creator ?? desk.value?.accid ?? '',
  )
  // Rooms, people and undo belong to a profile.
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
  /** Requests the roles of authors beyond the pages of people that were read. */
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

  /** Reads the newest lines, or those before one. */
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
      // An event that came meanwhile is newer than the answer.
      if (!desks.has(at) || renew) desks.set(at, entered)
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
    desk,
    /** People inside by the service's count; null while unknown. */
    online: computed(() => (companion.isLost ? null : (desk.value?.online ?? null))),
    log,
    people,
    /** Whether the room has more fixed or other people than `people`. */
    morePeople,
    roles,
    reads: members.reads,
    /** Measures in force by account; null while unknown, and for a hosted profile. */
    force: force.all,
    /** People restricted at present. */
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
    /** Drops the refusal of a measure that is shown or asked elsewhere. */
    settle: (measure: Measure): void => refusals.done(key.value, measure),
    outside,
    undoable: acts.undoable,
    outlasted: acts.outlasted,
    taken: acts.taken,
    begun: acts.begun,
    carried: acts.carried,
    readRooms: list.read,
    hasMoreRooms: list.hasMore,
    moreRooms: list.more,
    readPeople,
    /** What precedes the first line: `more` lines, nothing (`first`), or more than the page keeps (`full`). */
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
    /** Enters the shown room if the app is outside, as before saying something; false where it cannot. */
    comeIn: async (): Promise<boolean> => {
      const id = roomid.value
      if (id === null) return false
      // Hosted rooms are spoken to through the API, a seat's room by its streamer's app.
      if (!companion.local || companion.seat !== null || (desk.value !== null && desk.value.phase !== 'refused'))
        return true
      return enter(id, false)
    },
    renew: (id: number): Promise<boolean> => {
      failure.value = null
      return enter(id, true)
    },
    nickOf: (accid: string): string => nickIn(log.value, people.value, accid),
    guard: (accid: string) => guardOf(accid, desk.value?.accid ?? '', creator.value, roles.value),
    /** Shows a room, and enters it where possible. */
    open: async (id: number): Promise<void> => {
      list.remember(id)
      failure.value = null
      // The same room, as after an outage, keeps its content until the answers arrive.
      if (roomid.value !== id) {
        roomid.value = id
        outside.value = null
        members.clear()
        acts.forget()
      }
      await Promise.all([readPeople(), readHistory(id), enter(id, false)])
    },
    /** The room shown last, if it still exists, else the first. */
    remembered: list.remembered,
    undo: async (): Promise<void> => {
      const last = acts.undoable.value
      if (last && last.until > now()) await act(last.inverse(), '', { undoes: last.action.id })
      acts.undoable.value = null
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'room') {
        const at = keyOf(event.desk.profileId, event.desk.roomid)
        const before = desks.get(at)
        if (event.desk.phase === 'off') desks.delete(at)
        else desks.set(at, event.desk)
        // Failures of the outage are over; lines said during it are in the history.
        if (before && before.phase !== 'inside' && event.desk.phase === 'inside' && at === key.value) {
          failure.value = outside.value = null
          inBackground(readHistory(event.desk.roomid))
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
          // The line itself may still be waiting.
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
      } else if (event.type === 'channels' && companion.seat !== null && event.profileId === companion.seat.profileId) {
        // A moderator's page gets this event when its room was linked to another channel.
        inBackground(list.read(companion.seat.roomid))
      }
    },
  }
})
