import { initialChunkSize, type RtmpMessage } from './rtmp-message.ts'

const extendedMark = 0xffffff

/** Length of a message in chunks. */
const lengthOf = ({ timestamp, body }: RtmpMessage, chunkSize: number): number => {
  const more = Math.max(0, Math.ceil(body.length / chunkSize) - 1)
  const repeat = timestamp >>> 0 >= extendedMark ? 5 : 1
  return 11 + repeat + body.length + more * repeat
}

/** Writes at an offset; returns the offset behind. */
function writeAt(
  bytes: Buffer,
  start: number,
  { type, streamId, timestamp, body }: RtmpMessage,
  chunkStream: number,
  chunkSize: number,
): number {
  const time = timestamp >>> 0
  const extended = time >= extendedMark
  bytes[start] = chunkStream
  bytes.writeUIntBE(extended ? extendedMark : time, start + 1, 3)
  bytes.writeUIntBE(body.length, start + 4, 3)
  bytes[start + 7] = type
  bytes.writeUInt32LE(streamId, start + 8)
  let at = start + 12
  if (extended) at = bytes.writeUInt32BE(time, at)
  for (let from = 0; ; from += chunkSize) {
    at += body.copy(bytes, at, from, from + chunkSize)
    if (from + chunkSize >= body.length) return at
    bytes[at++] = 0xc0 | chunkStream
    // 5.3.1.3: format 3 chunks have the extended timestamp as well.
    if (extended) at = bytes.writeUInt32BE(time, at)
  }
}

/** A message and its chunk stream. */
export interface ChunkedMessage {
  readonly message: RtmpMessage
  readonly chunkStream: number
}

/** Writes format 0 chunks, which need no earlier bytes, to one Buffer: peers with the same `chunkSize` can share it. */
export function writeMessages(messages: readonly ChunkedMessage[], chunkSize: number): Buffer {
  const bytes = Buffer.allocUnsafe(messages.reduce((sum, { message }) => sum + lengthOf(message, chunkSize), 0))
  let at = 0
  for (const { message, chunkStream } of messages) at = writeAt(bytes, at, message, chunkStream, chunkSize)
  return bytes
}

/** Writes one message in format 0 chunks. */
export const writeChunks = (message: RtmpMessage, chunkStream: number, chunkSize: number = initialChunkSize): Buffer =>
  writeMessages([{ message, chunkStream }], chunkSize)

/** Body of a control message of one 32-bit number (RTMP 1.0, 5.4). */
export function numberBody(value: number): Buffer {
  const body = Buffer.allocUnsafe(4)
  body.writeUInt32BE(value)
  return body
}

/** Body of a user control message (RTMP 1.0, 7.1.7). */
export function userControlBody(event: number, value: number): Buffer {
  const body = Buffer.allocUnsafe(6)
  body.writeUInt16BE(event)
  body.writeUInt32BE(value, 2)
  return body
}
