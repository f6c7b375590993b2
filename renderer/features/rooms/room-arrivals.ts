import type { RoomLine } from './room-log.ts'

/** How often at most lines are put into a log that is filling, in ms. */
const every = 50
/** Lines that wait at most; at once then. A page in the background is woken rarely. */
const maxWait = 500

/** Lines on their way into logs: many lines of a busy room are one change, each of a quiet one is shown at once. */
export function createRoomArrivals(options: {
  readonly put: (room: string, lines: readonly RoomLine[]) => void
  readonly now: () => number
  /** Calls once after ms; returns what takes it back. */
  readonly later: (ms: number, call: () => void) => () => void
}) {
  const { put, now, later } = options
  const waiting = new Map<string, RoomLine[]>()
  let count = 0
  /** When lines of a room were put in last, in ms. */
  const settled = new Map<string, number>()
  let stop: (() => void) | undefined

  const settle = (): void => {
    stop?.()
    stop = undefined
    if (count === 0) return
    const rooms = [...waiting]
    waiting.clear()
    count = 0
    for (const [room, lines] of rooms) {
      settled.set(room, now())
      put(room, lines)
    }
  }
  return {
    /** Takes a line: it is put in at once, or with others of the same twentieth of a second. */
    add(room: string, line: RoomLine): void {
      const those = waiting.get(room)
      if (those) those.push(line)
      else waiting.set(room, [line])
      count += 1
      // A clock that was set back must not keep them.
      const since = Math.abs(now() - (settled.get(room) ?? Number.NEGATIVE_INFINITY))
      if (since >= every || count >= maxWait) return settle()
      stop ??= later(every - since, settle)
    },
    /** Puts in what waits, before something that speaks of it. */
    settle,
  }
}

/** Lines on their way into logs. */
export type RoomArrivals = ReturnType<typeof createRoomArrivals>
