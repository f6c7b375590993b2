import http from 'node:http'
import https from 'node:https'
import type net from 'node:net'
import type { Duplex } from 'node:stream'
import { createConnectionPlaces, type ConnectionPlaces, type PlaceLimits } from './connection-places.ts'
import type { DescriptorShare } from './descriptors.ts'
import { hearProxy } from './proxied-socket.ts'
import { maxAnnounced, boundRequestBody } from './request-body.ts'

/** Times that a peer may take, in ms. */
export interface ListenerTimes {
  /** TLS handshake. */
  readonly handshake: number
  /** From connecting, or from the first byte of a later request, to the end of the headers. */
  readonly headers: number
  /** The whole request with its body. */
  readonly request: number
  /** Between two requests of one connection. */
  readonly keepAlive: number
  /** Without taking anything of an answer that waits to be read. */
  readonly reading: number
  /** How often headers and requests are looked at. */
  readonly check: number
}

/** Usual times; what a listener does differently, it says. */
export const listenerTimes: ListenerTimes = {
  handshake: 10_000,
  headers: 10_000,
  request: 30_000,
  keepAlive: 65_000,
  reading: 30_000,
  check: 2000,
}

/** Requests of one connection that may be under way at once. Browsers send one after the other; libraries that pipeline send few. */
const maxPipelined = 8
/** Headers of one request, in bytes. */
const headerBytes = 16 * 1024

/** What bounds the connections of a listener. */
export interface ListenerBounds {
  readonly places: PlaceLimits
  /** Where each connection takes its descriptor from. */
  readonly descriptors: DescriptorShare
  /** Learns of every connection that was turned away or ended before its time, by its reason. */
  readonly refused: (why: string) => void
  /**
   * Addresses that stand for many peers (a trusted proxy): only the limit in all counts for them, and without TLS here a connection of theirs may
   * begin with a header of the PROXY protocol, and is then counted for the address in it. None when absent.
   */
  readonly shared?: ((address: string) => boolean) | undefined
}

/** Whether something of a request comes after its headers. */
const hasBody = ({ headers }: http.IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** What is asked of a connection. */
interface ConnectionWork {
  /** Requests that are not answered yet. */
  underWay: number
  /** Of these, such as came before the one in front of them was answered. */
  readonly behind: (() => void)[]
}

/** Takes a connection from outside, or refuses it. */
interface Admission {
  readonly places: ConnectionPlaces<net.Socket>
  admit(socket: net.Socket): boolean
}

/** Counts sockets by their address and their descriptor; a refused one is reset, so that nothing of it stays. */
function createAdmission({ places: limits, descriptors, refused, shared }: ListenerBounds): Admission {
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
      // A peer that is gone already has no address.
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

/** Puts the admission before whoever takes the connections of a server: HTTP, or TLS below it. `patience`: ms until a proxy's first bytes. */
function admitFirst(
  server: net.Server,
  admission: Admission,
  { refused, shared }: Pick<ListenerBounds, 'refused' | 'shared'>,
  patience: number,
): void {
  const takers = server.listeners('connection') as ((socket: net.Socket) => void)[]
  server.removeAllListeners('connection')
  server.on('connection', (socket: net.Socket) => {
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

/** Further wishes of an HTTP listener. */
export interface HttpListenerOptions {
  readonly times?: Partial<ListenerTimes>
  readonly headerBytes?: number
  /** Serves HTTPS with this key and certificate. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
  /** Takes connections over that change the protocol; without it requests that ask for that are ordinary ones. */
  readonly upgrade?: {
    /** Whether the change is wanted at all; every one when absent. */
    readonly isWanted?: (request: http.IncomingMessage) => boolean
    /** `keep` is called once the peer is known: until then the connection gives its place to a new one, as it did before its request. */
    readonly accept: (request: http.IncomingMessage, socket: Duplex, head: Buffer, keep: () => void) => void
  }
  /** Longest announced body that may come in full after its answer, so that the connection can be used again, in bytes; 1 MiB when absent. */
  readonly maxAnnounced?: number
}

/**
 * An HTTP or HTTPS server of which every phase has an end: the TLS handshake, headers, body, the pause between requests, and the time in which
 * an answer waits unread. A connection has a place only while there is one, in all and for its address, and one without a whole request under way
 * gives its place to a new one; where all have one, the newest of whoever has most does. Requests that come at once on one connection are served one after the other, with a turn of the event loop between
 * them; more than a few end it. A body that goes on after its answer, or comes in very small chunks, ends it as well.
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
  /** The TCP socket below a TLS one. */
  const below = new WeakMap<net.Socket, net.Socket>()
  const admission = createAdmission(bounds)
  const idle = (socket: net.Socket, yes: boolean): void => admission.places.idle(below.get(socket) ?? socket, yes)

  const answered = (socket: net.Socket, of: ConnectionWork): void => {
    of.underWay -= 1
    if (of.underWay === 0) idle(socket, true)
    const next = of.behind.shift()
    // Others have their turn before the next request of the same packet.
    if (next) setImmediate(next)
  }
  const serve: http.RequestListener = (request, response) => {
    const { socket } = request
    // Requests of the same packet go on coming after the connection was ended.
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
      // Until its body is there a request holds its place no more than a connection without one does: thousands could wait for a last byte.
      if (hasBody(request)) request.on('end', () => of.underWay > 0 && idle(socket, false))
      else idle(socket, false)
    }
    boundRequestBody(request, response, options.maxAnnounced ?? maxAnnounced, () => bounds.refused('body'))
    // By then the request may not know its socket any more. It closes once: `once` would cost a wrapper for each request.
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
  // The system could not hand a connection over; a fault of binding is told to whoever binds.
  server.on('error', () => server.listening && bounds.refused('accept'))
  admitFirst(server, admission, tls ? { refused: bounds.refused } : bounds, times.headers)
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
    // Whoever answers clients that broke HTTP must not try it where nothing can be read yet.
    server.prependListener('tlsClientError', (_error: Error, socket: net.Socket) => void socket.destroy())
  }
  if (upgrade)
    server.on('upgrade', (request: http.IncomingMessage, socket: net.Socket, head: Buffer) => {
      if (workOf(socket).underWay === 0) return upgrade.accept(request, socket, head, () => idle(socket, false))
      bounds.refused('pipelined')
      socket.destroy()
    })
  // The same timer of the socket serves the pause between requests.
  server.setTimeout(times.reading, (socket) => {
    const isAnswering = workOf(socket).underWay > 0
    if (isAnswering && socket.writableLength === 0) return
    if (isAnswering) bounds.refused('unread')
    socket.destroy()
  })
  return server
}
