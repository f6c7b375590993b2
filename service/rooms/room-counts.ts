import type { Clock } from '../../platform/clock.ts'
import { textFrame } from '../link/frame.ts'
import { leads, mutedFor, onlineCount, roleOf, type Room } from './room.ts'

/** Figures of a room, the only source for screens and answers. */
export interface RoomFigures {
  /** Accounts inside, and robots. */
  readonly online: number
  readonly people: number
  /** Robots that are not also inside. */
  readonly robots: number
  /** Permanently or temporarily muted. */
  readonly muted: number
  readonly blacklisted: number
}

/** Counts a room; `now` in ms. */
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

/** Least interval of figures, in ms (behaviour.md#counts-of-large-rooms). */
export const countEvery = 1000

/** Creator and admins get changed figures; others only the online count of large rooms, which announce no entries. */
export function createRoomCounts(options: { readonly clock: Clock; readonly isLarge: (room: Room) => boolean }) {
  const { clock, isLarge } = options
  const pauses = new Map<number, { dirty: boolean; stop: () => void }>()
  const told = new Map<number, string>()
  let closed = false

  const tell = (room: Room): void => {
    const { roomid } = room.row
    if (room.inside.size === 0) return void told.delete(roomid)
    const { online, ...figures } = figuresOf(room, clock.now())
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
    pauses.set(room.row.roomid, { dirty: false, stop: clock.after(countEvery, () => passed(room)) })
  }
  return {
    /** Figures may have changed: sent at once, or a second after the last ones. */
    touched(room: Room): void {
      const pause = pauses.get(room.row.roomid)
      if (pause) pause.dirty = true
      else if (!closed) begin(room)
    },
    close(): void {
      closed = true
      for (const { stop } of pauses.values()) stop()
      pauses.clear()
    },
  }
}

/** Sends figures to those inside. */
export type RoomCounts = ReturnType<typeof createRoomCounts>
