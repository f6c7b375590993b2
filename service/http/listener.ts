import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import { createBodyBudget, type BodyBudget, type BodyLimits } from '../../platform/body-budget.ts'
import { createGroupPlaces } from '../../platform/group-places.ts'
import { createClients, type Client, type Clients } from './clients.ts'
import { createHttpListener, type ListenerTimes, type ListenerBounds } from '../../platform/bounded-listener.ts'
import { createHostCheck } from './host-check.ts'
import { createRequestTime, type ListenerTime, type RequestTime } from './request-time.ts'

/** Body of an operation unless its route allows more, in bytes. */
const maxBody = 1024 * 1024
/** Bytes of bodies that are held at once: 128 of the longest in all, 32 of one address. Uploads are written to the disk while they come and are not held. */
const bodyLimits: BodyLimits = { all: 128 * maxBody, perAddress: 32 * maxBody }

/** How often connections without work are looked for while a listener closes, in ms. */
const closeCheck = 20

/** Why a client is refused that has as much under way as it may have connections. */
const tooMany = 'too much of this address is under way'

/** A failure outside any operation: the status is the code. */
export const plainFailure = (status: number, sentence: string): string =>
  JSON.stringify({ code: status, msg: sentence })

/** Prefix of the paths of the messaging documents, which have a base URL of their own (behaviour.md#base-addresses). */
export const messagingPrefix = '/nimserver'
/** A failure outside any operation as the documents of a path have it: `desc` in messaging, `msg` elsewhere. */
const failureAt = (url: string | undefined, status: number, sentence: string): string =>
  url?.startsWith(`${messagingPrefix}/`)
    ? JSON.stringify({ code: status, desc: sentence })
    : plainFailure(status, sentence)

const jsonType = 'application/json; charset=utf-8'

/** Headers of every answer; of files that may be kept, the route says otherwise. */
export const standingHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** Refuses a request whose address or application has taken its time; it is worth coming again after some seconds. */
export const refuseForTime = (request: FastifyRequest, reply: FastifyReply, seconds: number): void =>
  void reply
    .code(429)
    .headers({ 'content-type': jsonType, 'retry-after': seconds })
    .send(failureAt(request.url, 429, 'requests of this address or application have taken more time than one may take'))

/** An HTTP listener before it is bound. */
export interface Listener {
  readonly app: FastifyInstance
  readonly server: Server
  /** The times of its requests; undefined where they are not counted. */
  readonly time: RequestTime | undefined
  /** The bodies that it holds. */
  readonly bodies: Pick<BodyBudget, 'held'>
  /** Stops accepting, lets running answers finish for `grace` ms, then destroys what is left. */
  close(grace: number): Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent it. */
    client: Client
    /** The answer to it, which a parser of bodies is not given; not in a WeakMap, whose entries of a young generation keep each other. */
    answer: ServerResponse
  }
}

/** Takes over a connection whose client asked for another protocol. `keep` keeps its place, which a new one may take until it is called. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, client: Client, keep: () => void) => void

/** What every listener of the service is made of. */
export interface ListenerOptions {
  /** Hosts of public addresses, as they stand in an URL. */
  readonly publicHosts?: readonly string[] | undefined
  /** Finds out who sent a request; without it nobody's word is taken for others. */
  readonly clients?: Clients | undefined
  readonly requestId: () => string
  /** Connections that it holds, and what they cost. */
  readonly bounds: ListenerBounds
  /** Where the time of requests is counted; without it they take as much as they want. */
  readonly time?: ListenerTime | undefined
}

/** Ends a connection that asked for another protocol with a failure instead. */
export function refuseUpgrade(socket: Duplex, status: string, sentence: string, ...headers: readonly string[]): void {
  const body = plainFailure(Number(status.slice(0, 3)), sentence)
  // The peer may be gone already.
  socket.on('error', () => undefined)
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      `content-type: ${jsonType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      ...headers,
      '',
      body,
    ].join('\r\n'),
    // A peer that does not end its half would hold its place.
    () => socket.destroy(),
  )
}

/** Makes a listener that answers only known hosts; `origin` decides on a request that carries an Origin. Failures are JSON `{code, msg}`. */
export function createListener(
  options: ListenerOptions & {
    /** False turns the request away with 403. */
    readonly origin: (origin: string, request: IncomingMessage, client: Client) => boolean
    /** Why a client may not call at all, for 403; everybody may when absent. */
    readonly refused?: ((client: Client) => string | undefined) | undefined
    /** Methods of a known path, for 405. */
    readonly allowed: (path: string) => string | undefined
    /** Takes over the connection of a request to change the protocol at one path, once its Host and Origin are right; elsewhere such a request is an ordinary one. */
    readonly upgrade?:
      | {
          readonly path: string
          readonly origin: (origin: string, request: IncomingMessage, client: Client) => boolean
          readonly accept: Upgrade
        }
      | undefined
    readonly times?: Partial<ListenerTimes>
    /** As in `HttpListenerOptions`. */
    readonly maxAnnounced?: number
    /** Bodies that are held at once; the usual ones when absent. */
    readonly bodyLimits?: BodyLimits | undefined
  },
): Listener {
  const { upgrade } = options
  const isKnownHost = createHostCheck(options)
  const clients = options.clients ?? createClients()
  const { places, refused: turnedAway } = options.bounds
  // A client behind a trusted proxy is counted by what it has under way: its connections are the proxy's.
  const underWay = createGroupPlaces((group) => (isLoopbackGroup(group) ? places.perLoopback : places.perAddress))
  let server: Server | undefined
  const takeOver = (request: IncomingMessage, socket: Duplex, head: Buffer, keep: () => void): void => {
    const { origin } = request.headers
    const client = clients.of(request)
    if (!isKnownHost(request))
      return refuseUpgrade(socket, '403 Forbidden', 'the Host header does not name this service')
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
  const app = fastify({
    logger: false,
    bodyLimit: maxBody,
    genReqId: options.requestId,
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, { raw }) =>
      void raw
        .writeHead(error.statusCode ?? 400, { 'content-type': jsonType })
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
      server = createHttpListener(options.bounds, handler, {
        ...(options.times && { times: options.times }),
        ...(options.maxAnnounced !== undefined && { maxAnnounced: options.maxAnnounced }),
        ...(upgrade && {
          upgrade: { isWanted: (request) => request.url?.split('?', 1)[0] === upgrade.path, accept: takeOver },
        }),
      })
      return server
    },
  })
  app.removeAllContentTypeParsers()
  // Bodies stay bytes until the caller is known: an unsigned one learns nothing of what its body should be.
  const bodies = createBodyBudget(options.bodyLimits ?? bodyLimits)
  app.addContentTypeParser(
    '*',
    (request: FastifyRequest, raw: IncomingMessage, done: (error: Error | null, body?: Buffer) => void) => {
      // Nobody wants it: strangers shall not fill the memory.
      if (request.is404) return done(null)
      const refuse = (statusCode: number, why: string): void => done(Object.assign(new Error(why), { statusCode }))
      // The answer ends with its connection at the latest.
      bodies.collect(
        raw,
        request.answer,
        { group: request.client.subnet, most: request.routeOptions.bodyLimit ?? maxBody },
        (body) => {
          if (typeof body !== 'string') return done(null, body)
          if (body === 'long') return refuse(413, 'longer than the route takes')
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
    request.answer = reply.raw
    const leave = underWay.enter(client.subnet)
    if (!leave) {
      turnedAway('address')
      return void reply
        .code(429)
        .headers({ 'content-type': jsonType, 'retry-after': 1 })
        .send(failureAt(request.url, 429, tooMany))
    }
    reply.raw.on('close', leave)
    if (!isKnownHost(request.raw))
      return void reply
        .code(403)
        .header('content-type', jsonType)
        .send(failureAt(request.url, 403, 'the Host header does not name this service'))
    const refusal = options.refused?.(client)
    if (refusal !== undefined)
      return void reply
        .code(403)
        .header('content-type', jsonType)
        .send(failureAt(request.url, 403, refusal))
    const { origin } = request.headers
    if (origin !== undefined && !options.origin(origin, request.raw, client))
      return void reply
        .code(403)
        .header('content-type', jsonType)
        .send(failureAt(request.url, 403, 'pages of this origin may not call this service'))
    reply.headers(standingHeaders)
    const go = (): void => {
      // Routes of these methods read none: it shall not wait in the buffers of the connection while a stream is answered.
      if (request.method === 'GET' || request.method === 'HEAD') request.raw.resume()
      done()
    }
    const account = time?.ofAddress(request)
    if (!account) return go()
    time!.pass(request, account, go, (seconds) => refuseForTime(request, reply, seconds))
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0]!
    const methods = options.allowed(path)
    reply.header('content-type', jsonType)
    if (methods !== undefined && !methods.split(', ').includes(request.method))
      return reply
        .code(405)
        .header('allow', methods)
        .send(failureAt(request.url, 405, `use ${methods}`))
    return reply.code(404).send(failureAt(request.url, 404, 'nothing is served at this path'))
  })
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
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
    if (status === 429) reply.header('retry-after', 1)
    return reply
      .code(status)
      .header('content-type', jsonType)
      .send(failureAt(request.url, status, sentence))
  })

  return {
    app,
    time,
    bodies,
    get server() {
      return server!
    },
    async close(grace) {
      const closing = Promise.all([
        app.close(),
        new Promise<void>((resolve) => {
          server!.close(() => resolve())
        }),
      ])
      // A kept-alive connection becomes idle when its answer is out, which nobody else notices.
      const idle = setInterval(() => server!.closeIdleConnections(), closeCheck)
      const timer = setTimeout(() => server!.closeAllConnections(), grace)
      await closing
      clearTimeout(timer)
      clearInterval(idle)
    },
  }
}
