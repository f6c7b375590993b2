/** Timers that run when a test advances the clock. */
export interface ManualTime {
  readonly clock: () => number
  readonly after: (ms: number, call: () => void) => () => void
  /** Advances the clock and runs due timers in order. */
  advance(ms: number): void
}

/** Makes a stopped clock. */
export function manualTime(start = 1_800_000_000_000): ManualTime {
  let now = start
  const timers = new Set<{ readonly at: number; readonly call: () => void }>()
  return {
    clock: () => now,
    after(ms, call) {
      const timer = { at: now + ms, call }
      timers.add(timer)
      // What is due now must not wait for the test.
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
