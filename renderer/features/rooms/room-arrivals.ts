import type { RoomLine } from './room-log.ts'

/** Minimum time between updates of a log, in ms. */
const every = 50
/** Lines waiting at most, as timers of background pages are slow. */
const maxWait = 500

/** Collects arriving lines: a busy room updates its log once for many, a quiet one at once. */
export function createRoomArrivals(options: {
  readonly put: (room: string, lines: readonly RoomLine[]) => void
  readonly now: () => number
  /** Returns what cancels the call. */
  readonly later: (ms: number, call: () => void) => () => void
}) {
  const { put, now, later } = options
  const waiting = new Map<string, RoomLine[]>()
  let count = 0
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
    add(room: string, line: RoomLine): void {
      const those = waiting.get(room)
      if (those) those.push(line)
      else waiting.set(room, [line])
      count += 1
      // The clock may have been set back.
      const since = Math.abs(now() - (settled.get(room) ?? Number.NEGATIVE_INFINITY))
      if (since >= every || count >= maxWait) return settle()
      stop ??= later(every - since, settle)
    },
    /** Call before an event that refers to waiting lines. */
    settle,
  }
}

/** Collects arriving lines. */
export type RoomArrivals = ReturnType<typeof createRoomArrivals>
