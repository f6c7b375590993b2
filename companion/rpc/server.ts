import { RPCHandler } from '@orpc/server/ws'
import { inBackground } from '../background.ts'
import { maxBacklog, type Connection, type Line, maxMessage, refused } from '../lines/connection.ts'
import { createInflow, createSeatInflows } from '../lines/inflow.ts'
import { lateMeasure, maxLate } from './late-measure.ts'
import { createRouter } from './router.ts'
import type { RouterPorts } from './ports.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'

/** Serves contract/rpc to pages. */
export type RpcServer = ReturnType<typeof createRpcServer>

interface Listening {
  addEventListener(type: string, listener: (event: { data: string }) => void): void
  send(text: string | ArrayBufferLike | Uint8Array): void
}

/** A call, with or without its kind, and a cancellation. */
const kinds: ReadonlySet<unknown> = new Set([undefined, 1, 4])

/** Maximum nesting of JSON; inputs need far less. */
const maxDepth = 64

/** Checked first: later readers take time by depth. */
function isShallow(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]
    if (letter === '"') {
      // A string ends at an unescaped quote.
      for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++
    } else if (letter === '[' || letter === '{') {
      if (++depth > maxDepth) return false
    } else if (letter === ']' || letter === '}') depth--
  }
  return true
}

/** A procedure and at most an input: the library prints a stack trace for anything else. */
const isCall = (content: object): boolean =>
  'u' in content &&
  typeof content.u === 'string' &&
  content.u.startsWith('/') &&
  Object.keys(content).every((name) => name === 'u' || name === 'b')

/** Whether a text is a message of the protocol. Parts of streams are refused: the library would keep them unread. */
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

/** Creates the server. Invalid, large or too many messages end a connection. */
export function createRpcServer(ports: RouterPorts) {
  const handler = new RPCHandler<{ connection: Connection }>(createRouter(ports))
  const ends = new Set<() => void>()
  const ofSeats = createSeatInflows(ports.clock)
  return {
    /** A seat limits it to what moderators may do. */
    attach: (line: Line, seat?: ConnectedSeat): { end(): void } => {
      const closed = new AbortController()
      const connection: Connection = {
        seat,
        closed: closed.signal,
        backlog: () => line.backlog(),
        calls: 0,
        subscriptions: 0,
      }
      const gone: (() => void)[] = []
      /** Messages still checked for measures after the page was ended. */
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
          if (type === 'close') gone.push(() => listener({ data: '' }))
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
