import type { Clock } from '../../platform/clock.ts'
import { setTimeout as pause } from 'node:timers/promises'

/** A gap in `note` calls this long means that the process was suspended, as in a system sleep; ms. */
const stillAfter = 5000
/** Window in which the media time of a push is compared with the clock; ms. */
const windowLength = 200
/** Consecutive windows without a push ahead of the clock, after which the backlog counts as read. */
const evenWindows = 2
/** Longest wait; an encoder may always send faster than real time; ms. */
const patience = 3000

/** Makes the wait until the backlog of a system sleep has been read. */
export function createCatchUp(options: {
  readonly clock: Clock
  /** Media time of the newest message of each push, by connection; ms, 32 bits, wrapping. */
  readonly mediaTimes: () => ReadonlyMap<object, number>
}) {
  const { clock, mediaTimes } = options
  let ran = clock.now()
  let until = -Infinity
  const note = (): void => {
    const now = clock.now()
    if (now - ran > stillAfter) until = clock.monotonic() + patience
    ran = now
  }
  return {
    /** Call several times a second. */
    note,
    /** Waits 3 s at most, and only after a sleep: until its backlog is read, media time runs faster than the clock. */
    async caughtUp() {
      note()
      for (let even = 0; even < evenWindows && clock.monotonic() < until;) {
        const [before, began] = [mediaTimes(), clock.monotonic()]
        await pause(windowLength)
        const most = 2 * (clock.monotonic() - began)
        const runsAhead = [...mediaTimes()].some(
          ([connection, time]) => ((time - (before.get(connection) ?? time)) | 0) > most,
        )
        even = runsAhead ? 0 : even + 1
      }
    },
  }
}
