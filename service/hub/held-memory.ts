/** Overhead of keeping a packet or a Buffer, besides its memory; bytes. */
export const costPerPiece = 256

/** Counts the memory that Buffers retain: a small slice retains its whole ArrayBuffer. */
export class HeldMemory {
  #blocks = new Set<ArrayBufferLike>()

  /** Bytes added by this piece; 0 if an earlier piece retains the same ArrayBuffer. */
  add({ buffer, length }: Buffer): number {
    const { byteLength } = buffer
    // It is most of its ArrayBuffer, so no other large piece shares it.
    if (length * 2 >= byteLength) return byteLength
    if (this.#blocks.has(buffer)) return 0
    this.#blocks.add(buffer)
    return byteLength
  }

  clear(): void {
    // V8 keeps what was in a set that is cleared: its old table is held by the one before, which the young generation's
    // collector takes for alive once it is old. So all media would wait for a full collection.
    this.#blocks = new Set()
  }
}

/** Memory that pieces retain together, with their overhead; bytes. */
export function heldBytes(pieces: readonly Buffer[]): number {
  const held = new HeldMemory()
  return pieces.reduce((sum, piece) => sum + held.add(piece) + costPerPiece, 0)
}
