/** Timers that ring when a test moves the clock. */
export interface ManualTime {
  readonly clock: () => number
  readonly after: (ms: number, call: () => void) => () => void
  /** Moves the clock, ringing what falls due on the way in order. */
  advance(ms: number): void
}

/** Makes a clock that stands still until it is moved. */
export function manualTime(start = 1_800_000_000_000): ManualTime {
  let now = start
  const timers = new Set<{ readonly at: number; readonly call: () => void }>()
  return {
    clock: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call }
      timers.add(timer)
      // Nothing that is due now may wait for the test to move the clock.
      if (ms <= 0) setImmediate(() => timers.delete(timer) && call())
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const until = now + ms
      for (;;) {
        const next = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.call()
      }
      now = until
    },
  }
}
