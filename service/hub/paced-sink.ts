import type { Socket } from 'node:net'
import type { ReaderSink } from './reader-queue-output.ts'

/** Most that is given to a socket in one piece, where parts may be cut; bytes. */
const pieceBytes = 128 * 1024

/** What is used of a socket. */
export type PacedSocket = Pick<
  Socket,
  'write' | 'cork' | 'uncork' | 'writableLength' | 'writableHighWaterMark' | 'destroyed' | 'on' | 'once'
>

/**
 * Gives a socket no more than it takes: the rest waits here, where all readers share the bytes, while TLS copies what
 * it was given. It also counts that, without what others write to the socket.
 */
export class PacedSink implements ReaderSink {
  readonly #socket: PacedSocket
  readonly #piece: number
  /** Not given yet, in order; from `#next` on. */
  #held: Uint8Array[] = []
  #next = 0
  #heldBytes = 0
  #given = 0
  #ended: (() => void) | undefined

  /** `canCut`: nothing else is written to the socket, so that a part may be given in pieces. */
  constructor(socket: PacedSocket, { canCut }: { readonly canCut: boolean }) {
    this.#socket = socket
    this.#piece = canCut ? pieceBytes : Infinity
    socket.on('drain', () => this.#goOn())
    socket.once('close', () => this.clear())
  }

  get writableLength(): number {
    return this.#heldBytes + this.#socket.writableLength
  }

  /** Bytes that the socket was given; how much of the last piece goes out is not known. */
  get given(): number {
    return this.#given
  }

  write(bytes: Uint8Array): boolean {
    if (this.#socket.destroyed) return false
    if (this.#heldBytes === 0 && bytes.length <= this.#piece && !this.#isFull) {
      this.#pass(bytes)
      return true
    }
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    this.#give()
    return this.#heldBytes === 0
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  /** Calls `done` once everything was given; nothing is written after it. */
  end(done: () => void): void {
    if (this.#heldBytes === 0) done()
    else this.#ended = done
  }

  /** Whether it has so much that it tells when it has drained. */
  get #isFull(): boolean {
    return this.#socket.writableLength >= this.#socket.writableHighWaterMark
  }

  #pass(bytes: Uint8Array): void {
    this.#given += bytes.length
    this.#socket.write(bytes)
  }

  /** Leaves out what was not given yet. */
  clear(): void {
    if (this.#held.length > 0) this.#held = []
    this.#next = 0
    this.#heldBytes = 0
  }

  #give(): void {
    while (this.#next < this.#held.length && !this.#isFull) {
      let part = this.#held[this.#next]!
      if (part.length > this.#piece) {
        this.#held[this.#next] = part.subarray(this.#piece)
        part = part.subarray(0, this.#piece)
      } else this.#next++
      this.#heldBytes -= part.length
      this.#pass(part)
    }
    if (this.#heldBytes === 0) this.clear()
  }

  #goOn(): void {
    if (this.#heldBytes > 0) {
      this.#socket.cork()
      this.#give()
      this.#socket.uncork()
    }
    if (this.#heldBytes > 0) return
    const done = this.#ended
    this.#ended = undefined
    done?.()
  }
}
