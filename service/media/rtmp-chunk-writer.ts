import { initialChunkSize, type RtmpMessage } from './rtmp-message.ts'

const extendedMark = 0xffffff

/** Writes format 0 chunks, which need no earlier bytes: peers with the same `chunkSize` can share them. */
export function writeChunks(
  { type, streamId, timestamp, body }: RtmpMessage,
  chunkStream: number,
  chunkSize: number = initialChunkSize,
): Buffer {
  const time = timestamp >>> 0
  const extended = time >= extendedMark
  const more = Math.max(0, Math.ceil(body.length / chunkSize) - 1)
  const repeat = extended ? 5 : 1
  const bytes = Buffer.allocUnsafe(11 + repeat + body.length + more * repeat)
  bytes[0] = chunkStream
  bytes.writeUIntBE(extended ? extendedMark : time, 1, 3)
  bytes.writeUIntBE(body.length, 4, 3)
  bytes[7] = type
  bytes.writeUInt32LE(streamId, 8)
  let at = 12
  if (extended) at = bytes.writeUInt32BE(time, at)
  for (let from = 0; ; from += chunkSize) {
    at += body.copy(bytes, at, from, from + chunkSize)
    if (from + chunkSize >= body.length) return bytes
    bytes[at++] = 0xc0 | chunkStream
    // 5.3.1.3: format 3 chunks have the extended timestamp as well.
    if (extended) at = bytes.writeUInt32BE(time, at)
  }
}

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
