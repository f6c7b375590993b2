import { systemClock, type Clock } from '../clock.ts'

/** A clock that a test advances. */
export interface ManualClock extends Clock {
  /** Advances the clock and runs due calls in order. */
  advance(ms: number): void
  /** Advances the clock as a computer does that sleeps: what falls due meanwhile is called with the next advance. */
  sleep(ms: number): void
  /** Sets the time of the computer by so many ms; nothing passes by that. */
  set(ms: number): void
  /** Calls that wait. */
  waiting(): number
}

/** Creates a clock that stands still. A call that is due at once runs in the next turn, without an advance. */
export function manualClock(start = 1_800_000_000_000): ManualClock {
  let passed = start
  let off = 0
  const calls = new Set<{ readonly at: number; readonly call: () => void }>()
  return {
    now: () => passed + off,
    monotonic: () => passed,
    after: (ms, call) => {
      const one = { at: passed + ms, call }
      calls.add(one)
      if (ms <= 0) setImmediate(() => calls.delete(one) && call())
      return () => void calls.delete(one)
    },
    advance: (ms) => {
      const end = passed + ms
      for (;;) {
        const next = [...calls].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        calls.delete(next)
        passed = Math.max(passed, next.at)
        next.call()
      }
      passed = end
    },
    sleep: (ms) => {
      passed += ms
    },
    set: (ms) => {
      off += ms
    },
    waiting: () => calls.size,
  }
}

/** A clock whose wall time a test advances; timers and monotonic time are the computer's. */
export interface ManualWallClock extends Clock {
  advance(ms: number): void
}

/** Creates one whose wall time stands still. */
export function manualWallClock(start = 1_800_000_000_000): ManualWallClock {
  let now = start
  return { ...systemClock, now: () => now, advance: (ms) => void (now += ms) }
}
