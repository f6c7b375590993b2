/** What a packet or a piece of bytes costs to keep beside the memory of its bytes. */
export const costPerPiece = 256

/** Counts the memory that kept bytes really hold: a small piece of a large block of memory holds the whole block. */
export class HeldMemory {
  readonly #blocks = new Set<ArrayBufferLike>()

  /** Bytes that keeping this piece adds: its block, unless an earlier piece holds that already. */
  add({ buffer, length }: Buffer): number {
    const { byteLength } = buffer
    // Most of a block: it has it for itself, and is not worth remembering.
    if (length * 2 >= byteLength) return byteLength
    if (this.#blocks.has(buffer)) return 0
    this.#blocks.add(buffer)
    return byteLength
  }

  /** Forgets all pieces. */
  clear(): void {
    this.#blocks.clear()
  }
}

/** Memory that pieces hold together, with what each costs beside it; bytes. */
export function heldBytes(pieces: readonly Buffer[]): number {
  const held = new HeldMemory()
  return pieces.reduce((sum, piece) => sum + held.add(piece) + costPerPiece, 0)
}
