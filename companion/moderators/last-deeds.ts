import { inBackground } from '../background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KeptSeat } from './seat-document.ts'

/** What was done last at a seat, and when. */
type Deed = Pick<KeptSeat, 'lastAt' | 'lastAction'>

/** What moderators did last: told at once, and written once for all deeds of a while, since a file for each would be too many. */
export interface LastDeeds {
  did(seat: string, action: string): void
  /** What is not written yet; undefined for nothing. */
  of(seat: string): Deed | undefined
  /** Something newer is written of a seat by itself. */
  overtaken(seat: string): void
  /** Writes what is left. */
  close(): void
}

/** How long a deed may be in memory only, in ms. */
const deedsKept = 5_000

/** Makes it with nothing done. What could not be written is written with the next deed. */
export function createLastDeeds(
  clock: Clock,
  write: (deeds: ReadonlyMap<string, Deed>) => Promise<void>,
  log: (line: string) => void,
): LastDeeds {
  const deeds = new Map<string, Deed>()
  let stopWaiting: (() => void) | undefined
  const keep = (): void => {
    stopWaiting?.()
    stopWaiting = undefined
    const kept = new Map(deeds)
    if (kept.size === 0) return
    const written = write(kept).then(() => {
      for (const [seat, deed] of kept) if (deeds.get(seat) === deed) deeds.delete(seat)
    })
    inBackground(written, log, 'keeping what moderators did last')
  }
  return {
    did: (seat, action) => {
      deeds.set(seat, { lastAt: clock.now(), lastAction: action.slice(0, 64) })
      stopWaiting ??= clock.after(deedsKept, keep)
    },
    of: (seat) => deeds.get(seat),
    overtaken: (seat) => {
      deeds.delete(seat)
    },
    close: keep,
  }
}
