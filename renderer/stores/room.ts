import { defineStore } from 'pinia'
import { computed, ref, shallowReactive, shallowRef } from 'vue'
import type { ListedRoom, Measure, RoomAction, RoomDesk } from '../../contract/rpc/index.ts'
import type { AppEvent } from '../../contract/rpc/state.ts'
import { failureOf, type Failure } from '../rpc/failure.ts'
import { useCompanion } from './companion.ts'
import { lineOf, textOf, withLines, withRemoved, type RoomLine } from './room-log.ts'
import { guardOf, inverseOf, undoFor } from './room-measures.ts'
import { useServices } from './services.ts'

/** Somebody in a room, as lists give them. */
export interface Person {
  readonly accid: string
  readonly nick: string
  readonly type: number
  readonly online: boolean
  readonly robot: boolean
  readonly since: number | null
}
/** Something that was done just now and can be taken back until `until`, in ms. */
export interface Undoable {
  readonly action: RoomAction
  readonly inverse: Measure
  readonly until: number
}
/** An element of the queue. */
export interface Waiting {
  readonly key: string
  readonly value: string
}

const place = (profileId: string): string => `sidestage.room.${profileId}`
const none: readonly RoomLine[] = []

/** The room that the screen shows: its lines, its people, and what a moderator does there. */
export const useRoom = defineStore('room', () => {
  const { rpc, now, memory } = useServices()
  const companion = useCompanion()
  const desks = shallowReactive(new Map<number, RoomDesk>())
  const lines = shallowReactive(new Map<number, readonly RoomLine[]>())
  const rooms = shallowRef<readonly ListedRoom[] | null>(null)
  const people = shallowRef<readonly Person[]>([])
  const muted = shallowRef<readonly { readonly accid: string; readonly permanent: boolean; readonly seconds: number }[]>([])
  const blacklisted = shallowRef<readonly { readonly accid: string; readonly at: number }[]>([])
  const queue = shallowRef<readonly Waiting[]>([])
  const roomid = ref<number | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const undoable = shallowRef<Undoable | null>(null)

  const profileId = computed(() => companion.profile?.id ?? '')
  const desk = computed(() => (roomid.value === null || !companion.local ? null : (desks.get(roomid.value) ?? null)))
  const log = computed(() => (roomid.value === null ? none : (lines.get(roomid.value) ?? none)))
  const roles = computed(() => new Map(people.value.map(({ accid, type }) => [accid, type])))
  const creator = computed(() => rooms.value?.find((room) => room.roomid === roomid.value)?.creator ?? desk.value?.accid ?? '')
  const put = (id: number, more: readonly RoomLine[]): void => {
    lines.set(id, withLines(lines.get(id) ?? none, more))
  }
  const trying = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      failure.value = failureOf(error)
      return false
    }
  }

  const readRooms = (): Promise<boolean> =>
    trying(async () => {
      const profile = profileId.value
      const { rooms: list } = await rpc.rooms.list({ profileId: profile })
      if (profile === profileId.value) rooms.value = list
    })
  const readPeople = async (): Promise<void> => {
    const [id, profile] = [roomid.value, profileId.value]
    if (id === null) return
    await trying(async () => {
      const page = async (type: number): Promise<Person[]> => {
        const { desc } = await rpc.rooms.members({ profileId: profile, call: { roomid: id, type, limit: 100 } })
        return desc.data.map(({ accid, nick, type: role, onlineStat, isRobot, enterTime }) => ({
          accid,
          nick: nick === '' ? accid : nick,
          type: role,
          online: onlineStat,
          robot: isRobot === true,
          since: enterTime ?? null,
        }))
      }
      const [fixed, others, waiting] = await Promise.all([page(0), page(1), rpc.rooms.queue({ profileId: profile, call: { roomid: id } })])
      const restricted = companion.local
        ? await Promise.all([
            rpc.rooms.muted({ profileId: profile, call: { roomid: id } }),
            rpc.rooms.blacklisted({ profileId: profile, call: { roomid: id } }),
          ])
        : null
      if (id !== roomid.value || profile !== profileId.value) return
      people.value = [...fixed, ...others]
      queue.value = waiting.desc.list.flatMap((element) => Object.entries(element).map(([key, value]) => ({ key, value: String(value) })))
      muted.value = restricted?.[0].ret.list ?? []
      blacklisted.value = restricted?.[1].ret.list ?? []
    })
  }
  const readHistory = async (id: number): Promise<void> => {
    await trying(async () => {
      const { ret } = await rpc.rooms.history({ profileId: profileId.value, call: { roomid: id, limit: 500 } })
      put(
        id,
        ret.list.map(({ msgid, at, from, type, attach, removed, nick }) => ({
          msgid,
          at,
          from,
          nick: nick === '' ? from : nick,
          text: textOf(type, attach),
          notice: null,
          removed: removed ? { by: '', why: '', at: null } : null,
        })),
      )
    })
  }

  const enter = (id: number, renew: boolean): Promise<boolean> =>
    trying(async () => {
      const entered = await rpc.rooms.enter({ profileId: profileId.value, roomid: id, renew })
      // What came as an event meanwhile is newer than the answer.
      if (!desks.has(id) || renew) desks.set(id, entered)
    })
  const act = async (measure: Measure, why = '', undoes?: number): Promise<boolean> => {
    const id = roomid.value
    if (id === null) return false
    failure.value = null
    const done = await trying(async () => {
      const { action } = await rpc.rooms.act({ profileId: profileId.value, roomid: id, measure, why, ...(undoes === undefined ? {} : { undoes }) })
      const inverse = undoes === undefined ? inverseOf(measure) : null
      undoable.value = inverse === null ? null : { action, inverse, until: now() + undoFor }
    })
    void readPeople()
    return done
  }

  return {
    profileId,
    rooms,
    roomid,
    desk,
    log,
    people,
    roles,
    muted,
    blacklisted,
    queue,
    creator,
    failure,
    undoable,
    readRooms,
    readPeople,
    act,
    /** Sits in a room with a new token of its host. */
    renew: (id: number): Promise<boolean> => {
      failure.value = null
      return enter(id, true)
    },
    /** The reason why nothing may be done to a person, if there is one. */
    guard: (accid: string) => guardOf(accid, desk.value?.accid ?? '', creator.value, roles.value),
    /** Shows a room from now on and sits in it where that can be done. */
    open: async (id: number): Promise<void> => {
      roomid.value = id
      memory.write(place(profileId.value), String(id))
      people.value = []
      queue.value = []
      failure.value = null
      undoable.value = null
      await Promise.all([readPeople(), ...(companion.local ? [readHistory(id), enter(id, false)] : [])])
    },
    /** The room that was shown last, if it still is one, else the first. */
    remembered: (): number | null => {
      const kept = Number(memory.read(place(profileId.value)) ?? '')
      return rooms.value?.find((room) => room.roomid === kept)?.roomid ?? rooms.value?.[0]?.roomid ?? null
    },
    close: (): void => {
      roomid.value = null
      rooms.value = null
    },
    undo: async (): Promise<void> => {
      const last = undoable.value
      if (last && last.until > now()) await act(last.inverse, '', last.action.id)
      undoable.value = null
    },
    apply: (event: AppEvent): void => {
      if (event.type === 'room') {
        const before = desks.get(event.desk.roomid)
        if (event.desk.phase === 'off') desks.delete(event.desk.roomid)
        else desks.set(event.desk.roomid, event.desk)
        // What was said while the link was away is in the history.
        if (before && before.phase !== 'inside' && event.desk.phase === 'inside' && event.desk.roomid === roomid.value) void readHistory(event.desk.roomid)
      } else if (event.type === 'roomPush') {
        const { push } = event
        if (push.t === 'roomMessage') put(event.roomid, [lineOf(push as typeof push & { t: 'roomMessage' })])
        else if (push.t === 'roomRecall')
          lines.set(event.roomid, withRemoved(lines.get(event.roomid) ?? none, push.msgid, { by: push.operator, why: push.ext ?? '', at: push.at }))
      }
    },
  }
})
