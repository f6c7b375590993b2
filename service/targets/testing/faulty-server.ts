import { createServer, type Socket } from 'node:net'
import { randomBytes } from 'node:crypto'
import { readAmf0 } from '../../media/amf0-reader.ts'
import { ChunkReader, publisherBounds } from '../../media/rtmp-chunk-reader.ts'
import { ServerHandshake } from '../../media/rtmp-handshake.ts'
import { userControlBody, writeChunks } from '../../media/rtmp-chunk-writer.ts'
import { rtmpType, userControl } from '../../media/rtmp-message.ts'
import * as answer from '../../ingest/rtmp-answers.ts'

/** How a server fails. */
export type Fault =
  | 'refusesKey'
  | 'silent'
  | 'garbage'
  | 'closesMidFrame'
  | 'neverReads'
  | 'onlyAsks'
  | 'sendsNothings'
  | 'none'

/** Bytes that are sent at once. */
const atOnce = 64 * 1024

/** A server that takes what a target sends until it fails as asked. */
export interface FaultyServer {
  readonly url: string
  fault: Fault
  /** Connections so far, and bytes of media that the last one sent. */
  connections: number
  media: number
  /** Called with each video message. */
  onVideo: ((body: Buffer) => void) | undefined
  /** What publishers said, by their command names. */
  readonly said: string[]
  /** Stream keys that it was given. */
  readonly keys: string[]
  close(): Promise<void>
}

const pingRequest = userControlBody(userControl.pingRequest, 1)

/** What it says to a key that it refuses; with the key, as some servers do. */
export const refusalText = (key: string): string => `Stream key ${key} is unknown.`

/** Starts one on a free port. */
export async function startFaultyServer(): Promise<FaultyServer> {
  const sockets = new Set<Socket>()
  const state: Omit<FaultyServer, 'url' | 'close'> = {
    fault: 'none',
    connections: 0,
    media: 0,
    said: [],
    keys: [],
    onVideo: undefined,
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    state.connections += 1
    state.media = 0
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => undefined)
    if (state.fault === 'silent') return
    if (state.fault === 'garbage') return void socket.end(Buffer.alloc(4000, 0x55))
    const handshake = new ServerHandshake((bytes) => void socket.write(bytes), randomBytes)
    const chunks = new ChunkReader(({ type, body }) => {
      if (type === rtmpType.audio || type === rtmpType.video) {
        state.media += body.length
        if (type === rtmpType.video) state.onVideo?.(body)
        if (state.fault === 'neverReads') socket.pause()
        if (state.fault === 'closesMidFrame' && state.media > 20_000) socket.resetAndDestroy()
        return
      }
      if (type !== rtmpType.command) return
      const [name, transaction, , key] = readAmf0(body)
      if (typeof name === 'string') state.said.push(name)
      const id = Number(transaction)
      if (name === 'connect') {
        socket.write(Buffer.concat([answer.connectPreamble(), answer.connectAccepted(id)]))
      } else if (name === 'createStream') socket.write(answer.command(0, '_result', id, null, 1))
      else if (name === 'publish') {
        if (typeof key === 'string') state.keys.push(key)
        const told =
          state.fault === 'refusesKey'
            ? answer.status('error', 'NetStream.Publish.BadName', refusalText(typeof key === 'string' ? key : ''))
            : answer.publishAccepted()
        if (state.fault !== 'onlyAsks' && state.fault !== 'sendsNothings') return void socket.write(told)
        // Asks whether the client is there, and reads nothing of what it answers; or sends messages of no bytes.
        if (state.fault === 'onlyAsks') socket.pause()
        const asked = state.fault === 'onlyAsks' ? pingRequest : Buffer.alloc(0)
        const one = writeChunks({ type: rtmpType.userControl, streamId: 0, timestamp: 0, body: asked }, 2)
        // After the first, a header is of one byte.
        const next = state.fault === 'onlyAsks' ? one : Buffer.from([0xc2])
        const many = Buffer.concat([one, ...Array.from({ length: atOnce / next.length }, () => next)])
        const ask = (): void => {
          while (!socket.destroyed && socket.write(many)) continue
        }
        socket.on('drain', ask)
        // With the answer, so that both are read at once.
        socket.write(Buffer.concat([told, many]))
        ask()
      }
    }, publisherBounds)
    socket.on('data', (bytes: Buffer) => {
      const used = handshake.done ? 0 : handshake.push(bytes)
      if (used < bytes.length) chunks.push(bytes.subarray(used))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return Object.assign(state, {
    url: `rtmp://127.0.0.1:${port}/app`,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  })
}
