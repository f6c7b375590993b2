import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { linkClose, linkLimits } from '../../contract/link/frames.ts'
import type { Client } from '../http/clients.ts'
import { pingFrame, textFrame } from './frame.ts'
import { createFrameRate } from './frame-rate.ts'

/** One WebSocket, before and after the log-in. */
export interface Connection {
  /** Who opened it; `client.address` is for records, `client.subnet` for limits. */
  readonly client: Client
  readonly isOpen: boolean
  /** Bytes that wait to be sent. */
  readonly waiting: number
  /** Writes a frame made by `textFrame`; a peer that lets more than `linkLimits.queue` wait is cut. */
  write(frame: Buffer): void
  /** Writes an object as a frame. */
  say(object: object): void
  /** Calls once when nothing waits to be sent any more, or when the connection has ended. */
  whenDrained(call: () => void): void
  /** Stops reading until `resume`: for a peer that asks faster than it is answered. */
  pause(): void
  resume(): void
  /** Asks for a sign of life; false when two such questions were not answered. */
  isAlive(): boolean
  /** Ends it with a close code and a reason of at most 123 bytes; by force when the peer does not answer. */
  end(code: number, reason: string): void
}

/** What a connection hands on. */
export interface ConnectionEvents {
  text(text: string): void
  closed(): void
}

/** Wraps an accepted socket: bounds of frames in and of bytes out. `socket` is the one below `webSocket`. */
export function createConnection(
  webSocket: WebSocket,
  socket: Duplex,
  client: Client,
  { monotonic, events }: { readonly monotonic: () => number; readonly events: ConnectionEvents },
): Connection {
  const withinRate = createFrameRate(monotonic)
  let unanswered = 0
  let ended = false

  const end = (code: number, reason: string): void => {
    if (ended) return
    ended = true
    webSocket.close(code, reason)
  }
  const flood = (): void => {
    end(linkClose.flood, 'too many frames')
    // What is under way is not worth reading; the library ends the socket by force soon.
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
  // A frame that breaks the protocol: the library closes with its code (1002, 1007, 1008, 1009).
  webSocket.on('error', () => (ended = true))
  webSocket.on('close', () => {
    ended = true
    events.closed()
  })

  const write = (frame: Buffer): void => {
    if (ended || webSocket.readyState !== webSocket.OPEN) return
    // Before and not after writing: one long answer may go over.
    if (socket.writableLength > linkLimits.queue) return end(linkClose.slow, 'frames were not taken in time')
    // Below the library, which writes each of its own frames at once and whole when nothing is compressed: so one framing serves everybody.
    socket.write(frame)
  }
  return {
    client,
    get isOpen() {
      return !ended
    },
    get waiting() {
      return socket.writableLength
    },
    write,
    say: (object) => write(textFrame(JSON.stringify(object))),
    whenDrained(call) {
      if (ended || !socket.writableNeedDrain) return call()
      const once = (): void => {
        socket.off('drain', once).off('close', once)
        call()
      }
      socket.on('drain', once).on('close', once)
    },
    pause: () => webSocket.pause(),
    resume: () => {
      if (!ended) webSocket.resume()
    },
    isAlive() {
      if (unanswered >= 2) return false
      unanswered += 1
      write(pingFrame)
      return true
    },
    end,
  }
}
