import { roomNotices } from '../../contract/catalogue/notices.ts'
import { roomTexts } from '../../contract/operations/chatrooms.ts'
import { Refused } from '../refusal.ts'
import type { RoomTable } from '../storage/room-tables.ts'
import { roleOf, type Room } from './room.ts'
import { mustLead, type RoomActor, type RoomContext } from './room-context.ts'

/** Default size of a queue (behaviour.md#queue). */
const queueAtFirst = 100
/** roomids have at least ten digits, so that they are never taken for list positions. */
const firstRoomid = 1_000_000_000

/** Texts of a room (3-chatrooms Chatroom). */
export type RoomFields = Readonly<Pick<RoomTable, 'name' | keyof typeof roomTexts>>
/** Some texts of a room. */
export type SomeRoomFields = { readonly [K in keyof RoomFields]?: string | undefined }

const textNames = ['name', ...Object.keys(roomTexts)] as (keyof RoomFields)[]
/** The given texts, else those of `present`, else empty ones. */
export const roomFields = (given: SomeRoomFields, present: SomeRoomFields = {}): RoomFields =>
  Object.fromEntries(textNames.map((name) => [name, given[name] ?? present[name] ?? ''])) as RoomFields

/** Whether those inside are notified, and with what extension. */
export interface NotifyOptions {
  readonly needNotify: boolean
  readonly notifyExt?: string | undefined
}
/** The operator, if not the creator, and the version that was read. */
export interface Changing {
  readonly operator?: string | undefined
  /** The announcement that was read; if it is another now, nothing changes. */
  readonly was?: string | undefined
}

/** Handlers of room settings, with the codes of 3-chatrooms. */
export interface RoomSettings {
  create(uid: number, creator: string, fields: SomeRoomFields): Promise<Room>
  update(uid: number, roomid: number, fields: SomeRoomFields, notify: NotifyOptions & Changing): Promise<Room>
  setOpen(uid: number, roomid: number, operator: RoomActor, open: boolean): Promise<Room>
  setMuted(uid: number, roomid: number, operator: RoomActor, muted: boolean, notify: NotifyOptions): Promise<void>
}

/** Makes the handlers. */
export function createRoomSettings(context: RoomContext): RoomSettings {
  const { registry, limits, random } = context.options
  // Rooms being made or opened count already, so that two at once do not exceed the limit.
  const coming = new Map<string, number>()

  const withPlace = async <T>(uid: number, creator: string, then: () => Promise<T>): Promise<T> => {
    const key = `${uid} ${creator}`
    const waiting = coming.get(key) ?? 0
    const open = waiting + registry.openOf(uid, creator)
    const { roomsPerCreator } = limits(uid)
    if (open >= roomsPerCreator) throw new Refused(419, `${creator} has ${roomsPerCreator} open rooms already`)
    coming.set(key, waiting + 1)
    try {
      return await then()
    } finally {
      const left = coming.get(key)! - 1
      if (left > 0) coming.set(key, left)
      else coming.delete(key)
    }
  }
  const freeNumber = (): number => {
    for (;;) {
      const roomid = firstRoomid + random(4).readUInt32BE()
      if (!registry.get(roomid)) return roomid
    }
  }

  return {
    async create(uid, creator, fields) {
      context.mustExist(uid, [creator], 414)
      return withPlace(uid, creator, async () => {
        const roomid = freeNumber()
        const room = {
          roomid,
          uid,
          creator,
          ...roomFields(fields),
          valid: 1,
          muted: 0,
          slow: 0,
          queueLimit: queueAtFirst,
          cid: null,
          created: registry.created(),
        }
        return context.make(room)
      })
    },
    update: (uid, roomid, fields, { needNotify, notifyExt, operator, was }) =>
      context.on(uid, roomid, 404, async (room) => {
        const { row } = room
        if (row.valid === 0) throw new Refused(13002, 'the room is closed')
        if (operator !== undefined) mustLead(room, operator)
        if (was !== undefined && was !== row.announcement)
          throw new Refused(417, 'the announcement is another one by now')
        const changed = { ...row, ...roomFields(fields, row) }
        const notice = {
          id: roomNotices.updated,
          operator: operator ?? row.creator,
          clientType: 'REST',
          target: [],
          ext: notifyExt,
        } as const
        await context.commit(room, { room: changed }, needNotify ? [notice] : [])
        return room
      }),
    setOpen: (uid, roomid, { accid: operator, clientType }, open) =>
      context.on(uid, roomid, 404, async (room) => {
        context.mustExist(uid, [operator], 404)
        if (roleOf(room, operator) !== 'creator') throw new Refused(403, 'only the creator opens and closes the room')
        if ((room.row.valid === 1) === open) throw new Refused(417, `the room is ${open ? 'open' : 'closed'} already`)
        const change = { room: { ...room.row, valid: Number(open) } }
        if (open) {
          await withPlace(uid, room.row.creator, () => context.commit(room, change))
          return room
        }
        await context.commit(room, { ...change, robotsOut: [...room.robots.keys()] }, [
          { id: roomNotices.closed, operator, clientType },
        ])
        context.tell(room, { to: 'out', reason: 'closed' })
        return room
      }),
    setMuted: (uid, roomid, { accid: operator, clientType }, muted, { needNotify, notifyExt }) =>
      context.on(uid, roomid, 414, async (room) => {
        context.mustExist(uid, [operator], 414)
        mustLead(room, operator)
        if ((room.row.muted === 1) === muted) return
        const notice = {
          id: muted ? roomNotices.roomMuted : roomNotices.roomUnmuted,
          operator,
          clientType,
          ext: notifyExt,
        } as const
        await context.commit(room, { room: { ...room.row, muted: Number(muted) } }, needNotify ? [notice] : [])
      }),
  }
}
