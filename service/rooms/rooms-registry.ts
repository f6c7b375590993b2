import type { Clock } from '../../platform/clock.ts'
import type { MessageCount } from '../events/message-counts.ts'
import type { RoomMemberTable, RoomRobotTable, RoomTable } from '../storage/room-tables.ts'
import type { Appearance, Inside, Room } from './room.ts'
import { createRoomIndex } from './room-index.ts'
import { createRoomListeners, type ListeningSession, type RoomListener } from './room-listeners.ts'
import { isWorthKeeping, type RoomChange, type StoredRooms } from './rooms-store.ts'

/** A session inside a room at another service. */
export interface InsideElsewhere extends Appearance {
  readonly accid: string
  readonly entered: number
  readonly changed: number
}
/** Told of sessions of this service. */
export interface SessionsInside {
  /** One entered, or changed its appearance. */
  entered(roomid: number, session: string, entry: InsideElsewhere): void
  left(roomid: number, session: string): void
}

interface InsideEntry extends Inside {
  readonly sessions: Map<string, ListeningSession>
  /** Sessions at other services, by service and id. */
  readonly elsewhere?: Map<string, InsideElsewhere> | undefined
}
interface Entry extends Room {
  row: RoomTable
  memberChanges: number
  readonly members: Map<string, RoomMemberTable>
  readonly robots: Map<string, RoomRobotTable>
  readonly inside: Map<string, InsideEntry>
  isMixed: boolean
  /** Accounts that are inside at other services only. */
  onlyElsewhere: number
  /** The latest entry of all. */
  newestEntry: number
  readonly queue: Map<string, { readonly value: string; readonly place: number }>
  /** Last time assigned. */
  last: number
  /** Called when the last session has left. */
  emptied: (() => void) | undefined
}

/** A temporary mute; its end in ms. */
export type MutedForAWhile = Readonly<Pick<RoomMemberTable, 'roomid' | 'accid' | 'mutedUntil'> & Pick<RoomTable, 'uid'>>

/** Makes the registry from the stored rooms. */
export function createRoomRegistry(
  stored: StoredRooms,
  clock: Pick<Clock, 'now' | 'after'>,
  counts?: Pick<MessageCount, 'delivered'>,
) {
  const rooms = new Map<number, Entry>()
  const index = createRoomIndex()
  const bySession = new Map<string, Map<Entry, string>>()
  const muted = new Map<string, MutedForAWhile>()
  let newest = 0
  let seated: (room: Room) => () => void = () => () => undefined
  let told: SessionsInside | undefined
  let linked: ((cid: string) => void) | undefined
  /** Inside rooms that are not known here yet. */
  const early = new Map<number, Map<string, InsideElsewhere>>()

  const make = (row: RoomTable): Entry => {
    const entry: Entry = {
      row,
      members: new Map(),
      memberChanges: 0,
      robots: new Map(),
      inside: new Map(),
      isMixed: false,
      onlyElsewhere: 0,
      newestEntry: 0,
      listeners: createRoomListeners(clock, counts),
      queue: new Map(),
      last: row.created,
      emptied: undefined,
    }
    rooms.set(row.roomid, entry)
    newest = Math.max(newest, row.created)
    index.put(entry, undefined)
    for (const [place, other] of early.get(row.roomid) ?? []) see(entry, place, other)
    early.delete(row.roomid)
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
    told?.left(entry.row.roomid, session)
    const entered = bySession.get(session)
    entered?.delete(entry)
    if (entered?.size === 0) bySession.delete(session)
  }
  const lookForSeats = (entry: Entry): void => {
    if (entry.listeners.size > 0) return
    entry.emptied?.()
    entry.emptied = undefined
  }
  /** Takes an account out that has no session of this service left; false if it is inside elsewhere. */
  const takeOut = (entry: Entry, accid: string): boolean => {
    if (entry.inside.get(accid)?.elsewhere?.size) {
      entry.onlyElsewhere += 1
      return false
    }
    entry.inside.delete(accid)
    if (entry.inside.size === 0) entry.isMixed = false
    return true
  }
  function see(entry: Entry, place: string, other: InsideElsewhere): void {
    const { accid, entered, changed } = other
    const known = entry.inside.get(accid)
    const elsewhere = known?.elsewhere ?? new Map<string, InsideElsewhere>()
    elsewhere.set(place, other)
    const shown = known && known.changed > changed ? known : other
    if (!known) {
      entry.onlyElsewhere += 1
      if (entered < entry.newestEntry) entry.isMixed = true
    }
    entry.newestEntry = Math.max(entry.newestEntry, entered)
    seen(entry, Math.max(entered, changed))
    entry.inside.set(accid, {
      accid,
      nick: shown.nick,
      avatar: shown.avatar,
      ext: shown.ext,
      entered: Math.min(known?.entered ?? entered, entered),
      changed: Math.max(known?.changed ?? changed, changed),
      sessions: known?.sessions ?? new Map<string, ListeningSession>(),
      elsewhere,
    })
  }
  /** A unique time in ms for an event in a room, later than all. */
  const stamp = (room: Room): number => {
    const entry = entryOf(room)
    return (entry.last = Math.max(clock.now(), entry.last + 1))
  }

  return {
    get: (roomid: number): Room | undefined => rooms.get(roomid),
    /** Rooms that are open, and who is in them by this service. */
    totals() {
      let [open, inside, sessions] = [0, 0, 0]
      for (const { row, inside: accounts, onlyElsewhere, listeners } of rooms.values()) {
        if (row.valid === 1) open += 1
        inside += accounts.size - onlyElsewhere
        sessions += listeners.size
      }
      return { open, inside, sessions }
    },
    newest: index.newest,
    ofChannel: index.ofChannel,
    openOf: index.openOf,
    /** A unique time in ms for a new room, later than all. */
    created: (): number => (newest = Math.max(clock.now(), newest + 1)),
    stamp,
    /** Tells of rooms that somebody enters; the returned function is called when nobody is inside any more. */
    onSeats(call: (room: Room) => () => void): void {
      seated = call
    },
    /** Tells of sessions of this service that are inside. */
    onSessions(call: SessionsInside): void {
      told = call
    },
    /** A session entered at another service, or changed its appearance; `place` is unique among all services. */
    enteredElsewhere(roomid: number, place: string, other: InsideElsewhere): void {
      const entry = rooms.get(roomid)
      if (entry) return see(entry, place, other)
      const waiting = early.get(roomid)
      if (waiting) waiting.set(place, other)
      else early.set(roomid, new Map([[place, other]]))
    },
    isElsewhere: (room: Room, accid: string): boolean => (entryOf(room).inside.get(accid)?.elsewhere?.size ?? 0) > 0,
    /** It left; whether its account is outside now. */
    leftElsewhere(roomid: number, place: string, accid: string): boolean {
      early.get(roomid)?.delete(place)
      const entry = rooms.get(roomid)
      const known = entry?.inside.get(accid)
      if (!entry || !known?.elsewhere?.delete(place) || known.elsewhere.size > 0 || known.sessions.size > 0)
        return false
      entry.onlyElsewhere -= 1
      return takeOut(entry, accid)
    },
    apply(
      roomid: number,
      { room, member, robots = [], robotsOut = [], clearsQueue, element, elementOut }: RoomChange,
    ): void {
      const entry = rooms.get(roomid) ?? (room && make(room))
      if (!entry) return
      const before = entry.row
      if (room && room !== before) {
        entry.row = room
        index.put(entry, before)
      }
      if (member) setMember(entry, member)
      for (const accid of robotsOut) entry.robots.delete(accid)
      for (const robot of robots) entry.robots.set(robot.accid, robot)
      if (clearsQueue) entry.queue.clear()
      if (element) entry.queue.set(element.element, { value: element.value, place: element.place })
      if (elementOut !== undefined) entry.queue.delete(elementOut)
      if (room?.cid && room.cid !== before.cid) linked?.(room.cid)
    },
    /** Called with each channel to which a room was linked. */
    onLinked(listener: (cid: string) => void): void {
      linked = listener
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
      const others = bySession.get(session)
      if (others) others.set(entry, accid)
      else bySession.set(session, new Map([[entry, accid]]))
      const known = entry.inside.get(accid)
      const sessions = known?.sessions ?? new Map<string, ListeningSession>()
      if (known?.sessions.size === 0) entry.onlyElsewhere -= 1
      entry.emptied ??= seated(entry)
      if (!sessions.has(session)) sessions.set(session, entry.listeners.add(session, listener))
      const isSame =
        known?.nick === appearance.nick && known.avatar === appearance.avatar && known.ext === appearance.ext
      const at = isSame ? known.changed : stamp(entry)
      const entered = known?.entered ?? at
      entry.newestEntry = Math.max(entry.newestEntry, entered)
      entry.inside.set(accid, { ...appearance, accid, entered, changed: at, sessions, elsewhere: known?.elsewhere })
      told?.entered(entry.row.roomid, session, { ...appearance, accid, entered, changed: at })
      return known === undefined ? 'entered' : isSame ? 'same' : 'changed'
    },
    /** Removes a session; returns whether the account has none left at this service. False if it had none. */
    leave(room: Room, accid: string, session: string): boolean {
      const entry = entryOf(room)
      forget(entry, session)
      const known = entry.inside.get(accid)
      known?.sessions.get(session)?.leave()
      lookForSeats(entry)
      if (!known?.sessions.delete(session) || known.sessions.size > 0) return false
      takeOut(entry, accid)
      return true
    },
    /** Removes the sessions of an account at this service, or everybody's. */
    putOut(room: Room, accid?: string): void {
      const entry = entryOf(room)
      for (const each of accid === undefined ? [...entry.inside.keys()] : [accid]) {
        const sessions = entry.inside.get(each)?.sessions
        if (!sessions || sessions.size === 0) continue
        for (const listening of sessions.values()) {
          forget(entry, listening.session)
          listening.leave()
        }
        sessions.clear()
        takeOut(entry, each)
      }
      lookForSeats(entry)
    },
    /** Temporary mutes of all rooms, including just ended ones. */
    mutedForAWhile: (): readonly MutedForAWhile[] => [...muted.values()],
    /** Rooms of a session, with its account. */
    ofSession: (session: string): { room: Room; accid: string }[] =>
      [...(bySession.get(session) ?? [])].map(([room, accid]) => ({ room, accid })),
  }
}

/** All rooms of all applications, in memory. */
export type RoomRegistry = ReturnType<typeof createRoomRegistry>
