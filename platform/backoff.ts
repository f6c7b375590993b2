/** The first wait and the longest, in ms. */
export interface Waits {
  readonly first: number
  readonly longest: number
}

/** The wait after so many failures beyond the first, in ms: each doubles it, up to the longest. */
export const doubledWait = ({ first, longest }: Waits, failures: number): number =>
  Math.min(longest, first * 2 ** Math.min(failures, 30))

/** The wait after so many before it, as a list has them: the last one goes on. */
export const listedWait = (waits: readonly [number, ...number[]], before: number): number =>
  waits[Math.min(before, waits.length - 1)]!

/** Calls again after waits that grow. */
export interface Backoff {
  /** Calls after the next wait, in the place of a call that is still to come; tells the wait in ms. */
  again(): number
  /** The next wait is the first one once more. A call that is to come stays. */
  reset(): void
  /** No call is to come. */
  stop(): void
}

/** Makes a back-off that waits for nothing yet. `waitOf` tells the wait in ms after so many before it. */
export function createBackoff(
  { after }: { after(ms: number, call: () => void): () => void },
  waitOf: (before: number) => number,
  call: () => void,
): Backoff {
  let waits = 0
  let cancel = (): void => {}
  return {
    again() {
      cancel()
      const ms = waitOf(waits++)
      cancel = after(ms, call)
      return ms
    },
    reset: () => void (waits = 0),
    stop: () => cancel(),
  }
}
