import type { Clock } from '../../platform/clock.ts'

/** Messages of a connection, and their time in ms, per event-loop turn; far more than an encoder sends in real time. */
export const turnLimits = { messages: 256, time: 4 } as const

/** Limits the work of one connection per turn, by time: detecting turns would cost another turn per read. */
export class TurnShare {
  readonly #clock: Pick<Clock, 'monotonic'>
  #messages = 0
  #until = -Infinity

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Call when bytes arrive and when waiting ones are continued. */
  begin(): void {
    const now = this.#clock.monotonic()
    if (this.#messages < turnLimits.messages && now < this.#until) return
    this.#messages = 0
    this.#until = now + turnLimits.time
  }

  spend(): void {
    this.#messages += 1
  }

  /** True: leave the rest for the next turn. */
  get isSpent(): boolean {
    return this.#messages >= turnLimits.messages || this.#clock.monotonic() >= this.#until
  }
}
