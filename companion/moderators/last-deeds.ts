import { inBackground } from '../background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KeptSeat } from './seat-document.ts'

type Deed = Pick<KeptSeat, 'lastAt' | 'lastAction'>

/** In ms. */
const deedsKept = 5_000

/** Makes it empty; a failed write is repeated with the next action. */
export function createLastDeeds(
  clock: Clock,
  write: (deeds: ReadonlyMap<string, Deed>) => Promise<void>,
  log: (line: string) => void,
) {
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
    did: (seat: string, action: string) => {
      deeds.set(seat, { lastAt: clock.now(), lastAction: action.slice(0, 64) })
      stopWaiting ??= clock.after(deedsKept, keep)
    },
    /** Not written yet. */
    of: (seat: string): Deed | undefined => deeds.get(seat),
    /** A newer action was written separately. */
    overtaken: (seat: string) => deeds.delete(seat),
    close: keep,
  }
}
