import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { readAmf0 } from '../service/media/amf0-reader.ts'
import { ChunkReader, publisherBounds } from '../service/media/rtmp-chunk-reader.ts'
import { ServerHandshake } from '../service/media/rtmp-handshake.ts'
import { rtmpType } from '../service/media/rtmp-message.ts'
import * as answer from '../service/ingest/rtmp-answers.ts'

/**
 * A server for the benchmark of targets: takes every push, and prints a JSON line with the bytes of media so far
 * 4 times a second.
 * `node bench/targets-sink.ts`
 */
let media = 0
let publishers = 0
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined)
  const handshake = new ServerHandshake((bytes) => void socket.write(bytes), randomBytes)
  const chunks = new ChunkReader(({ type, body }) => {
    if (type !== rtmpType.command) return void (media += body.length)
    const [name, transaction] = readAmf0(body)
    const id = Number(transaction)
    if (name === 'connect') socket.write(Buffer.concat([answer.connectPreamble(), answer.connectAccepted(id)]))
    else if (name === 'createStream') socket.write(answer.command(0, '_result', id, null, 1))
    else if (name === 'publish') {
      publishers += 1
      socket.write(answer.publishAccepted())
    }
  }, publisherBounds)
  socket.on('data', (bytes: Buffer) => {
    const used = handshake.done ? 0 : handshake.push(bytes)
    if (used < bytes.length) chunks.push(bytes.subarray(used))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  console.log(JSON.stringify({ event: 'ready', port }))
  setInterval(() => console.log(JSON.stringify({ event: 'media', media, publishers })), 250)
})
