import type { MediaPacket } from '../timeline/packet.ts'

/** Window for the minimum network delay, in ms. Bridges stalls; an encoder drifts by less than 1 ms within it. */
const remembered = 15_000

/** A delay that changes by more from one packet to the next is a clock of the computer that was set; ms. */
export const clockSet = 300_000

/** Estimates the wall clock of capture: the network only delays packets, so the least delayed of the window decides. */
export class PushClock {
  #since = -Infinity
  #newest = Infinity
  #least = Infinity
  #before = Infinity

  /** Takes a packet of any track on arrival. */
  heard({ arrived, timestamp }: Pick<MediaPacket, 'arrived' | 'timestamp'>): void {
    const delay = arrived - timestamp
    if (Math.abs(delay - this.#newest) > clockSet) {
      // What was heard by the clock before says nothing any more, also where that was the wrong one.
      this.#least = Infinity
      this.#before = Infinity
      this.#since = arrived
    } else if (Math.abs(arrived - this.#since) >= remembered) {
      this.#before = this.#least
      this.#least = Infinity
      this.#since = arrived
    }
    this.#newest = delay
    this.#least = Math.min(this.#least, delay)
  }

  /** Capture time of a timestamp in ms since 1970; needs an earlier `heard`. */
  at(timestamp: number): number {
    return timestamp + Math.min(this.#least, this.#before)
  }
}
