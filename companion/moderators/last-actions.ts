import { inBackground } from '../background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KeptSeat } from './seat-document.ts'

type LastAction = Pick<KeptSeat, 'lastAt' | 'lastAction'>

/** In ms. */
const actionsKept = 5_000

/** Makes it empty; a failed write is repeated with the next action. */
export function createLastActions(
  clock: Clock,
  write: (actions: ReadonlyMap<string, LastAction>) => Promise<void>,
  log: (line: string) => void,
) {
  const actions = new Map<string, LastAction>()
  let stopWaiting: (() => void) | undefined
  const keep = (): void => {
    stopWaiting?.()
    stopWaiting = undefined
    const kept = new Map(actions)
    if (kept.size === 0) return
    const written = write(kept).then(() => {
      for (const [seat, action] of kept) if (actions.get(seat) === action) actions.delete(seat)
    })
    inBackground(written, log, 'keeping what moderators did last')
  }
  return {
    did: (seat: string, action: string) => {
      actions.set(seat, { lastAt: clock.now(), lastAction: action.slice(0, 64) })
      stopWaiting ??= clock.after(actionsKept, keep)
    },
    /** Not written yet. */
    of: (seat: string): LastAction | undefined => actions.get(seat),
    /** A newer action was written separately. */
    overtaken: (seat: string) => actions.delete(seat),
    close: keep,
  }
}
