import { isProxyHeader } from '../../platform/proxy-header.ts'
import { RtmpFault } from './rtmp-message.ts'

/** Length of C1, C2, S1 and S2 (RTMP 1.0, 5.2.3). */
export const handshakeLength = 1536
const version = 3
const untrustedProxy = 'a PROXY header of a peer that is not trusted as a proxy: name it with --trust-proxy'

/** Server side. Offers of the digest form get the plain one, accepted when the version field is zero. */
export class ServerHandshake {
  readonly #answer: (bytes: Buffer) => void
  readonly #random: (length: number) => Buffer
  readonly #gathered = Buffer.allocUnsafe(1 + handshakeLength)
  #length = 0
  #answered = false
  /** C2 was received: chunks follow. */
  done = false

  /** `answer` sends S0, S1 and S2. */
  constructor(answer: (bytes: Buffer) => void, random: (length: number) => Buffer) {
    this.#answer = answer
    this.#random = random
  }

  /** Returns the bytes that belong to the handshake; throws `RtmpFault` on another version. */
  push(bytes: Buffer): number {
    let at = 0
    while (!this.done && at < bytes.length) {
      const due = this.#answered ? handshakeLength : 1 + handshakeLength
      const count = Math.min(due - this.#length, bytes.length - at)
      bytes.copy(this.#gathered, this.#length, at, at + count)
      this.#length += count
      at += count
      if (!this.#answered && this.#gathered[0] !== version)
        throw new RtmpFault(
          isProxyHeader(this.#gathered.subarray(0, this.#length)) ? untrustedProxy : 'not an RTMP handshake',
        )
      if (this.#length < due) break
      this.#length = 0
      if (this.#answered) this.done = true
      else {
        this.#answered = true
        const first = Buffer.concat([Buffer.alloc(8), this.#random(handshakeLength - 8)])
        this.#answer(Buffer.concat([Buffer.from([version]), first, this.#gathered.subarray(1)]))
      }
    }
    return at
  }
}
