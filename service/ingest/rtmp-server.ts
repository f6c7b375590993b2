import type { Clock } from '../../platform/clock.ts'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer, type TLSSocket } from 'node:tls'
import { createBoundedLines } from '../../platform/bounded-lines.ts'
import { createConnectionPlaces } from '../../platform/connection-places.ts'
import { createDescriptorBudget, type DescriptorShare } from '../../platform/descriptors.ts'
import { listenOn } from '../../platform/listen.ts'
import { createHandshakeRate, type HandshakeRate } from '../../platform/handshake-rate.ts'
import { hearProxy } from '../../platform/proxied-socket.ts'
import type { WayCounts } from '../hub/media-counts.ts'
import type { RtmpDescriptors } from '../listener-bounds.ts'
import { createCatchUp } from '../hub/catch-up.ts'
import { createPushPace } from './push-pace.ts'
import type { ReaderSource } from '../hub/reader-queue.ts'
import { createReaderQueues } from '../hub/reader-queue.ts'
import type { ReaderQueueLimits } from '../hub/reader-queue-output.ts'
import { mediaMessage, mediaMessages } from './rtmp-answers.ts'
import { rtmpLimits, type RtmpLimits } from './rtmp-limits.ts'
import type { BeginPush, PublishGate, RtmpDoors, SessionHost, SessionHub, SessionLog } from './rtmp-session-host.ts'
import { RtmpSession } from './rtmp-session.ts'
import { SharedTurn } from '../hub/shared-turn.ts'

export type { PublishGate } from './rtmp-session-host.ts'

/** Accepts publishers and players. */
export type RtmpServer = ReturnType<typeof createRtmpServer>

/** Interval of the deadline check; ms. */
const tickLength = 250
/** How long peers may take to close on shutdown; ms. */
const shutDownPatience = 200
/** Codec refusals remembered; at the limit all are forgotten. */
const maxHolds = 1000

/** Descriptors for a process with this listener only. */
function ownDescriptors(): RtmpDescriptors {
  const budget = createDescriptorBudget()
  return { waiting: budget.share(1 / 4), players: budget.share(1 / 4), publishers: budget.share(1 / 4) }
}

/** Makes an RTMP server. */
export function createRtmpServer(options: {
  readonly hub: SessionHub & ReaderSource
  readonly gate: PublishGate
  readonly begin?: BeginPush | undefined
  readonly clock: Clock
  readonly random: (length: number) => Buffer
  readonly log: SessionLog
  readonly limits?: Partial<RtmpLimits>
  readonly descriptors?: RtmpDescriptors
  readonly refused?: (why: string) => void
  /** Trusted proxies: exempt from limits per address, and their PROXY header is read. None by default. */
  readonly shared?: ((address: string) => boolean) | undefined
  /** TLS handshakes by address. */
  readonly handshakes?: HandshakeRate | undefined
  /** Told of each connection before its first byte. */
  readonly accepted?: ((socket: Socket) => void) | undefined
  readonly queueLimits?: Partial<ReaderQueueLimits>
  readonly doors?: RtmpDoors | undefined
  readonly counts?: WayCounts | undefined
}) {
  const {
    hub,
    gate,
    begin,
    clock,
    random,
    log,
    limits: given,
    descriptors = ownDescriptors(),
    refused = () => undefined,
    shared = () => false,
    handshakes = createHandshakeRate(),
    accepted = () => undefined,
    queueLimits,
    doors,
    counts,
  } = options
  const limits = { ...rtmpLimits, ...given }
  const sessions = new Set<RtmpSession>()
  /** Share of descriptors of each connection. */
  const held = new Map<Socket, DescriptorShare>()
  const give = (socket: Socket): void => {
    held.get(socket)?.give()
    held.delete(socket)
  }
  const evict = (socket: Socket): void => {
    socket.destroy()
    give(socket)
  }
  const { perAddress, perLoopback } = limits
  // Connections that neither publish nor play count as idle: the oldest is replaced.
  const places = createConnectionPlaces<Socket>({
    limits: {
      all: limits.connections,
      perAddress,
      perLoopback,
      idle: { all: limits.strangers, perAddress: limits.strangersPerAddress },
    },
    take: () => descriptors.waiting.take(),
    evict,
    refused,
    shared,
  })
  const players = createConnectionPlaces<Socket>({
    limits: { all: limits.players, perAddress: limits.playersPerAddress, perLoopback: limits.playersPerLoopback },
    take: () => descriptors.players.take(),
    evict,
    refused: () => refused('players'),
    shared,
  })
  const publishers = new Set<Socket>()
  const leaveRole = (socket: Socket): void => {
    players.leave(socket)
    publishers.delete(socket)
    give(socket)
  }
  const takeRole = (socket: Socket, remote: string, role: 'player' | 'publisher'): boolean => {
    if (role === 'player') {
      if (!players.enter(socket, remote)) return false
      players.idle(socket, false)
      return true
    }
    if (publishers.size < limits.publishers && descriptors.publishers.take()) {
      publishers.add(socket)
      return true
    }
    refused('publishers')
    return false
  }
  const holds = new Map<string, number>()
  const pace = createPushPace(clock, limits.pace)
  const host: SessionHost<RtmpSession> = {
    hub,
    gate,
    begin,
    clock,
    turn: new SharedTurn(clock),
    random,
    log,
    strangerLines: createBoundedLines(clock),
    players: createReaderQueues({
      hub,
      kind: 'rtmp',
      frame: mediaMessage,
      pack: mediaMessages,
      clock,
      counts,
      ...(queueLimits && { limits: queueLimits }),
    }),
    patience: { stranger: limits.strangerPatience, closing: limits.closingPatience },
    holds: {
      until: (cid) => holds.get(cid) ?? 0,
      hold(cid) {
        if (holds.size >= maxHolds) holds.clear()
        holds.set(cid, clock.monotonic() + limits.codecHold)
      },
    },
    pace,
    doors,
    admit({ socket, remote }, role) {
      if (!takeRole(socket, remote, role)) return false
      give(socket)
      held.set(socket, role === 'player' ? descriptors.players : descriptors.publishers)
      places.idle(socket, false)
      return true
    },
    released({ socket }) {
      if (!held.has(socket)) return
      leaveRole(socket)
      if (!descriptors.waiting.take()) return void socket.destroy()
      held.set(socket, descriptors.waiting)
      places.idle(socket, true)
    },
    closed(session) {
      sessions.delete(session)
      places.leave(session.socket)
      leaveRole(session.socket)
    },
  }
  const accept = (socket: Socket, isSecure = false): void => {
    socket.on('error', () => undefined)
    const { remoteAddress } = socket
    // A disconnected peer has no address.
    if (remoteAddress === undefined || !places.enter(socket, remoteAddress)) return void socket.resetAndDestroy()
    held.set(socket, descriptors.waiting)
    if (isSecure || !shared(remoteAddress)) return void sessions.add(new RtmpSession(socket, host))
    const leave = (): void => {
      places.leave(socket)
      give(socket)
    }
    const failed = (): void => {
      refused('proxy')
      socket.destroy()
    }
    socket.once('close', leave)
    hearProxy(socket, {
      patience: limits.strangerPatience,
      failed,
      done() {
        if (!places.move(socket, socket.remoteAddress ?? '')) return void socket.destroy()
        socket.off('close', leave)
        sessions.add(new RtmpSession(socket, host))
      },
    })
  }
  /** Peers count as strangers during the handshake. */
  const secureServer = (tls: { readonly cert: string; readonly key: string }): Server => {
    const made = createSecureServer({ ...tls, minVersion: 'TLSv1.2', handshakeTimeout: limits.strangerPatience })
    const takers = made.listeners('connection') as ((socket: Socket) => void)[]
    const shakingHands = new Map<string, () => void>()
    const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
    made.removeAllListeners('connection')
    made.on('connection', (socket: Socket) => {
      socket.on('error', () => undefined)
      const { remoteAddress } = socket
      if (remoteAddress !== undefined && !handshakes.admits(remoteAddress)) {
        refused('handshakes')
        return void socket.resetAndDestroy()
      }
      if (remoteAddress === undefined || !places.enter(socket, remoteAddress)) return void socket.resetAndDestroy()
      accepted(socket)
      held.set(socket, descriptors.waiting)
      const name = nameOf(socket)
      const leave = (): void => {
        shakingHands.delete(name)
        places.leave(socket)
        give(socket)
      }
      shakingHands.set(name, leave)
      socket.once('close', leave)
      for (const taker of takers) taker.call(made, socket)
    })
    made.on('tlsClientError', (_error: Error, socket: TLSSocket) => void socket.destroy())
    made.on('secureConnection', (socket: TLSSocket) => {
      shakingHands.get(nameOf(socket))?.()
      accept(socket, true)
    })
    return made
  }
  const plainServer = (): Server =>
    createServer({ noDelay: true }, (socket) => {
      accepted(socket)
      accept(socket)
    })
  const server = plainServer()
  const catchUp = createCatchUp({
    clock,
    mediaTimes: () =>
      new Map(
        [...sessions].flatMap((session) => (session.mediaTime === undefined ? [] : [[session, session.mediaTime]])),
      ),
  })
  const timer = setInterval(() => {
    catchUp.note()
    const now = clock.monotonic()
    for (const session of sessions) session.tick(now)
    for (const [cid, until] of holds) if (until <= now) holds.delete(cid)
    pace.tidy()
  }, tickLength)
  timer.unref()

  return {
    /** Another server of the same sessions, with the same limits and counts; not bound. Whoever asks closes it. */
    further: (tls?: { readonly cert: string; readonly key: string }): Server =>
      tls ? secureServer(tls) : plainServer(),
    /** Returns the port; rejects with the system's error when it is taken. */
    async listen(hostName: string, port: number) {
      const used = await listenOn(server, hostName, port)
      server.on('error', (error) => log.warn({ err: error }, 'the RTMP listener had an error'))
      return used
    },
    close: () =>
      new Promise<void>((resolve) => {
        clearInterval(timer)
        server.close(() => resolve())
        for (const session of sessions) session.shutDown()
        // A peer that does not close would keep the server open.
        setTimeout(() => {
          for (const session of sessions) session.socket.destroy()
        }, shutDownPatience).unref()
      }),
    isListening: (): boolean => server.listening,
    caughtUp: () => catchUp.caughtUp(),
    counts: (): { readonly connections: number; readonly strangers: number } => ({
      connections: places.size,
      strangers: places.idleSize,
    }),
  }
}
