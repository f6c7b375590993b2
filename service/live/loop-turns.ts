/** Messages of a connection, and the time for them in ms, in one turn of the event loop; what an encoder sends in real time is far less. */
export const turnLimits = { messages: 256, time: 4 } as const

/** Numbers the turns of the event loop, so that work can be counted within each. */
export interface LoopTurns {
  /** The number of the turn that runs now. */
  now(): number
}

/** Makes it. It costs nothing while nobody asks. */
export function createLoopTurns(): LoopTurns {
  let number = 0
  let isDue = false
  const next = (): void => {
    isDue = false
    number += 1
  }
  return {
    now() {
      if (!isDue) {
        isDue = true
        setImmediate(next)
      }
      return number
    },
  }
}

/** What one connection has left of the turn that runs now. */
export class TurnShare {
  readonly #turns: LoopTurns
  readonly #monotonic: () => number
  #turn = -1
  #messages = 0
  #until = 0

  constructor(turns: LoopTurns, monotonic: () => number) {
    this.#turns = turns
    this.#monotonic = monotonic
  }

  /** To be called when bytes come or are gone on with: it may be another turn. */
  begin(): void {
    const turn = this.#turns.now()
    if (turn === this.#turn) return
    this.#turn = turn
    this.#messages = 0
    this.#until = this.#monotonic() + turnLimits.time
  }

  /** Counts a message that was taken. */
  spend(): void {
    this.#messages += 1
  }

  /** Nothing is left: the rest is for the next turn. */
  get isSpent(): boolean {
    return this.#messages >= turnLimits.messages || this.#monotonic() >= this.#until
  }
}
