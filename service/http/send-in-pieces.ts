import type { ServerResponse } from 'node:http'

/** Size of a piece; bytes. Commonly more than the system takes for a peer that does not read. */
const pieceBytes = 128 * 1024

/**
 * Writes the body of an answer whose head was set, each piece once the one before was taken: what is not read is
 * neither copied, as TLS would, nor told to `taken`.
 */
export function sendInPieces(answer: ServerResponse, body: Buffer, taken: (bytes: number) => void): void {
  const next = (from: number): void => {
    if (from >= body.length) return void answer.end()
    const piece = body.subarray(from, from + pieceBytes)
    answer.write(piece, (error) => {
      if (error) return
      taken(piece.length)
      next(from + piece.length)
    })
  }
  next(0)
}
