import type { Clock } from '../../platform/clock.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { flvHeader, writeFlvTag, writeFlvTags } from '../media/flv-writer.ts'
import type { LiveStream } from '../hub/hub.ts'
import type { WayCounts } from '../hub/media-counts.ts'
import { PacedSink } from '../hub/paced-sink.ts'
import { createReaderQueues, type ReaderQueuesOptions, type ReaderSource } from '../hub/reader-queue.ts'

/** What HTTP-FLV uses of the hub. */
export interface FlvHub extends ReaderSource {
  stream(cid: string): Pick<LiveStream, 'startedAt' | 'video' | 'audio'> | undefined
}

/** Headers as fastify collects them. */
export type FlvHeaders = Readonly<Record<string, string | number | readonly string[] | undefined>>

const type = 'video/x-flv'
/** Interval of that check; ms. */
const lookEvery = 20
/** Time for the last bytes after the end of a stream; ms. */
const endLimit = 10_000

const unsafe = /[\r\n]/

/** Without length and chunks the body ends with the connection (RFC 9112 6.3), so all players share the same bytes. */
function head(headers: FlvHeaders): string {
  const lines = ['HTTP/1.1 200 OK', `Content-Type: ${type}`, 'Cache-Control: no-store', 'Connection: close']
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && !unsafe.test(String(one))) lines.push(`${name}: ${one}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Makes HTTP-FLV. Writes to the socket: a response object would frame the bytes again for each player. */
export function createFlvDelivery(options: {
  readonly hub: FlvHub
  readonly clock: Clock
  readonly limits?: ReaderQueuesOptions['limits']
  readonly counts?: WayCounts | undefined
  /** Age of a stream up to which missing configurations are waited for; ms. */
  readonly configurationWait?: number
}) {
  const { hub, clock, limits, counts, configurationWait = 2000 } = options
  const queues = createReaderQueues({
    hub,
    kind: 'flv',
    clock,
    frame: ({ kind, timestamp, body }) => writeFlvTag(kind, timestamp, body),
    pack: writeFlvTags,
    counts,
    ...(limits && { limits }),
  })
  const sockets = new Set<Socket>()

  const begin = (cid: string, socket: Socket, sink: PacedSink, isOwn: boolean): void => {
    const stream = hub.stream(cid)
    if (!stream) return void socket.end()
    // Players wait for every track in the FLV header, so it lists only tracks that exist.
    const known = stream.video !== undefined || stream.audio !== undefined
    socket.write(
      flvHeader({ video: !known || stream.video !== undefined, audio: !known || stream.audio !== undefined }),
    )
    const leave = queues.join(cid, {
      sink,
      stuck: () => void socket.destroy(),
      over() {
        sink.end(() => socket.end())
        setTimeout(() => socket.destroy(), endLimit).unref()
      },
      ...(isOwn && { isOwn }),
    })
    if (!leave) return void socket.end()
    socket.once('close', leave)
  }

  return {
    type,
    has: (cid: string) => hub.stream(cid) !== undefined,
    /**
     * Sends configurations, GOP cache, then live packets, until either side ends. `isOwn`: the app's preview. Returns
     * how many bytes of media it was given so far.
     */
    deliver(
      cid: string,
      { socket }: Pick<IncomingMessage, 'socket'>,
      response: Pick<ServerResponse, 'destroyed' | 'socket'>,
      headers: FlvHeaders,
      isOwn: boolean = false,
    ): () => number {
      const sink = new PacedSink(socket, { canCut: true })
      const given = (): number => sink.given
      if (response.destroyed || socket.destroyed) return given
      // A second or pipelined request on a streaming connection; no player does this.
      if (sockets.has(socket) || response.socket !== socket) {
        socket.destroy()
        return given
      }
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.setTimeout(0)
      socket.write(head(headers), 'latin1')
      const asked = clock.monotonic()
      const complete = (): boolean => {
        const stream = hub.stream(cid)
        if (!stream || (stream.video !== undefined && stream.audio !== undefined)) return true
        // If the wall clock was set back, the stream would look young for hours.
        return clock.now() - stream.startedAt >= configurationWait || clock.monotonic() - asked >= configurationWait
      }
      let timer: NodeJS.Timeout | undefined
      if (complete()) begin(cid, socket, sink, isOwn)
      else
        timer = setInterval(() => {
          if (!complete()) return
          clearInterval(timer)
          begin(cid, socket, sink, isOwn)
        }, lookEvery)
      socket.once('close', () => {
        clearInterval(timer)
        sockets.delete(socket)
      })
      return given
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
