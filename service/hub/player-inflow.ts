import type { Clock } from '../../platform/clock.ts'
import { RtmpFault } from '../media/rtmp-message.ts'

/** Bytes and chunks from a player in 10 s. It needs to send only acknowledgements and pings. */
const playerBytes = 64 * 1024
const playerChunks = 4096
const playerWindow = 10_000

/** Limits what an RTMP player sends. */
export class PlayerInflow {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #chunks: { allowance: number }
  #taken = 0
  #since = 0

  constructor(clock: Pick<Clock, 'monotonic'>, chunks: { allowance: number }) {
    this.#clock = clock
    this.#chunks = chunks
  }

  /** Counts received bytes; throws RtmpFault beyond the limit. */
  take(length: number): void {
    const now = this.#clock.monotonic()
    if (now - this.#since >= playerWindow) {
      this.#since = now
      this.#taken = 0
      this.#chunks.allowance = playerChunks
    }
    this.#taken += length
    if (this.#taken > playerBytes) throw new RtmpFault('a player sends too much')
  }
}
