import type { RoomLine } from './room-log.ts'

/** Activity of a room. `isWhole`: `lines` begin with its first line. `atLeast`: they reach back less than an hour. */
export function pulseOf(lines: readonly RoomLine[], now: number, isWhole: boolean) {
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
