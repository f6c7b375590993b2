import type { MediaPacket } from '../live/packet.ts'

/** For how long the way of packets is remembered at least, in ms; twice as long at most. It bridges a network that stood still, and an encoder's clock drifts by no millisecond in it. */
const remembered = 15_000

/**
 * When media of one push were made, by the clock of the service. A network that stands still makes packets late and never early, so the
 * quickest of the last while tell what a timestamp means; what an encoder itself holds back cannot be seen here.
 */
export class PushClock {
  #since = -Infinity
  #least = Infinity
  #before = Infinity

  /** Takes a packet of any track as it arrives. */
  heard({ arrived, timestamp }: Pick<MediaPacket, 'arrived' | 'timestamp'>): void {
    if (Math.abs(arrived - this.#since) >= remembered) {
      this.#before = this.#least
      this.#least = Infinity
      this.#since = arrived
    }
    this.#least = Math.min(this.#least, arrived - timestamp)
  }

  /** Clock of the service in ms at which something with this timestamp was made. Something must have been heard. */
  at(timestamp: number): number {
    return timestamp + Math.min(this.#least, this.#before)
  }
}
