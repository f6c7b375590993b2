import type { Clock } from '../clock.ts'

/** A clock that a test moves. */
export interface ManualClock extends Clock {
  /** Moves on, calling back what falls due, in order. */
  move(ms: number): void
  /** Moves on as a computer does that sleeps: what falls due meanwhile is called back with the next move. */
  sleep(ms: number): void
  /** Sets the time of the computer by so many ms; nothing passes by that. */
  set(ms: number): void
  /** Calls that wait. */
  waiting(): number
}

/** Creates a clock that stands still. */
export function manualClock(start = 1_700_000_000_000): ManualClock {
  let now = start
  let off = 0
  let calls: { at: number; call: () => void }[] = []
  return {
    now: () => now + off,
    monotonic: () => now,
    after: (ms, call) => {
      const one = { at: now + ms, call }
      calls.push(one)
      return () => {
        calls = calls.filter((other) => other !== one)
      }
    },
    move: (ms) => {
      const end = now + ms
      for (;;) {
        const next = calls.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        calls = calls.filter((one) => one !== next)
        now = Math.max(now, next.at)
        next.call()
      }
      now = end
    },
    sleep: (ms) => {
      now += ms
    },
    set: (ms) => {
      off += ms
    },
    waiting: () => calls.length,
  }
}
