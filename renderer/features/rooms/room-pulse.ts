import type { RoomLine } from './room-log.ts'

/** How lively a room is. */
export interface RoomPulse {
  readonly perMinute: number
  /** People who said something within the last hour: so many at least, where the lines that are there do not reach back that far. */
  readonly active: number
  readonly atLeast: boolean
}

/** Counts what the lines of a room say; `isWhole` says that nothing was said before the first of them. */
export function pulseOf(lines: readonly RoomLine[], now: number, isWhole: boolean): RoomPulse {
  const people = new Set<string>()
  let perMinute = 0
  for (let index = lines.length - 1; index >= 0; index--) {
    const { at, from, notice } = lines[index]!
    if (at <= now - 3_600_000) break
    if (notice !== null) continue
    people.add(from)
    if (at > now - 60_000) perMinute++
  }
  const first = lines[0]
  return { perMinute, active: people.size, atLeast: !isWhole && (first === undefined || first.at > now - 3_600_000) }
}
