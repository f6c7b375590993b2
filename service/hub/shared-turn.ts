import type { Clock } from '../../platform/clock.ts'

/** Work of all connections in one event-loop turn, and the pause that begins another turn; ms. */
export const sharedTurnLimits = { time: 8, pause: 1 } as const

/** Limits the work of all connections in one event-loop turn; the rest runs later, in order. */
export class SharedTurn {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #waiting: (() => void)[] = []
  #used = 0
  #worked = -Infinity
  #armed = false

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** True: use `later`. */
  get isSpent(): boolean {
    return this.#used >= sharedTurnLimits.time
  }

  /** Runs a part of the work and counts its time. */
  work(act: () => void): void {
    const began = this.#clock.monotonic()
    // Turns are not detected: that would cost another turn per read.
    if (!this.isSpent && began - this.#worked > sharedTurnLimits.pause) this.#used = 0
    try {
      act()
    } finally {
      this.#worked = this.#clock.monotonic()
      this.#used += this.#worked - began
      if (this.isSpent) this.#arm()
    }
  }

  /** Runs in a later turn that has time left. */
  later(act: () => void): void {
    this.#waiting.push(act)
    this.#arm()
  }

  #arm(): void {
    if (this.#armed) return
    this.#armed = true
    setImmediate(() => {
      this.#armed = false
      this.#used = 0
      // What queues again here has had its share of this turn.
      for (let waiting = this.#waiting.length; waiting > 0 && !this.isSpent; waiting--) this.#waiting.shift()?.()
      if (this.#waiting.length > 0) this.#arm()
    })
  }
}
