import type http from 'node:http'

/** Chunks of a body that may be of any size; beyond them they have at least `chunkLeast` bytes on average. Each costs a turn of the parser. */
const maxSmallChunks = 512
/** In bytes. */
const chunkLeast = 128
/** What may still come of a body of unknown length once its answer is out, in chunks and bytes: more than one packet or two is no rest. */
const maxRestChunks = 64
const maxRestBytes = 64 * 1024
/** What is read of a connection that was ended so that its client can read the answer first: bytes, and ms. */
const lingerBytes = 1024 * 1024
const lingerTime = 2000

/** Longest announced body whose rest is awaited after the answer, in bytes, unless a listener says otherwise. */
export const maxAnnounced = 1024 * 1024

/**
 * Ends the connection after the answer that was written: what still comes is dropped unparsed, at most 1 MiB and for 2 s. A connection that
 * is destroyed with bytes that nobody read is reset, and the client may then never see its answer.
 */
function linger(socket: http.IncomingMessage['socket']): void {
  let dropped = 0
  // The parser takes the bytes below the socket until somebody listens for them, and listens itself from then on.
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

/**
 * Bounds the body of a request: small chunks while it comes, whoever reads it, and what comes once the answer is out. A client whose body
 * ends within that keeps its connection; a body with an announced length up to `most` bytes always does. Beyond the bounds `refused` is
 * called and the connection ends, after the answer where one is out.
 */
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
    // The parser gives each chunk to `push`, also where nobody reads the body.
    request.push = (chunk: Buffer | null, encoding) => {
      if (chunk !== null) {
        chunks += 1
        bytes += chunk.length
        if (
          rest
            ? chunks - rest.chunks > maxRestChunks || bytes - rest.bytes > maxRestBytes
            : chunks > maxSmallChunks + bytes / chunkLeast
        )
          over()
      }
      return push(chunk, encoding)
    }
    // A body that was never asked for would be dropped before it comes to `push`.
    response.once('prefinish', () => void (request.complete || request.read(0)))
  }
  response.on('finish', () => {
    if (request.complete || socket.destroyed) return
    rest = { chunks, bytes }
    if (announced !== undefined && announced > most) over()
    else request.resume()
  })
}
