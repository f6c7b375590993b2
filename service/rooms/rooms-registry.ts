import type { Clock } from '../../platform/clock.ts'
import type { RoomMemberTable, RoomRobotTable, RoomTable } from '../storage/room-tables.ts'
import type { Appearance, Inside, Room } from './room.ts'
import { createRoomIndex } from './room-index.ts'
import { createRoomListeners, type ListeningSession, type RoomListener } from './room-listeners.ts'
import { isWorthKeeping, type RoomChange, type StoredRooms } from './rooms-store.ts'
import { createKeyedSerial } from '../../platform/serial.ts'

interface InsideEntry extends Inside {
  readonly sessions: Map<string, ListeningSession>
}
interface Entry extends Room {
  row: RoomTable
  memberChanges: number
  readonly members: Map<string, RoomMemberTable>
  readonly robots: Map<string, RoomRobotTable>
  readonly inside: Map<string, InsideEntry>
  readonly queue: Map<string, { readonly value: string; readonly place: number }>
  /** Last time assigned. */
  last: number
}

/** A temporary mute; its end in ms. */
export type MutedForAWhile = Readonly<Pick<RoomMemberTable, 'roomid' | 'accid' | 'mutedUntil'> & Pick<RoomTable, 'uid'>>

/** Makes the registry from the stored rooms. */
export function createRoomRegistry(stored: StoredRooms, clock: Pick<Clock, 'now' | 'after'>) {
  const rooms = new Map<number, Entry>()
  const index = createRoomIndex()
  const bySession = new Map<string, Map<Entry, string>>()
  const muted = new Map<string, MutedForAWhile>()
  let newest = 0

  const make = (row: RoomTable): Entry => {
    const entry: Entry = {
      row,
      members: new Map(),
      memberChanges: 0,
      robots: new Map(),
      inside: new Map(),
      listeners: createRoomListeners(clock),
      queue: new Map(),
      last: row.created,
    }
    rooms.set(row.roomid, entry)
    newest = Math.max(newest, row.created)
    index.put(entry, undefined)
    return entry
  }
  const seen = (entry: Entry, at: number): void => void (entry.last = Math.max(entry.last, at))
  for (const row of [...stored.rooms].sort((one, other) => one.created - other.created)) make(row)
  const setMember = (entry: Entry, member: RoomMemberTable): void => {
    const {
      row: { uid, roomid },
      members,
    } = entry
    entry.memberChanges++
    const { accid, mutedUntil } = member
    if (isWorthKeeping(member)) members.set(accid, member)
    else members.delete(accid)
    if (mutedUntil > 0) muted.set(`${roomid} ${accid}`, { uid, roomid, accid, mutedUntil })
    else muted.delete(`${roomid} ${accid}`)
  }
  for (const member of stored.members) {
    const entry = rooms.get(member.roomid)
    if (!entry) continue
    setMember(entry, member)
    seen(entry, member.updated)
  }
  for (const robot of stored.robots) {
    const entry = rooms.get(robot.roomid)
    entry?.robots.set(robot.accid, robot)
    if (entry) seen(entry, robot.entered)
  }
  // After a clock change across restarts, new lines still follow earlier ones.
  for (const { roomid, at } of stored.lastLines) {
    const entry = rooms.get(roomid)
    if (entry) seen(entry, at)
  }
  for (const { roomid, element, value, place } of stored.elements)
    rooms.get(roomid)?.queue.set(element, { value, place })

  const entryOf = ({ row }: Room): Entry => rooms.get(row.roomid)!
  const forget = (entry: Entry, session: string): void => {
    const entered = bySession.get(session)
    entered?.delete(entry)
    if (entered?.size === 0) bySession.delete(session)
  }
  /** A unique time in ms for an event in a room, later than all. */
  const stamp = (room: Room): number => {
    const entry = entryOf(room)
    return (entry.last = Math.max(clock.now(), entry.last + 1))
  }

  return {
    get: (roomid: number): Room | undefined => rooms.get(roomid),
    newest: index.newest,
    ofChannel: index.ofChannel,
    openOf: index.openOf,
    /** A unique time in ms for a new room, later than all. */
    created: (): number => (newest = Math.max(clock.now(), newest + 1)),
    stamp,
    apply(
      roomid: number,
      { room, member, robots = [], robotsOut = [], clearsQueue, element, elementOut }: RoomChange,
    ): void {
      const entry = rooms.get(roomid) ?? (room && make(room))
      if (!entry) return
      if (room && room !== entry.row) {
        const before = entry.row
        entry.row = room
        index.put(entry, before)
      }
      if (member) setMember(entry, member)
      for (const accid of robotsOut) entry.robots.delete(accid)
      for (const robot of robots) entry.robots.set(robot.accid, robot)
      if (clearsQueue) entry.queue.clear()
      if (element) entry.queue.set(element.element, { value: element.value, place: element.place })
      if (elementOut !== undefined) entry.queue.delete(elementOut)
    },
    /** Adds a session; returns whether the account was outside or changed its appearance. */
    enter(
      room: Room,
      accid: string,
      session: string,
      listener: RoomListener,
      appearance: Appearance,
    ): 'entered' | 'changed' | 'same' {
      const entry = entryOf(room)
      const entered = bySession.get(session)
      if (entered) entered.set(entry, accid)
      else bySession.set(session, new Map([[entry, accid]]))
      const known = entry.inside.get(accid)
      const sessions = known?.sessions ?? new Map<string, ListeningSession>()
      if (!sessions.has(session)) sessions.set(session, entry.listeners.add(session, listener))
      const isSame =
        known?.nick === appearance.nick && known.avatar === appearance.avatar && known.ext === appearance.ext
      const at = isSame ? known.changed : stamp(entry)
      entry.inside.set(accid, { ...appearance, accid, entered: known?.entered ?? at, changed: at, sessions })
      return known === undefined ? 'entered' : isSame ? 'same' : 'changed'
    },
    /** Removes a session; returns whether the account is outside now. False if it was not inside. */
    leave(room: Room, accid: string, session: string): boolean {
      const entry = entryOf(room)
      forget(entry, session)
      const known = entry.inside.get(accid)
      known?.sessions.get(session)?.leave()
      if (!known?.sessions.delete(session) || known.sessions.size > 0) return false
      entry.inside.delete(accid)
      return true
    },
    /** Removes an account, or everybody. */
    putOut(room: Room, accid?: string): void {
      const entry = entryOf(room)
      for (const each of accid === undefined ? [...entry.inside.keys()] : [accid]) {
        for (const listening of entry.inside.get(each)?.sessions.values() ?? []) {
          forget(entry, listening.session)
          listening.leave()
        }
        entry.inside.delete(each)
      }
    },
    /** Temporary mutes of all rooms, including just ended ones. */
    mutedForAWhile: (): readonly MutedForAWhile[] => [...muted.values()],
    /** Rooms of a session, with its account. */
    ofSession: (session: string): { room: Room; accid: string }[] =>
      [...(bySession.get(session) ?? [])].map(([room, accid]) => ({ room, accid })),
    /** Serialises work on a room, so that what it checked stays true until stored. */
    inTurn: createKeyedSerial<number>(),
  }
}

/** All rooms of all applications, in memory. */
export type RoomRegistry = ReturnType<typeof createRoomRegistry>
