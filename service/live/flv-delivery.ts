import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { flvHeader, writeFlvTag } from '../media/flv-writer.ts'
import type { MediaPacket } from './packet.ts'
import { createReaderQueues, type ReaderQueuesOptions, type ReaderSource } from './reader-queue.ts'

/** What HTTP-FLV needs of the hub. */
export interface FlvHub extends ReaderSource {
  stream(
    cid: string,
  ):
    | { readonly startedAt: number; readonly video: MediaPacket | undefined; readonly audio: MediaPacket | undefined }
    | undefined
}

/** Headers as fastify collects them. */
export type FlvHeaders = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** HTTP-FLV of every channel on air. */
export interface FlvDelivery {
  /** Content-Type of a stream. */
  readonly type: string
  /** Whether the channel is on air. */
  has(cid: string): boolean
  /** Answers the request with the stream until it ends or the reader goes: configurations, the GOP cache, then what comes. `headers` are added to the head. A connection carries one stream. `isOwn` is the app's own preview, which is no viewer. */
  deliver(
    cid: string,
    request: Pick<IncomingMessage, 'socket'>,
    response: Pick<ServerResponse, 'destroyed' | 'socket'>,
    headers: FlvHeaders,
    isOwn?: boolean,
  ): void
  /** Takes every reader off. */
  close(): void
}

/** What it is made of. */
export interface FlvDeliveryOptions {
  readonly hub: FlvHub
  /** Milliseconds of the service's clock. */
  readonly clock: () => number
  /** Milliseconds that only ever pass, for the queues and for waits; the process's own when absent. */
  readonly monotonic?: () => number
  readonly limits?: ReaderQueuesOptions['limits']
  /** How young a stream may be for its missing configurations to be waited for; ms. */
  readonly configurationWait?: number
}

const type = 'video/x-flv'
/** How often a young stream is looked at again; ms. */
const lookEvery = 20
/** How long the last bytes may take after the stream's end; ms. */
const endLimit = 10_000

const unsafe = /[\r\n]/

/** No length and no chunks: the body ends with the connection (RFC 9112 6.3), so that every reader is given the same bytes. */
function head(headers: FlvHeaders): string {
  const lines = ['HTTP/1.1 200 OK', `Content-Type: ${type}`, 'Cache-Control: no-store', 'Connection: close']
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && !unsafe.test(String(one))) lines.push(`${name}: ${one}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Makes HTTP-FLV over the hub. Bytes go to the sockets directly: a response object would copy the work of framing for every reader. */
export function createFlvDelivery({
  hub,
  clock,
  monotonic = () => performance.now(),
  limits,
  configurationWait = 2000,
}: FlvDeliveryOptions): FlvDelivery {
  const queues = createReaderQueues({
    hub,
    kind: 'flv',
    clock: monotonic,
    frame: ({ kind, timestamp, body }) => writeFlvTag(kind, timestamp, body),
    ...(limits && { limits }),
  })
  const sockets = new Set<Socket>()

  const begin = (cid: string, socket: Socket, isOwn: boolean): void => {
    const stream = hub.stream(cid)
    if (!stream) return void socket.end()
    // Players wait for every track that the header promises, so it promises only what is there.
    const known = stream.video !== undefined || stream.audio !== undefined
    socket.write(
      flvHeader({ video: !known || stream.video !== undefined, audio: !known || stream.audio !== undefined }),
    )
    const leave = queues.join(cid, {
      sink: socket,
      stuck: () => void socket.destroy(),
      over() {
        socket.end()
        setTimeout(() => socket.destroy(), endLimit).unref()
      },
      ...(isOwn && { isOwn }),
    })
    if (!leave) return void socket.end()
    socket.once('close', leave)
  }

  return {
    type,
    has: (cid) => hub.stream(cid) !== undefined,
    deliver(cid, { socket }, response, headers, isOwn = false) {
      if (response.destroyed || socket.destroyed) return
      // A second request of a connection that has a stream, or one that was sent before an earlier one was answered: players do neither.
      if (sockets.has(socket) || response.socket !== socket) return void socket.destroy()
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.setTimeout(0)
      socket.write(head(headers), 'latin1')
      const asked = monotonic()
      const complete = (): boolean => {
        const stream = hub.stream(cid)
        if (!stream || (stream.video !== undefined && stream.audio !== undefined)) return true
        // A clock that was set back since the start says for hours that the stream is young.
        return clock() - stream.startedAt >= configurationWait || monotonic() - asked >= configurationWait
      }
      let timer: NodeJS.Timeout | undefined
      if (complete()) begin(cid, socket, isOwn)
      else
        timer = setInterval(() => {
          if (!complete()) return
          clearInterval(timer)
          begin(cid, socket, isOwn)
        }, lookEvery)
      socket.once('close', () => {
        clearInterval(timer)
        sockets.delete(socket)
      })
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
