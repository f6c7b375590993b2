import type { Clock } from '../../platform/clock.ts'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { linkClose, linkLimits } from '../../contract/link/frames.ts'
import type { Client } from '../http/clients.ts'
import { pingFrame, textFrame } from './frame.ts'

/** Window of `framesIn10s`, in ms. */
const rateWindow = 10_000

/** Counts frames of a connection; false beyond `framesIn10s` in any 10 s. */
function createFrameRate(clock: Pick<Clock, 'monotonic'>): () => boolean {
  // Ring of times, allocated with the first frame: many connections only listen.
  let times: Float64Array | undefined
  let next = 0
  return () => {
    times ??= new Float64Array(linkLimits.framesIn10s).fill(-Infinity)
    const now = clock.monotonic()
    const within = now - times[next]! >= rateWindow
    times[next] = now
    next = (next + 1) % times.length
    return within
  }
}

/** Wraps an accepted socket with limits of frames in and bytes out. `socket` is the one below `webSocket`. */
export function createConnection(
  webSocket: WebSocket,
  socket: Duplex,
  client: Client,
  options: { readonly clock: Clock; readonly events: { text(text: string): void; closed(): void } },
) {
  const { clock, events } = options
  const withinRate = createFrameRate(clock)
  let unanswered = 0
  let ended = false

  /** Closes with a code and a reason of at most 123 bytes; destroys the socket if the peer does not answer. */
  const end = (code: number, reason: string): void => {
    if (ended) return
    ended = true
    webSocket.close(code, reason)
  }
  const flood = (): void => {
    end(linkClose.flood, 'too many frames')
    // Pending input is not read; the library destroys the socket soon.
    webSocket.pause()
  }
  const counted = (): boolean => {
    if (ended) return false
    if (withinRate()) return true
    flood()
    return false
  }
  webSocket.on('message', (data, isBinary) => {
    if (!counted()) return
    if (isBinary) return end(1003, 'frames are text')
    unanswered = 0
    events.text((data as Buffer).toString('utf8'))
  })
  webSocket.on('ping', () => void counted())
  webSocket.on('pong', () => {
    if (counted()) unanswered = 0
  })
  // Protocol error: the library closes with its code (1002, 1007, 1008, 1009).
  webSocket.on('error', () => (ended = true))
  webSocket.on('close', () => {
    ended = true
    events.closed()
  })

  /** Writes a frame of `textFrame`; disconnects a peer with more than `linkLimits.queue` unsent. */
  const write = (frame: Buffer): void => {
    if (ended || webSocket.readyState !== webSocket.OPEN) return
    // Checked before writing: one long answer may exceed it.
    if (socket.writableLength > linkLimits.queue) return end(linkClose.slow, 'frames were not taken in time')
    // Bypasses the library, so that one framing serves all connections; it writes its own frames whole when
    // uncompressed.
    socket.write(frame)
  }
  return {
    /** `address` is for records, `subnet` for limits. */
    client,
    get isOpen(): boolean {
      return !ended
    },
    /** Unsent bytes. */
    get waiting(): number {
      return socket.writableLength
    },
    write,
    /** Writes an object as a frame. */
    say: (object: object): void => write(textFrame(JSON.stringify(object))),
    /** Calls once when everything is sent or the connection has ended. */
    whenDrained(call: () => void): void {
      if (ended || !socket.writableNeedDrain) return call()
      const once = (): void => {
        socket.off('drain', once).off('close', once)
        call()
      }
      socket.on('drain', once).on('close', once)
    },
    /** Stops reading until `resume`, for a peer that requests faster than it is answered. */
    pause: (): void => webSocket.pause(),
    resume: (): void => {
      if (!ended) webSocket.resume()
    },
    /** Sends a ping; false when two were not answered. */
    isAlive(): boolean {
      if (unanswered >= 2) return false
      unanswered += 1
      write(pingFrame)
      return true
    },
    end,
  }
}

/** A WebSocket, before and after the log-in. */
export type Connection = ReturnType<typeof createConnection>
