import { textFrame } from '../link/frame.ts'
import { leads, mutedFor, onlineCount, roleOf, type Room } from './room.ts'

/** The figures of a room, from which every screen and every answer takes them. */
export interface RoomFigures {
  /** Those who are inside and the robots. */
  readonly online: number
  /** Those who are inside. */
  readonly people: number
  /** Robots that are not inside by themselves too. */
  readonly robots: number
  /** Muted for good or for a while. */
  readonly muted: number
  readonly blacklisted: number
}

/** Counts a room; `now` is in ms. */
export function figuresOf(room: Room, now: number): RoomFigures {
  const online = onlineCount(room)
  let muted = 0
  let blacklisted = 0
  for (const member of room.members.values()) {
    if (member.muted === 1 || mutedFor(room, member.accid, now) > 0) muted += 1
    blacklisted += member.blacklisted
  }
  return { online, people: room.inside.size, robots: online - room.inside.size, muted, blacklisted }
}

/** How often a room's figures are told at most, in ms (behaviour.md#counts-of-large-rooms). */
export const countEvery = 1000

/** Tells those inside how many they are. */
export interface RoomCounts {
  /** Something was done that figures depend on: they are told at once, or when a second is over since they were told. */
  touched(room: Room): void
  close(): void
}

/**
 * Tells creator and admins the figures of their room when they have changed, and all others how many are online, once they are not told any more who
 * comes and goes. `isLarge` says of which rooms that holds; `after` calls once after ms.
 */
export function createRoomCounts(options: {
  readonly clock: () => number
  readonly after: (ms: number, call: () => void) => () => void
  readonly isLarge: (room: Room) => boolean
}): RoomCounts {
  const { clock, after, isLarge } = options
  const pauses = new Map<number, { dirty: boolean; stop: () => void }>()
  const told = new Map<number, string>()
  let closed = false

  const tell = (room: Room): void => {
    const { roomid } = room.row
    if (room.inside.size === 0) return void told.delete(roomid)
    const { online, ...figures } = figuresOf(room, clock())
    const all = { t: 'roomCount', roomid, online } as const
    const [toAll, toLeaders] = [JSON.stringify(all), JSON.stringify({ ...all, ...figures })]
    const toEach = isLarge(room)
    const last = `${toEach} ${toLeaders}`
    if (told.get(roomid) === last) return
    told.set(roomid, last)
    const [frame, leadersFrame] = [textFrame(toAll), textFrame(toLeaders)]
    for (const [accid, { sessions }] of room.inside) {
      const isLeader = leads(roleOf(room, accid))
      if (isLeader || toEach) for (const listener of sessions.values()) listener.write(isLeader ? leadersFrame : frame)
    }
  }
  const passed = (room: Room): void => {
    const pause = pauses.get(room.row.roomid)
    pauses.delete(room.row.roomid)
    if (pause?.dirty) begin(room)
  }
  function begin(room: Room): void {
    tell(room)
    pauses.set(room.row.roomid, { dirty: false, stop: after(countEvery, () => passed(room)) })
  }
  return {
    touched(room) {
      const pause = pauses.get(room.row.roomid)
      if (pause) pause.dirty = true
      else if (!closed) begin(room)
    },
    close() {
      closed = true
      for (const { stop } of pauses.values()) stop()
      pauses.clear()
    },
  }
}
