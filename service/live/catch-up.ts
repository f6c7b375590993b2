import { setTimeout as pause } from 'node:timers/promises'

/** After how long without a note this process was held still, as by a computer that slept; ms. */
const stillAfter = 5000
/** What encoders sent meanwhile is looked for in windows of this length; ms. */
const windowLength = 200
/** Windows in a row in which no push ran ahead: then all has been read that came. */
const evenWindows = 2
/** How long an encoder that always sends faster than in real time is waited for; ms. */
const patience = 3000

/** What of encoders is read and for which connections. */
export interface CatchUpPorts {
  /** Milliseconds since 1970; goes on while a computer sleeps. */
  readonly clock: () => number
  readonly monotonic: () => number
  /** The media time of the newest message of each push by its connection, in ms; 32 bits, wrapping. */
  readonly mediaTimes: () => ReadonlyMap<object, number>
}

/** Tells when a service that was held still has read what came meanwhile. */
export interface CatchUp {
  /** To be called several times a second: the process runs. */
  note(): void
  /**
   * Resolves at once, unless the process was held still a moment ago. Then encoders may have gone, and the end of their connections waits behind what they
   * sent before. Until that is read, media time passes faster than the clock. Waits 3 s at most.
   */
  caughtUp(): Promise<void>
}

/** Begins to note. */
export function createCatchUp({ clock, monotonic, mediaTimes }: CatchUpPorts): CatchUp {
  let ran = clock()
  let until = -Infinity
  const note = (): void => {
    const now = clock()
    if (now - ran > stillAfter) until = monotonic() + patience
    ran = now
  }
  return {
    note,
    async caughtUp() {
      note()
      for (let even = 0; even < evenWindows && monotonic() < until;) {
        const [before, began] = [mediaTimes(), monotonic()]
        await pause(windowLength)
        const most = 2 * (monotonic() - began)
        const runsAhead = [...mediaTimes()].some(
          ([connection, time]) => ((time - (before.get(connection) ?? time)) | 0) > most,
        )
        even = runsAhead ? 0 : even + 1
      }
    },
  }
}
