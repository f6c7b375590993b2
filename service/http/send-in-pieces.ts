import type { ServerResponse } from 'node:http'

/** Size of a piece; bytes. Commonly more than the system takes for a peer that does not read. */
const pieceBytes = 128 * 1024

/**
 * Writes the body of an answer whose head was set, each piece once the one before was taken: what is not read is not
 * copied, as TLS would. `given` is told each piece as it is written: how much of the last one goes out is not known.
 */
export function sendInPieces(answer: ServerResponse, body: Buffer, given: (bytes: number) => void): void {
  const next = (from: number): void => {
    if (from >= body.length) return void answer.end()
    const piece = body.subarray(from, from + pieceBytes)
    given(piece.length)
    answer.write(piece, (error) => {
      if (!error) next(from + piece.length)
    })
  }
  next(0)
}
