import type http from 'node:http'

/** Chunks of any size in a body; beyond them the average must be `minChunk` bytes. Each chunk costs a parser call. */
const maxSmallChunks = 512
/** In bytes. */
const minChunk = 128
/** Rest of a body of unknown length after its answer, in chunks and bytes: about two packets. */
const maxRestChunks = 64
const maxRestBytes = 64 * 1024
/** Input read after the end, so that the client can read the answer: bytes, and ms. */
const lingerBytes = 1024 * 1024
const lingerTime = 2000

/** Default longest announced body whose rest is awaited after the answer, in bytes. */
export const maxAnnounced = 1024 * 1024

/** Ends after the answer, dropping up to 1 MiB and 2 s of input: a reset by unread data could lose the answer. */
function linger(socket: http.IncomingMessage['socket']): void {
  let dropped = 0
  // The HTTP parser reads below the socket until there is a listener for 'data', and uses one itself from then on.
  const drop = (bytes: Buffer): void => {
    dropped += bytes.length
    if (dropped > lingerBytes) socket.destroy()
  }
  socket.on('data', drop)
  for (const listener of socket.listeners('data')) if (listener !== drop) socket.off('data', listener as typeof drop)
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerTime)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Limits small chunks of a body, and what follows the answer; `most` is the longest announced rest that is awaited. */
export function boundRequestBody(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  most: number,
  refused: () => void,
): void {
  const { socket, headers } = request
  const announced = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined
  if (announced === 0) return
  let [chunks, bytes] = [0, 0]
  let rest: { readonly chunks: number; readonly bytes: number } | undefined
  let isOver = false
  const over = (): void => {
    if (isOver) return
    isOver = true
    refused()
    if (rest) linger(socket)
    else socket.destroy()
  }
  if (announced === undefined) {
    const push = request.push.bind(request)
    // The parser pushes each chunk, even if nobody reads.
    request.push = (chunk: Buffer | null, encoding) => {
      if (chunk !== null) {
        chunks += 1
        bytes += chunk.length
        if (
          rest
            ? chunks - rest.chunks > maxRestChunks || bytes - rest.bytes > maxRestBytes
            : chunks > maxSmallChunks + bytes / minChunk
        )
          over()
      }
      return push(chunk, encoding)
    }
    // An unread body would be discarded before `push`.
    response.once('prefinish', () => void (request.complete || request.read(0)))
  }
  response.on('finish', () => {
    if (request.complete || socket.destroyed) return
    rest = { chunks, bytes }
    if (announced !== undefined && announced > most) over()
    else request.resume()
  })
}
