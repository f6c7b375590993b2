import type { Clock } from '../../platform/clock.ts'
import { RtmpFault } from './rtmp-message.ts'

/** Bytes and chunks in 10 s. */
const maxBytes = 64 * 1024
const maxChunks = 4096
const window = 10_000

/** What a peer did that sends more. */
export const inflowFault = (): RtmpFault => new RtmpFault('the peer sends too much')

/** Limits what a peer sends that takes media, as a player or a target: it needs acknowledgements and pings only. */
export class PeerInflow {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #chunks: { allowance: number }
  #taken = 0
  #since = 0

  constructor(clock: Pick<Clock, 'monotonic'>, chunks: { allowance: number }) {
    this.#clock = clock
    this.#chunks = chunks
  }

  /** Counts received bytes; how many of them are within the limit. */
  count(length: number): number {
    const now = this.#clock.monotonic()
    if (now - this.#since >= window) {
      this.#since = now
      this.#taken = 0
      this.#chunks.allowance = maxChunks
    }
    const within = Math.min(length, Math.max(0, maxBytes - this.#taken))
    this.#taken += length
    return within
  }

  /** As `count`; throws RtmpFault beyond the limit. */
  take(length: number): void {
    if (this.count(length) < length) throw inflowFault()
  }
}
