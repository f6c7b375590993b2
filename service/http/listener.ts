import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import fastify, { type FastifyRequest } from 'fastify'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import { createBodyBudget, type BodyLimits } from '../../platform/body-budget.ts'
import { createGroupPlaces } from '../../platform/group-places.ts'
import { createBoundedLines } from '../../platform/bounded-lines.ts'
import { systemClock } from '../../platform/clock.ts'
import { awayRetry, faultOf } from '../away-words.ts'
import type { Log } from '../log.ts'
import { createClients, type Client, type Clients } from './clients.ts'
import {
  createAdmission,
  createHttpListener,
  type ListenerTimes,
  type ListenerBounds,
} from '../../platform/bounded-listener.ts'
import { jsonType, plainFailure, refuseForTime, refuseUpgrade, sendFailure } from './failures.ts'
import { createHostCheck } from './host-check.ts'
import { requestIdHeader } from './request-ids.ts'
import { createRequestTime, type ListenerTime } from './request-time.ts'

const unknownHost =
  'the Host header does not name this service: name it with --public-url, --public-api or --public-host'

/** Default limit of a body, in bytes. */
const maxBody = 1024 * 1024
/** Buffered bodies in bytes: 128 of the longest in all, 32 per address. Uploads are streamed to disk instead. */
const bodyLimits: BodyLimits = { all: 128 * maxBody, perAddress: 32 * maxBody }

/** Interval of closing idle connections during shutdown, in ms. */
const closeCheck = 20

/** Refusal for too many requests in progress. */
const tooMany = 'too many requests of this address are in progress'

/** Default headers of answers; cacheable files override them. */
export const standingHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** An HTTP listener before it is bound. */
export type Listener = ReturnType<typeof createListener>

declare module 'fastify' {
  interface FastifyRequest {
    client: Client
    /** The response, which a body parser does not get. Not in a WeakMap, whose entries would keep each other alive. */
    answer: ServerResponse
  }
}

/** Certificate chain and private key in PEM. */
export interface ServerTls {
  readonly cert: string
  readonly key: string
}

/** Takes over the connection of an upgrade request. Until `keep` is called, a new connection may take its place. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, client: Client, keep: () => void) => void

/** Options common to all listeners. */
export interface ListenerOptions {
  /** Hosts of public addresses, as in URLs. */
  readonly publicHosts?: readonly string[] | undefined
  /** Determines senders; by default no proxy is trusted. */
  readonly clients?: Clients | undefined
  readonly requestId: (request: IncomingMessage) => string
  /** Hears of requests that failed by a fault of the service. */
  readonly log?: Pick<Log, 'error'> | undefined
  readonly bounds: ListenerBounds
  /** Counts the time of requests; unlimited by default. */
  readonly time?: ListenerTime | undefined
}

/** Makes a listener for known hosts; `origin` decides on requests with an Origin. */
export function createListener(
  options: ListenerOptions & {
    /** False: 403. */
    readonly origin: (origin: string, request: IncomingMessage, client: Client) => boolean
    /** Reason to refuse a client with 403; by default none. */
    readonly refused?: ((client: Client) => string | undefined) | undefined
    /** Methods of a known path, for 405. */
    readonly allowed: (path: string) => string | undefined
    /** Upgrades at one path, after the checks of Host and Origin; elsewhere they are ordinary requests. */
    readonly upgrade?:
      | {
          readonly path: string
          readonly origin: (origin: string, request: IncomingMessage, client: Client) => boolean
          readonly accept: Upgrade
        }
      | undefined
    readonly times?: Partial<ListenerTimes>
    /** Certificate chain and key in PEM; without them it is plain. */
    readonly tls?: ServerTls | undefined
    /** As in `HttpListenerOptions`. */
    readonly maxAnnounced?: number
    readonly bodyLimits?: BodyLimits | undefined
  },
) {
  const { upgrade } = options
  const isKnownHost = createHostCheck(options.publicHosts)
  const clients = options.clients ?? createClients()
  const { places, refused: turnedAway } = options.bounds
  // Behind a trusted proxy requests in progress are counted: connections are the proxy's.
  const underWay = createGroupPlaces((group) => (isLoopbackGroup(group) ? places.perLoopback : places.perAddress))
  let server: Server | undefined
  let handle: RequestListener | undefined
  // Further servers of the same requests count with it.
  const admission = createAdmission(options.bounds)
  const takeOver = (request: IncomingMessage, socket: Duplex, head: Buffer, keep: () => void): void => {
    const { origin } = request.headers
    const client = clients.of(request)
    if (!isKnownHost(request)) return refuseUpgrade(socket, '403 Forbidden', unknownHost)
    if (origin !== undefined && !upgrade!.origin(origin, request, client))
      return refuseUpgrade(socket, '403 Forbidden', 'pages of this origin may not use this service')
    const leave = underWay.enter(client.subnet)
    if (!leave) {
      turnedAway('address')
      return refuseUpgrade(socket, '503 Service Unavailable', tooMany, 'retry-after: 1')
    }
    socket.once('close', leave)
    upgrade!.accept(request, socket, head, client, keep)
  }
  const serverFor = (tls: ServerTls | undefined): Server => {
    const made = createHttpListener(options.bounds, handle!, {
      admission,
      tls,
      ...(options.times && { times: options.times }),
      ...(options.maxAnnounced !== undefined && { maxAnnounced: options.maxAnnounced }),
      ...(upgrade && {
        upgrade: { isWanted: (request) => request.url?.split('?', 1)[0] === upgrade.path, accept: takeOver },
      }),
    })
    // Before a PROXY header changes the address.
    return made.prependListener('connection', clients.hold)
  }
  const app = fastify({
    logger: false,
    bodyLimit: maxBody,
    genReqId: options.requestId,
    exposeHeadRoutes: false,
    frameworkErrors: (error, { id }, { raw }) =>
      void raw
        .writeHead(error.statusCode ?? 400, { 'content-type': jsonType, [requestIdHeader]: id })
        .end(plainFailure(error.statusCode ?? 400, 'the address is not readable')),
    clientErrorHandler(error, socket) {
      if (socket.writable) {
        const status =
          error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? '408 Request Timeout'
            : error.code === 'HPE_HEADER_OVERFLOW'
              ? '431 Request Header Fields Too Large'
              : '400 Bad Request'
        const body = plainFailure(Number(status.slice(0, 3)), 'the request is not readable')
        socket.end(
          `HTTP/1.1 ${status}\r\ncontent-type: ${jsonType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
        )
      } else socket.destroy()
    },
    serverFactory(handler) {
      handle = handler
      server = serverFor(options.tls)
      return server
    },
  })
  app.removeAllContentTypeParsers()
  // Bodies are parsed after authentication, so that an unsigned caller learns nothing about them.
  const bodies = createBodyBudget(options.bodyLimits ?? bodyLimits)
  app.addContentTypeParser(
    '*',
    (request: FastifyRequest, raw: IncomingMessage, done: (error: Error | null, body?: Buffer) => void) => {
      // Not buffered: unauthenticated callers must not fill the memory.
      if (request.is404) return done(null)
      const refuse = (statusCode: number, why: string): void => done(Object.assign(new Error(why), { statusCode }))
      // The answer ends at the latest with its connection.
      bodies.collect(
        raw,
        request.answer,
        { group: request.client.subnet, most: request.routeOptions.bodyLimit ?? maxBody },
        (body) => {
          if (typeof body !== 'string') return done(null, body)
          if (body === 'long') return refuse(413, 'the body is longer than allowed')
          if (body === 'gone') return refuse(400, 'the client ended it')
          turnedAway('bodies')
          refuse(429, 'too much is held')
        },
      )
    },
  )

  app.decorateRequest('client')
  app.decorateRequest('answer')
  const time = options.time && createRequestTime(app, options.time)
  app.addHook('onRequest', (request, reply, done) => {
    const client = clients.of(request.raw)
    request.client = client
    // First, so that refusals have it too.
    reply.header(requestIdHeader, request.id)
    request.answer = reply.raw
    const leave = underWay.enter(client.subnet)
    if (!leave) {
      turnedAway('address')
      return void sendFailure(reply, 429, tooMany, { 'retry-after': 1 })
    }
    reply.raw.on('close', leave)
    if (!isKnownHost(request.raw)) return void sendFailure(reply, 403, unknownHost)
    const refusal = options.refused?.(client)
    if (refusal !== undefined) return void sendFailure(reply, 403, refusal)
    const { origin } = request.headers
    if (origin !== undefined && !options.origin(origin, request.raw, client))
      return void sendFailure(reply, 403, 'pages of this origin may not call this service')
    reply.headers(standingHeaders)
    const go = (): void => {
      // These routes read no body: discarded, so that it does not fill buffers during a stream.
      if (request.method === 'GET' || request.method === 'HEAD') request.raw.resume()
      done()
    }
    const account = time?.ofAddress(request)
    if (!account) return go()
    time!.pass(request, account, go, (seconds) => refuseForTime(reply, seconds))
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const methods = options.allowed(path)
    if (methods !== undefined && !methods.split(', ').includes(request.method))
      return sendFailure(reply, 405, `use ${methods}`, { allow: methods })
    return sendFailure(reply, 404, 'nothing is served at this path')
  })
  const awayLines = createBoundedLines(systemClock)
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    const { sentence: away, isAway, about } = faultOf(error)
    if (isAway) {
      const fields = { reqId: request.id, route: request.routeOptions.url, ...about }
      awayLines.line((leftOut) => options.log?.error({ ...fields, ...leftOut }, `a request failed: ${away!}`))
      return sendFailure(reply, 503, away!, { 'retry-after': awayRetry })
    }
    const status =
      error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 ? error.statusCode : 500
    const sentence =
      status === 413
        ? 'the body is too large'
        : status === 429
          ? 'too many bodies are under way'
          : status === 500
            ? 'internal fault'
            : 'the request is not readable'
    // The pattern of the route: an address may have a ticket.
    if (status === 500)
      options.log?.error({ reqId: request.id, route: request.routeOptions.url, err: error }, 'a request failed')
    return sendFailure(reply, status, sentence, status === 429 ? { 'retry-after': 1 } : {})
  })

  return {
    app,
    time,
    bodies,
    get server(): Server {
      return server!
    },
    /** Another server of the same requests, with the same limits and counts; not bound. Whoever asks closes it. */
    further: (tls?: ServerTls): Server => serverFor(tls),
    /** Stops accepting, gives running answers `grace` ms, then destroys all connections. */
    async close(grace: number) {
      const closing = Promise.all([
        app.close(),
        new Promise<void>((resolve) => {
          server!.close(() => resolve())
        }),
      ])
      // Nothing reports that a kept-alive connection became idle.
      const idle = setInterval(() => server!.closeIdleConnections(), closeCheck)
      const timer = setTimeout(() => server!.closeAllConnections(), grace)
      await closing
      clearTimeout(timer)
      clearInterval(idle)
    },
  }
}
