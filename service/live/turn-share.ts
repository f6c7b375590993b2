/** Messages of a connection, and the time for them in ms, in one turn of the event loop; what an encoder sends in real time is far less. */
export const turnLimits = { messages: 256, time: 4 } as const

/**
 * What one connection has left until the event loop must turn. A share lasts until it is spent, or longer than its time: counting the turns themselves
 * would cost one more of them for every read.
 */
export class TurnShare {
  readonly #monotonic: () => number
  #messages = 0
  #until = -Infinity

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  /** To be called when bytes come, which they do in another turn once the share was spent, and when they are gone on with. */
  begin(): void {
    const now = this.#monotonic()
    if (this.#messages < turnLimits.messages && now < this.#until) return
    this.#messages = 0
    this.#until = now + turnLimits.time
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
