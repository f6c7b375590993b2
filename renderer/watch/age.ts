import type { WatchState } from '../../contract/watch.ts'
import type { Shown } from '../player/transport.ts'

/** How old the picture is. */
export type Age = ReturnType<typeof createAge>

/**
 * How old the picture is: from its arrival at the service to now. Each answer of the service narrows what its clock may
 * be ahead of this one, as its time lies between question and answer.
 */
export function createAge(now: () => number = () => Date.now()) {
  let least = Number.NEGATIVE_INFINITY
  let most = Number.POSITIVE_INFINITY
  let newest: WatchState['newest']

  return {
    /** The service answered to a question of then. */
    answered(state: WatchState, asked: number): void {
      const from = state.time - now()
      const to = state.time - asked
      // Outside of what was possible before: one of the clocks was set, or stood still with the computer.
      const isKnown = from <= most && to >= least
      least = isKnown ? Math.max(least, from) : from
      most = isKnown ? Math.min(most, to) : to
      newest = state.newest
    },
    /** Seconds; undefined while the service has not told enough, or as much may be the clocks alone. */
    of(shown: Shown | undefined): number | undefined {
      if (!shown || !newest || !Number.isFinite(most)) return undefined
      const sent = 'date' in shown ? shown.date : newest.sent + shown.timestamp - newest.timestamp
      const age = (now() + (least + most) / 2 - sent + newest.delay) / 1000
      return Number.isFinite(age) && age >= (most - least) / 2000 ? age : undefined
    },
    /** Seconds by which the streamer keeps everybody behind. */
    delay: (): number => (newest?.delay ?? 0) / 1000,
  }
}
