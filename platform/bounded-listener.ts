import http from 'node:http'
import https from 'node:https'
import type net from 'node:net'
import type { Duplex } from 'node:stream'
import { createConnectionPlaces, type ConnectionPlaces, type PlaceLimits } from './connection-places.ts'
import type { DescriptorShare } from './descriptors.ts'
import { createHandshakeRate, type HandshakeRate } from './handshake-rate.ts'
import { isPlainHttp, refusePlainHttp } from './plain-http.ts'
import { beganWithProxyHeader, hearProxy } from './proxied-socket.ts'
import { isProxyHeader } from './proxy-header.ts'
import { maxAnnounced, boundRequestBody } from './request-body.ts'

/** Default timeouts of a peer, in ms. */
export const listenerTimes = {
  handshake: 10_000,
  /** From the connection, or the first byte of a later request, to the end of the headers. */
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  /** Without reading a pending answer. */
  reading: 30_000,
  /** Interval of the checks of headers and requests. */
  check: 2000,
}
/** Timeouts of a peer, in ms. */
export type ListenerTimes = Readonly<typeof listenerTimes>

/** Pending requests per connection. Browsers do not pipeline; libraries that do send few. */
const maxPipelined = 8
/** Headers of a request, in bytes. */
const headerBytes = 16 * 1024

/** Limits of a listener's connections. */
export interface ListenerBounds {
  readonly places: PlaceLimits
  readonly descriptors: DescriptorShare
  readonly refused: (why: string) => void
  /** Trusted proxies: exempt from limits per address; without TLS they may send a PROXY header. None by default. */
  readonly shared?: ((address: string) => boolean) | undefined
  /** Told of an address that sends a PROXY header and is no trusted proxy. */
  readonly untrusted?: ((address: string) => void) | undefined
  /** TLS handshakes by address; by default counted for each listener. */
  readonly handshakes?: HandshakeRate | undefined
}

/** Whether a body follows the headers. */
const hasBody = ({ headers }: http.IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Requests of a connection. */
interface ConnectionWork {
  underWay: number
  /** Those pipelined behind another one. */
  readonly behind: (() => void)[]
}

/** Accepts or refuses a connection. */
export interface Admission {
  readonly places: ConnectionPlaces<net.Socket>
  admit(socket: net.Socket): boolean
}

/** Counts sockets by address and descriptor; refused ones are reset, to leave no state. */
export function createAdmission({ places: limits, descriptors, refused, shared }: ListenerBounds): Admission {
  const holding = new Set<net.Socket>()
  const give = (socket: net.Socket): void => {
    if (holding.delete(socket)) descriptors.give()
  }
  const places = createConnectionPlaces<net.Socket>({
    limits,
    take: () => descriptors.take(),
    evict(socket) {
      socket.destroy()
      give(socket)
    },
    refused,
    shared,
    givesWayAtWork: true,
  })
  return {
    places,
    admit(socket) {
      socket.on('error', () => undefined)
      // A disconnected peer has no address.
      if (socket.remoteAddress === undefined || !places.enter(socket, socket.remoteAddress)) {
        socket.resetAndDestroy()
        return false
      }
      holding.add(socket)
      socket.once('close', () => {
        places.leave(socket)
        give(socket)
      })
      return true
    },
  }
}

/** Admits before the server (HTTP or TLS) gets a connection. `patience`: ms until a proxy's first bytes. */
function admitFirst(
  server: net.Server,
  admission: Admission,
  { refused, shared, handshakes }: Pick<ListenerBounds, 'refused' | 'shared' | 'handshakes'>,
  patience: number,
): void {
  const takers = server.listeners('connection') as ((socket: net.Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: net.Socket) => {
    if (handshakes?.admits(socket.remoteAddress ?? '') === false) {
      refused('handshakes')
      socket.on('error', () => undefined).resetAndDestroy()
      return
    }
    if (!admission.admit(socket)) return
    const take = (): void => {
      for (const taker of takers) taker.call(server, socket)
    }
    if (!shared?.(socket.remoteAddress ?? '')) return take()
    const failed = (): void => {
      refused('proxy')
      socket.destroy()
    }
    hearProxy(socket, {
      patience,
      failed,
      done() {
        if (admission.places.move(socket, socket.remoteAddress ?? '')) take()
        else socket.destroy()
      },
    })
  })
}

/** Options of an HTTP listener. */
export interface HttpListenerOptions {
  readonly times?: Partial<ListenerTimes>
  readonly headerBytes?: number
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
  /** Counts with the connections of other listeners; by default its own. */
  readonly admission?: Admission | undefined
  /** Handles upgrade requests; by default they are ordinary ones. */
  readonly upgrade?: {
    /** By default always. */
    readonly isWanted?: (request: http.IncomingMessage) => boolean
    /** Call `keep` once the peer is known: until then the connection can be replaced by a new one. */
    readonly accept: (request: http.IncomingMessage, socket: Duplex, head: Buffer, keep: () => void) => void
  }
  /** Longest announced body completed after its answer, to keep the connection, in bytes; 1 MiB by default. */
  readonly maxAnnounced?: number
}

/**
 * An HTTP(S) server with a timeout for every phase: TLS handshake, headers, body, pause between requests, unread
 * answer. Connections are limited in all and per address. One without a complete request is replaced by a new one; if
 * there is none, the newest of whoever has most. Pipelined requests are served in sequence, with an event-loop turn
 * between them; more than a few end the connection, as does a body that continues after its answer or comes in very
 * small chunks.
 */
export function createHttpListener(
  bounds: ListenerBounds,
  handler: http.RequestListener,
  options: HttpListenerOptions = {},
): http.Server | https.Server {
  const times = { ...listenerTimes, ...options.times }
  const { tls, upgrade } = options
  const work = new WeakMap<net.Socket, ConnectionWork>()
  const workOf = (socket: net.Socket): ConnectionWork => {
    let known = work.get(socket)
    if (!known) work.set(socket, (known = { underWay: 0, behind: [] }))
    return known
  }
  /** TCP socket of a TLS socket. */
  const below = new WeakMap<net.Socket, net.Socket>()
  const admission = options.admission ?? createAdmission(bounds)
  const idle = (socket: net.Socket, yes: boolean): void => admission.places.idle(below.get(socket) ?? socket, yes)

  const answered = (socket: net.Socket, of: ConnectionWork): void => {
    of.underWay -= 1
    if (of.underWay === 0) idle(socket, true)
    const next = of.behind.shift()
    // A turn for others before the next pipelined request.
    if (next) setImmediate(next)
  }
  const serve: http.RequestListener = (request, response) => {
    const { socket } = request
    // Requests of the same packet still arrive after the connection ended.
    if (socket.destroyed) return
    const of = workOf(socket)
    if (of.underWay === maxPipelined) {
      bounds.refused('pipelined')
      socket.destroy()
      return
    }
    const isFirst = of.underWay === 0
    of.underWay += 1
    if (isFirst) {
      // Until its body is complete a request counts as idle: thousands could wait for a last byte.
      if (hasBody(request)) request.on('end', () => of.underWay > 0 && idle(socket, false))
      else idle(socket, false)
    }
    boundRequestBody(request, response, options.maxAnnounced ?? maxAnnounced, () => bounds.refused('body'))
    // The request may have lost its socket by then. Emitted once anyway: `once` would allocate a wrapper per request.
    response.on('close', () => answered(socket, of))
    if (isFirst) return handler(request, response)
    const later = (): void => {
      if (!socket.destroyed) handler(request, response)
    }
    of.behind.push(later)
  }
  const settings: http.ServerOptions = {
    headersTimeout: times.headers,
    requestTimeout: times.request,
    keepAliveTimeout: times.keepAlive,
    connectionsCheckingInterval: times.check,
    maxHeaderSize: options.headerBytes ?? headerBytes,
    requireHostHeader: false,
    noDelay: true,
    ...(upgrade?.isWanted && { shouldUpgradeCallback: upgrade.isWanted }),
  }
  const server = tls
    ? https.createServer({ ...settings, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: times.handshake }, serve)
    : http.createServer(settings, serve)
  // A failed accept; errors of binding are reported by `listen`.
  server.on('error', () => server.listening && bounds.refused('accept'))
  const { refused, shared, handshakes = createHandshakeRate() } = bounds
  admitFirst(server, admission, tls ? { refused, handshakes } : { refused, shared }, times.headers)
  if (tls) {
    const waiting = new Map<string, net.Socket>()
    const nameOf = ({ remoteAddress, remotePort }: net.Socket): string => `${remoteAddress} ${remotePort}`
    server.prependListener('connection', (socket: net.Socket) => {
      const name = nameOf(socket)
      waiting.set(name, socket)
      socket.once('close', () => {
        if (waiting.get(name) === socket) waiting.delete(name)
      })
    })
    server.prependListener('secureConnection', (socket: net.Socket) => {
      const tcp = waiting.get(nameOf(socket))
      if (tcp) below.set(socket, tcp)
    })
    // Without a listener Node gives records to its parser while that is paused, and refuses the request.
    server.on('secureConnection', (socket: net.Socket) => socket.on('data', () => undefined))
    // First, so that clients that violate HTTP are not answered before TLS.
    server.prependListener('tlsClientError', (error: Error, socket: net.Socket) => {
      const tcp = waiting.get(nameOf(socket))
      if (tcp && !tcp.destroyed && isPlainHttp(error)) refusePlainHttp(tcp)
      socket.destroy()
    })
  } else
    server.prependListener('clientError', (error: Error & { readonly rawPacket?: Buffer }, socket: net.Socket) => {
      const isHeader = error.rawPacket !== undefined && isProxyHeader(error.rawPacket)
      if (isHeader && !beganWithProxyHeader(socket)) bounds.untrusted?.(socket.remoteAddress ?? '')
    })
  if (upgrade)
    server.on('upgrade', (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
      if (workOf(socket).underWay === 0) return upgrade.accept(request, socket, head, () => idle(socket, false))
      bounds.refused('pipelined')
      socket.destroy()
    })
  // The socket's timer also serves the pause between requests.
  server.setTimeout(times.reading, (socket) => {
    const isAnswering = workOf(socket).underWay > 0
    if (isAnswering && socket.writableLength === 0) return
    if (isAnswering) bounds.refused('unread')
    socket.destroy()
  })
  return server
}
