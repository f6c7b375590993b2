import type { Clock } from '../../platform/clock.ts'
import { inBackground } from '../background.ts'
import type { Bus } from '../bus/bus.ts'
import type { Log } from '../log.ts'
import type { RoomLineTable } from '../storage/room-tables.ts'
import type { Room } from './room.ts'

type Line = Readonly<RoomLineTable>
/** Reads lines of a room from a time in ms on, the latest first. */
interface Lines {
  query(query: {
    readonly roomid: number
    readonly begin: number
    readonly states: readonly ['shown']
    readonly notices: true
    readonly limit: number
  }): Promise<readonly Line[]>
}

/** Lines whose numbers are remembered per room. */
const maxTold = 2000
/** Lines of this service whose senders are remembered until they are heard. */
const maxSenders = 1000
/** Lines that are read per room. */
const maxRead = 1000
/** Messages of a room that wait until its lines are read. */
const maxLater = 1000
/** Age in ms up to which lines are read. */
const longestGap = 600_000

/** What a room that is heard here was told. */
interface Heard {
  readonly room: Room
  /** In ms. */
  readonly since: number
  readonly told: Set<number>
  /** Lines up to this number count as told. */
  floor: number
  /** What came while lines are read, and is told after these; undefined while none are. */
  later: (() => void)[] | undefined
}

/** Which lines the rooms of this service were told, as the bus may lose some. */
export interface RoomCatchUp {
  /** A room is heard here until the returned function is called. */
  hear(room: Room): () => void
  /** A line of this service is on its way; its session is not told. */
  sent(line: number, without: string | undefined): void
  /** Whether lines of a room are read just now: `tell` is called after these, so that the order is that of the rows. */
  isLater(room: Room, tell: () => void): boolean
  /** Whether a line that came is new here. */
  isNew(room: Room, line: number): boolean
  /** Stops. */
  close(): void
}

/**
 * Makes it. After a gap of the bus, lines and kept notices that a room was not told are read and told, and who may not
 * be inside any more is put out. What cannot be read again, such as that a line was removed, is shown by the history.
 */
export function createRoomCatchUp(options: {
  readonly bus: Pick<Bus, 'onBack'>
  readonly lines: Lines
  readonly clock: Pick<Clock, 'now'>
  /** Resolves once this service knows the changes of all others. */
  readonly fresh: () => Promise<void>
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly tell: (room: Room, line: Line, without: string | undefined) => void
  readonly putOut: (room: Room, reason: 'closed' | 'blacklisted', accid?: string) => void
}): RoomCatchUp {
  const { bus, lines, clock, fresh, log, tell, putOut } = options
  const rooms = new Map<number, Heard>()
  const senders = new Map<number, string>()

  const isNew = ({ row }: Room, line: number): boolean => {
    const heard = rooms.get(row.roomid)
    if (!heard) return true
    const { told } = heard
    if (line <= heard.floor || told.has(line)) return false
    told.add(line)
    if (told.size > maxTold) {
      const oldest = told.values().next().value!
      told.delete(oldest)
      heard.floor = Math.max(heard.floor, oldest)
    }
    return true
  }
  const catchUp = async (heard: Heard): Promise<void> => {
    const { room, since } = heard
    const { roomid } = room.row
    if (room.row.valid === 0) return putOut(room, 'closed')
    for (const accid of room.inside.keys())
      if (room.members.get(accid)?.blacklisted === 1) putOut(room, 'blacklisted', accid)
    const begin = Math.max(since, clock.now() - longestGap)
    const read = await lines.query({ roomid, begin, states: ['shown'], notices: true, limit: maxRead })
    if (rooms.get(roomid) !== heard) return
    for (const line of read.toReversed())
      if (isNew(room, line.line)) {
        tell(room, line, senders.get(line.line))
        senders.delete(line.line)
      }
  }
  const tellLater = (heard: Heard): void => {
    const { later = [] } = heard
    heard.later = undefined
    for (const call of later) call()
  }
  const catchUpAll = async (): Promise<void> => {
    const all = [...rooms.values()]
    for (const heard of all) heard.later ??= []
    try {
      await fresh()
      for (const heard of all) {
        await catchUp(heard)
        tellLater(heard)
      }
    } finally {
      all.forEach(tellLater)
    }
  }
  let isReading = false
  let isAsked = false
  const readAsked = async (): Promise<void> => {
    try {
      while (isAsked) {
        isAsked = false
        await catchUpAll()
      }
    } finally {
      isReading = false
    }
  }
  const read = (): void => {
    isAsked = true
    if (isReading) return
    isReading = true
    inBackground(readAsked(), log, 'reading what rooms were not told')
  }
  const close = bus.onBack(read)

  return {
    hear(room) {
      const { roomid } = room.row
      rooms.set(roomid, { room, since: clock.now(), told: new Set(), floor: 0, later: undefined })
      return () => void rooms.delete(roomid)
    },
    sent(line, without) {
      if (without === undefined) return
      senders.set(line, without)
      if (senders.size > maxSenders) senders.delete(senders.keys().next().value!)
    },
    isLater({ row }, tell) {
      const heard = rooms.get(row.roomid)
      if (!heard?.later) return false
      // Told at once rather than never.
      if (heard.later.push(tell) > maxLater) tellLater(heard)
      return true
    },
    isNew(room, line) {
      senders.delete(line)
      return isNew(room, line)
    },
    close,
  }
}
