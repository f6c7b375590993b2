/** First and longest delay, in ms. */
export interface Waits {
  readonly first: number
  readonly longest: number
}

/** Exponential delay in ms after some failures beyond the first, up to the longest. */
export const doubledWait = ({ first, longest }: Waits, failures: number): number =>
  Math.min(longest, first * 2 ** Math.min(failures, 30))

/** Delay from a list, whose last one repeats. */
export const listedWait = (waits: readonly [number, ...number[]], before: number): number =>
  waits[Math.min(before, waits.length - 1)]!

/** Retries with growing delays; `waitOf` gives the delay in ms after some earlier ones. */
export function createBackoff(
  { after }: { after(ms: number, call: () => void): () => void },
  waitOf: (before: number) => number,
  call: () => void,
) {
  let waits = 0
  let cancel = (): void => {}
  return {
    /** Schedules a call after the next delay, replacing a scheduled one; returns the delay in ms. */
    again() {
      cancel()
      const ms = waitOf(waits++)
      cancel = after(ms, call)
      return ms
    },
    /** The next delay is the first again; a scheduled call stays. */
    reset: () => void (waits = 0),
    stop: () => cancel(),
  }
}
