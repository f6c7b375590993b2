import type { RoomLine } from './room-log.ts'

/** Knows which lines of a room were not read out yet. */
export interface RoomVoice {
  /** What is there now is no news. */
  begin(): void
  /** Lines that came since the last call and still stand, oldest first; notices and lines older than those known are left out. The first call answers none. */
  hear(lines: readonly RoomLine[]): readonly RoomLine[]
}

/**
 * Makes it. Lines are told apart by their ids: a log that is full grows no longer, and a line that was held back comes with the time at which it was
 * written, which is before those that were read out meanwhile.
 */
export function createRoomVoice(): RoomVoice {
  let known: { readonly lines: readonly RoomLine[]; readonly ids: ReadonlySet<string> } | undefined
  return {
    begin() {
      known = undefined
    },
    hear(lines) {
      if (known?.lines === lines) return []
      const before = known?.ids
      known = { lines, ids: new Set(lines.map(({ msgid }) => msgid)) }
      if (before === undefined) return []
      const first = Math.max(
        0,
        lines.findIndex(({ msgid }) => before.has(msgid)),
      )
      return lines.slice(first).filter(({ msgid, notice, removed }) => notice === null && removed === null && !before.has(msgid))
    },
  }
}
