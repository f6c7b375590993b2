import { RtmpFault } from '../media/rtmp-message.ts'

/** What a player may send in 10 s; bytes, and chunks. It has nothing to send but acknowledgements and pings. */
const playerBytes = 64 * 1024
const playerChunks = 4096
const playerWindow = 10_000

/** Bounds what a player of RTMP sends. */
export class PlayerInflow {
  readonly #monotonic: () => number
  readonly #chunks: { allowance: number }
  #taken = 0
  #since = 0

  constructor(monotonic: () => number, chunks: { allowance: number }) {
    this.#monotonic = monotonic
    this.#chunks = chunks
  }

  /** Counts bytes that came. Throws RtmpFault when they are more than a player has to send. */
  take(length: number): void {
    const now = this.#monotonic()
    if (now - this.#since >= playerWindow) {
      this.#since = now
      this.#taken = 0
      this.#chunks.allowance = playerChunks
    }
    this.#taken += length
    if (this.#taken > playerBytes) throw new RtmpFault('a player sends too much')
  }
}
