import { connect, type Socket } from 'node:net'

/** A text frame of a client, masked with zeros; for texts below 64 KiB. */
export function clientFrame(text: string): Buffer {
  const body = Buffer.from(text)
  const head =
    body.length <= 125
      ? Buffer.from([0x81, 0x80 | body.length])
      : Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255])
  return Buffer.concat([head, Buffer.alloc(4), body])
}

/** A pong without payload. */
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])
/** Reads frames of a server; `got` is given the text of each, valid until it returns. */
function createFrameReader(got: (text: Buffer) => void, pinged: () => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (;;) {
      if (bytes.length < 2) break
      const short = bytes[1]! & 0x7f
      const head = short < 126 ? 2 : short === 126 ? 4 : 10
      if (bytes.length < head) break
      const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
      if (bytes.length < head + length) break
      const kind = bytes[0]! & 0x0f
      if (kind === 1) got(bytes.subarray(head, head + length))
      else if (kind === 9) pinged()
      bytes = bytes.subarray(head + length)
    }
    rest = bytes.length > 0 ? Buffer.from(bytes) : Buffer.alloc(0)
  }
}

/** What a load client is told; after `failed` nothing more. */
export interface LoadSocketEvents {
  opened(socket: Socket): void
  text(text: Buffer): void
  failed(error: Error): void
}

/**
 * Opens a WebSocket with as little as it takes, so that a client of a measurement costs little beside the server: the server's word is not checked.
 */
export function openLoadSocket(address: string, { opened, text, failed }: LoadSocketEvents): void {
  const url = new URL(address)
  const socket = connect(Number(url.port), url.hostname)
  socket.setNoDelay(true)
  socket.on('error', failed)
  socket.on('close', () => failed(new Error('a client was cut')))
  const read = createFrameReader(text, () => socket.write(pong))
  let isOpen = false
  socket.on('data', (chunk) => {
    if (isOpen) return read(chunk)
    if (!chunk.toString('latin1', 0, 12).endsWith(' 101')) return failed(new Error(chunk.toString('latin1', 0, 40)))
    const end = chunk.indexOf('\r\n\r\n')
    isOpen = true
    opened(socket)
    if (end + 4 < chunk.length) read(chunk.subarray(end + 4))
  })
  socket.write(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  )
}
