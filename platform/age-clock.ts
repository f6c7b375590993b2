/** How far the clock may be from where it should be after the time that passed, in ms: slewing and drift are less. */
const slack = 5 * 60_000
/** How long a clock that jumped ahead must go on from there before it is believed, in ms of running. */
const settleTime = 24 * 3600 * 1000

/**
 * The time by which things are old enough to be deleted, in ms: that of the clock, but a clock that jumps ahead while the process runs is not
 * believed for a day of running. Until then this time goes on as if the clock had not jumped, so that what a wrong clock calls old is still
 * there when it is set right. A clock that is set back is followed at once: nothing is deleted by that. A sleep of the computer may look
 * like a jump, which delays deletion by a day at most.
 */
export function createAgeClock(clock: () => number, monotonic: () => number): () => number {
  let base = { time: clock(), passed: monotonic() }
  /** Where the clock was when it jumped ahead. */
  let jump: typeof base | undefined
  return () => {
    const here = { time: clock(), passed: monotonic() }
    const after = ({ time, passed }: typeof base): number => time + here.passed - passed
    const expected = after(base)
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
