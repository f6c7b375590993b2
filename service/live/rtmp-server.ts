import { createServer, type AddressInfo, type Socket } from 'node:net'
import type { ReaderSource } from './reader-queue.ts'
import { createReaderQueues } from './reader-queue.ts'
import type { ReaderQueueLimits } from './reader-queue-seat.ts'
import { mediaMessage } from './rtmp-answers.ts'
import type { PublishGate, SessionHost, SessionHub, SessionLog } from './rtmp-session-host.ts'
import { RtmpSession } from './rtmp-session.ts'

export type { PublishGate } from './rtmp-session-host.ts'

/** What peers may make the server hold, and for how long; times in ms. */
export interface RtmpLimits {
  /** Connections in all. */
  readonly connections: number
  /** Connections that neither publish nor play, in all and from one address: the oldest gives way to a new one. */
  readonly strangers: number
  readonly strangersPerAddress: number
  /** From connecting to publishing or playing. */
  readonly strangerPatience: number
  /** From our farewell to the peer's going. */
  readonly closingPatience: number
  /** How long an encoder whose codec was refused waits for its next answer. */
  readonly codecHold: number
}

/** The limits in force unless a test wants others. */
export const rtmpLimits: RtmpLimits = {
  connections: 4000,
  strangers: 1024,
  strangersPerAddress: 400,
  strangerPatience: 10_000,
  closingPatience: 3000,
  codecHold: 3000,
}

/** Accepts publishers and players. */
export interface RtmpServer {
  /** Begins to listen and gives the port; rejects with the system's error when it is taken. */
  listen(host: string, port: number): Promise<number>
  /** Ends every connection and stops listening. */
  close(): Promise<void>
  /** Open connections, and those of them that neither publish nor play. */
  counts(): { readonly connections: number; readonly strangers: number }
}

/** What an RTMP server needs. */
export interface RtmpServerOptions {
  readonly hub: SessionHub & ReaderSource
  readonly gate: PublishGate
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Milliseconds that only ever pass, for limits of time; the process's own when absent. */
  readonly monotonic?: () => number
  /** Bytes for the handshake. */
  readonly random: (length: number) => Buffer
  readonly log: SessionLog
  readonly limits?: Partial<RtmpLimits>
  readonly queueLimits?: Partial<ReaderQueueLimits>
}

/** How often deadlines are looked at; ms. */
const tickLength = 250
/** How long peers may take to go when the server closes; ms. */
const shutDownPatience = 200
/** Codec refusals remembered; beyond this the memory starts anew. */
const holdsMax = 1000

/** Makes an RTMP server. */
export function createRtmpServer({
  hub,
  gate,
  clock,
  monotonic = () => performance.now(),
  random,
  log,
  limits: given,
  queueLimits,
}: RtmpServerOptions): RtmpServer {
  const limits = { ...rtmpLimits, ...given }
  const sessions = new Set<RtmpSession>()
  /** In the order in which they became strangers. */
  const strangers = new Set<RtmpSession>()
  const holds = new Map<string, number>()
  const host: SessionHost<RtmpSession> = {
    hub,
    gate,
    clock,
    monotonic,
    random,
    log,
    players: createReaderQueues({ hub, kind: 'rtmp', frame: mediaMessage, clock: monotonic, ...(queueLimits && { limits: queueLimits }) }),
    patience: { stranger: limits.strangerPatience, closing: limits.closingPatience },
    holds: {
      until: (cid) => holds.get(cid) ?? 0,
      hold(cid) {
        if (holds.size >= holdsMax) holds.clear()
        holds.set(cid, monotonic() + limits.codecHold)
      },
    },
    admitted(session, yes) {
      if (yes) strangers.delete(session)
      else strangers.add(session)
    },
    closed(session) {
      sessions.delete(session)
      strangers.delete(session)
    },
  }
  const evict = (session: RtmpSession): void => {
    strangers.delete(session)
    session.socket.destroy()
  }
  const accept = (socket: Socket): void => {
    if (sessions.size >= limits.connections) {
      socket.on('error', () => undefined)
      socket.destroy()
      return
    }
    const session = new RtmpSession(socket, host)
    const same = [...strangers].filter((one) => one.remote === session.remote)
    if (same.length >= limits.strangersPerAddress) evict(same[0]!)
    else if (strangers.size >= limits.strangers)
      for (const oldest of strangers) {
        evict(oldest)
        break
      }
    sessions.add(session)
    strangers.add(session)
  }
  const server = createServer({ noDelay: true }, accept)
  const timer = setInterval(() => {
    const now = monotonic()
    for (const session of sessions) session.tick(now)
    for (const [cid, until] of holds) if (until <= now) holds.delete(cid)
  }, tickLength)
  timer.unref()

  return {
    listen: (hostName, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, hostName, () => {
          server.off('error', reject)
          server.on('error', (error) => log.warn({ err: error }, 'the RTMP listener had an error'))
          resolve((server.address() as AddressInfo).port)
        })
      }),
    close: () =>
      new Promise((resolve) => {
        clearInterval(timer)
        server.close(() => resolve())
        for (const session of sessions) session.shutDown()
        // A peer that does not go would keep the server open.
        setTimeout(() => {
          for (const session of sessions) session.socket.destroy()
        }, shutDownPatience).unref()
      }),
    counts: () => ({ connections: sessions.size, strangers: strangers.size }),
  }
}
