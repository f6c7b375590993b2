import type { RoomLine } from './room-log.ts'

/** How lively a room is: lines said within the last minute, and people who said something within the last hour, as far as lines are kept. */
export function pulseOf(lines: readonly RoomLine[], now: number): { readonly perMinute: number; readonly active: number } {
  const people = new Set<string>()
  let perMinute = 0
  for (let index = lines.length - 1; index >= 0; index--) {
    const { at, from, notice } = lines[index]!
    if (at <= now - 3_600_000) break
    if (notice !== null) continue
    people.add(from)
    if (at > now - 60_000) perMinute++
  }
  return { perMinute, active: people.size }
}
