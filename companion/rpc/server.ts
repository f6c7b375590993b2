import { RPCHandler } from '@orpc/server/ws'
import { inBackground } from '../background.ts'
import { maxBacklog, type Connection, type Line, maxMessage, refused } from '../lines/connection.ts'
import { createInflow, createSeatInflows } from '../lines/inflow.ts'
import { lateMeasure, maxLate } from './late-measure.ts'
import { createRouter } from './router.ts'
import type { RouterPorts } from './ports.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'

/** Serves contract/rpc to pages over any transport. */
export interface RpcServer {
  /** Serves one page until its line closes or `end` is called; with a seat only what a moderator may see and do. */
  attach(line: Line, seat?: ConnectedSeat): { end(): void }
  /** Ends every connection. */
  close(): void
}

interface Listening {
  addEventListener(type: string, listener: (event: { data: string }) => void): void
  send(text: string | ArrayBufferLike | Uint8Array): void
}

/** Kinds of frames that a page sends: a call, written with its kind or without, and a call taken back. */
const kinds: ReadonlySet<unknown> = new Set([undefined, 1, 4])

/** Lists and objects within each other at most; no input of the contract has nearly as many. */
const maxDepth = 64

/** Whether a text of JSON is no deeper than that. Everything that reads what it stands for afterwards takes a multiple of its depth. */
function isShallow(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '"') {
      // A string ends at the first quote that no backslash stands before.
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (letter === '[' || letter === '{') {
      if (++depth > maxDepth) return false
    } else if (letter === ']' || letter === '}') depth--
  }
  return true
}

/** Whether the content of a message names a procedure, and hands over at most an input: the library prints a stack trace for whatever else it cannot read. */
const isCall = (content: object): boolean =>
  'u' in content &&
  typeof content.u === 'string' &&
  content.u.startsWith('/') &&
  Object.keys(content).every((name) => name === 'u' || name === 'b')

/**
 * Whether a text has the outer shape of the protocol: an id, and a content or a kind. What it asks for is checked by the contract. No procedure takes a
 * stream, so a part of one is no message: the library would keep parts that nobody reads for as long as the call lasts.
 */
function isMessage(text: string): boolean {
  if (!isShallow(text)) return false
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return false
  }
  if (
    typeof message !== 'object' ||
    message === null ||
    !('i' in message) ||
    (typeof message.i !== 'string' && typeof message.i !== 'number')
  )
    return false
  if ('t' in message && !kinds.has(message.t)) return false
  return (
    ('t' in message && message.t === 4) ||
    ('p' in message && typeof message.p === 'object' && message.p !== null && isCall(message.p))
  )
}

/** Creates the server. A message that is no text, too large, too much or no message of the protocol ends its connection. */
export function createRpcServer(ports: RouterPorts): RpcServer {
  const handler = new RPCHandler<{ connection: Connection }>(createRouter(ports))
  const ends = new Set<() => void>()
  const ofSeats = createSeatInflows(ports.clock)
  return {
    attach: (line, seat) => {
      const closed = new AbortController()
      const connection: Connection = {
        seat,
        closed: closed.signal,
        backlog: () => line.backlog(),
        calls: 0,
        subscriptions: 0,
      }
      const gone: (() => void)[] = []
      /** Messages that are looked at yet for measures when the page was ended by this side: they were on their way, and whoever pressed may believe them done. */
      let late = 0
      const end = (code?: number): void => {
        if (closed.signal.aborted) return
        closed.abort()
        ends.delete(end)
        for (const listener of gone) listener()
        line.close(code)
      }
      ends.add(end)
      line.onClose(() => end())
      const own = createInflow(ports.clock)
      const admits = (characters: number): boolean => (seat ? ofSeats.take(seat.id, characters) : own.take(characters))
      const tooLate = (text: string | undefined): void => {
        if (
          !seat ||
          late <= 0 ||
          text === undefined ||
          text.length > maxMessage ||
          !admits(text.length) ||
          !isMessage(text)
        )
          return
        const call = lateMeasure(text, seat)
        if (!call) return
        late--
        inBackground(
          ports.rooms.refused(call.profileId, call.roomid, call.measure, call.why, seat.accid),
          ports.log,
          'writing down what came too late',
        )
      }
      const peer: Listening = {
        addEventListener: (type, listener) => {
          if (type === 'close')
            gone.push(() => {
              listener({ data: '' })
            })
          if (type !== 'message') return
          line.onMessage((text) => {
            if (closed.signal.aborted) return tooLate(text)
            if (text === undefined || text.length > maxMessage || !admits(text.length) || !isMessage(text))
              return end(refused)
            listener({ data: text })
          })
        },
        send: (message) => {
          if (closed.signal.aborted) return
          if (typeof message !== 'string' || line.backlog() > maxBacklog) return end()
          line.send(message)
        },
      }
      inBackground(
        handler.upgrade(peer as unknown as Parameters<typeof handler.upgrade>[0], { context: { connection } }),
        ports.log,
        'serving a page',
      )
      return {
        end: () => {
          if (!closed.signal.aborted) late = maxLate
          end()
        },
      }
    },
    close: () => {
      for (const end of ends) end()
    },
  }
}
