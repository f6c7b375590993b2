/** Longest payload for each form of the header (RFC 6455, 5.2). */
const short = 125
const middle = 0xffff
const finalText = 0x81

/** A ping frame without payload. */
export const pingFrame = Buffer.from([0x89, 0])

/** Frames a text for any number of connections: server frames are unmasked and uncompressed, so the bytes are equal. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const head = length <= short ? 2 : length <= middle ? 4 : 10
  const frame = Buffer.allocUnsafeSlow(head + length)
  frame[0] = finalText
  if (head === 2) frame[1] = length
  else if (head === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, head)
  return frame
}
