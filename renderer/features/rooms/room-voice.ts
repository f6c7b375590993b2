import type { RoomLine } from './room-log.ts'

/** Finds new lines by their ids, as a full log does not grow and released lines have older times. */
export function createRoomVoice() {
  let known: { readonly lines: readonly RoomLine[]; readonly ids: ReadonlySet<string> } | undefined
  return {
    begin(): void {
      known = undefined
    },
    /** New lines, oldest first, without notices, deleted and past lines; none on the first call. */
    hear(lines: readonly RoomLine[]): readonly RoomLine[] {
      if (known?.lines === lines) return []
      const before = known?.ids
      known = { lines, ids: new Set(lines.map(({ msgid }) => msgid)) }
      if (before === undefined) return []
      const first = Math.max(
        0,
        lines.findIndex(({ msgid }) => before.has(msgid)),
      )
      return lines
        .slice(first)
        .filter(({ msgid, notice, removed }) => notice === null && removed === null && !before.has(msgid))
    },
  }
}

/** Minimum time between announcements, in ms. */
export const voicePause = 2_000
/** More lines are announced as a number. */
const maxRead = 2
const maxText = 200

/** A few lines, or the number of many. */
type Announcement = { readonly lines: readonly string[] } | { readonly count: number }

/** Cuts a text for reading out. */
export const cutForVoice = (text: string): string =>
  text.length > maxText ? `${text.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, '')} …` : text

/** Decides when and what to read out. */
export function createRoomSpeaker() {
  const voice = createRoomVoice()
  let spokenAt = Number.NEGATIVE_INFINITY
  return {
    begin: voice.begin,
    /** Null for nothing; lines that came during a pause wait. Time in ms. */
    speak(lines: readonly RoomLine[], now: number): Announcement | null {
      if (now - spokenAt < voicePause) return null
      const fresh = voice.hear(lines)
      if (fresh.length === 0) return null
      spokenAt = now
      return fresh.length > maxRead
        ? { count: fresh.length }
        : { lines: fresh.map(({ nick, text }) => `${nick}: ${cutForVoice(text)}`) }
    },
  }
}
