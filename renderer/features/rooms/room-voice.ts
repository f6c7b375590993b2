import type { RoomLine } from './room-log.ts'

/**
 * Knows which lines of a room were not read out yet, by their ids: a log that is full grows no longer, and a line that was
 * held back comes with the time at which it was written, which is before those that were read out meanwhile.
 */
export function createRoomVoice() {
  let known: { readonly lines: readonly RoomLine[]; readonly ids: ReadonlySet<string> } | undefined
  return {
    /** What is there now is no news. */
    begin(): void {
      known = undefined
    },
    /** New lines since the last call, oldest first, without notices, deleted and past lines; none on the first call. */
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

/** Time between two announcements, in ms. */
export const voicePause = 2_000
/** More lines than this are told as their number. */
const maxRead = 2
/** Characters of one line that are read out. */
const maxText = 200

/** What is read out at one time: a few lines in full, long ones cut, or only how many came. */
export type Announcement = { readonly lines: readonly string[] } | { readonly count: number }

/** A text as it is read out: not longer than a person listens. */
export const cutForVoice = (text: string): string =>
  text.length > maxText ? `${text.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, '')} …` : text

/** Says when something is to be read out, and what: at most once per `voicePause`, however fast the room is. */
export function createRoomSpeaker() {
  const voice = createRoomVoice()
  let spokenAt = Number.NEGATIVE_INFINITY
  return {
    begin: voice.begin,
    /** What is to be read out at this time in ms; null for nothing. Lines that came during a pause wait for its end. */
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
