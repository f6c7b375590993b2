import type { Clock } from './clock.ts'

/** Allowed deviation from elapsed time, in ms: more than slewing and drift. */
const slack = 5 * 60_000
/** How long a clock that jumped ahead must run before it is trusted, in ms. */
const settleTime = 24 * 3600 * 1000

/** Time in ms for deciding what is old enough to delete: a clock that jumps ahead is trusted after a day of running. */
export function createAgeClock(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  let base = { time: clock.now(), passed: clock.monotonic() }
  /** The clock when it jumped. */
  let jump: typeof base | undefined
  return () => {
    const here = { time: clock.now(), passed: clock.monotonic() }
    const after = ({ time, passed }: typeof base): number => time + here.passed - passed
    // In whole ms, as the clock: it goes into queries of whole numbers.
    const expected = Math.round(after(base))
    if (here.time <= expected + slack) {
      jump = undefined
      base = here
      return here.time
    }
    if (!jump || Math.abs(here.time - after(jump)) > slack) jump = here
    if (here.passed - jump.passed < settleTime) return expected
    jump = undefined
    base = here
    return here.time
  }
}
