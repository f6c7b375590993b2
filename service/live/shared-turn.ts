/** Work of all connections together in one turn of the event loop, in ms; and the pause after which work is of another turn. */
export const sharedTurnLimits = { time: 8, pause: 1 } as const

/**
 * What all connections together have of a turn of the event loop. Each has its own share (`TurnShare`); without this, as many as read in one turn would
 * have as many shares of it. What is left over comes in the order in which it waits.
 */
export class SharedTurn {
  readonly #monotonic: () => number
  readonly #waiting: (() => void)[] = []
  #used = 0
  #worked = -Infinity
  #armed = false

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** Nothing is left: what comes now is for `later`. */
  get isSpent(): boolean {
    return this.#used >= sharedTurnLimits.time
  }

  /** Does a part of the work, and counts its time. */
  work(act: () => void): void {
    const began = this.#monotonic()
    // The turns are not counted themselves: that would cost one more of them for every read.
    if (!this.isSpent && began - this.#worked > sharedTurnLimits.pause) this.#used = 0
    try {
      act()
    } finally {
      this.#worked = this.#monotonic()
      this.#used += this.#worked - began
      if (this.isSpent) this.#arm()
    }
  }

  /** Goes on with something in a later turn that has something left. */
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
      // What waits again meanwhile has had its share of this turn.
      for (let waiting = this.#waiting.length; waiting > 0 && !this.isSpent; waiting--) this.#waiting.shift()?.()
      if (this.#waiting.length > 0) this.#arm()
    })
  }
}
