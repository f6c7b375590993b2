import type { RoomLine } from './room-log.ts'

/**
* Finds lines not read out yet by their ids: a full log does not grow, and a released line has the time at which it was
* written, before lines already read out.
*/
export function createRoomVoice() {
  let known: { readonly lines: readonly RoomLine[]; readonly ids: ReadonlySet<string> } | undefined
  return {
    /** Takes the present lines as read. */
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

/** Minimum time between two announcements, in ms. */
export const voicePause = 2_000
/** Beyond this number, only the number is announced. */
const maxRead = 2
/** Characters read out of one line. */
const maxText = 200

/** A few lines, long ones cut, or only the number of new lines. */
export type Announcement = { readonly lines: readonly string[] } | { readonly count: number }

/** Cuts a text to the length that is read out. */
export const cutForVoice = (text: string): string =>
  text.length > maxText ? `${text.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, '')} …` : text

/** Decides when and what to read out, at most once per `voicePause`. */
export function createRoomSpeaker() {
  const voice = createRoomVoice()
  let spokenAt = Number.NEGATIVE_INFINITY
  return {
    begin: voice.begin,
    /** What to read out at `now`, in ms; null for nothing. Lines that came during a pause wait for its end. */
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
