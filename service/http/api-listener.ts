import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import type { Code } from '../../contract/errors.ts'
import { operations } from '../../contract/operations/index.ts'
import type { Application } from '../applications.ts'
import type { Log } from '../log.ts'
import type { Authentication } from './authentication.ts'
import { dispatch, pathPrefix, type Served } from './dispatch.ts'
import { maxUploadBody } from './incoming-body.ts'
import { plainFailure } from './failures.ts'
import { createListener, type Listener, type ListenerOptions, type ServerTls } from './listener.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { RequestCounts } from './request-counts.ts'
import type { ListenerTime } from './request-time.ts'
import type { Spans } from '../tracing/spans.ts'

const needsTls =
  'signed calls come over TLS only: others on this network could use their headers. ' +
  'A trusted proxy with TLS says so by X-Forwarded-Proto: https'

/** Makes the listener of signed operations. Not for pages: no other Origin, no CORS headers. */
export function createApiListener(
  options: ListenerOptions & {
    readonly time: ListenerTime
    readonly served: readonly Served[]
    readonly authentication: Authentication<Application>
    readonly limiter: RateLimiter
    readonly log: Log
    readonly counts?: Pick<RequestCounts, 'answered'> | undefined
    readonly spans?: Spans | undefined
    readonly failing?: ((uid: number, path: string) => Code | undefined) | undefined
    /** Routes other than operations with authorisation of their own (playback by ticket), and their path prefix. */
    readonly routes?: { readonly prefix: string; readonly plugin: FastifyPluginCallback } | undefined
    readonly origins?: readonly string[] | undefined
    /** Speaks only HTTPS with it. */
    readonly tls?: ServerTls | undefined
  },
): Listener {
  const { served, routes } = options
  const servedOnes = new Set(served.map(({ operation }) => operation))
  const here = operations.filter((operation) => operation.startFlag === undefined || servedOnes.has(operation))
  for (const operation of here)
    if (servedOnes.has(operation) === (operation.pending === true))
      throw new Error(
        `${operation.path} is ${operation.pending ? 'pending in the contract but served' : 'in the contract but not served'}`,
      )
  const paths = new Map(here.map((operation) => [pathPrefix(operation) + operation.path, operation]))
  const listener = createListener({
    publicHosts: options.publicHosts,
    clients: options.clients,
    requestId: options.requestId,
    log: options.log,
    bounds: options.bounds,
    tls: options.tls,
    time: options.time,
    // A refused upload leaves its connection usable.
    maxAnnounced: maxUploadBody,
    refused: ({ readable }) => (readable ? needsTls : undefined),
    origin: (origin, { headers }, { scheme }) =>
      origin === `${scheme}://${headers.host}` || options.origins?.includes(origin) === true,
    allowed: (path) => (paths.has(path) ? 'POST' : routes && path.startsWith(routes.prefix) ? 'GET, HEAD' : undefined),
  })
  dispatch(listener.app, served, { ...options, time: listener.time })
  if (routes) void listener.app.register(routes.plugin)
  for (const [url, operation] of paths) {
    if (!operation.pending) continue
    const notYet = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      reply
        .code(404)
        .header('content-type', 'application/json; charset=utf-8')
        .send(plainFailure(404, 'this operation is not served yet'))
    // Before the body is read, as these are not signed.
    listener.app.post(url, { onRequest: (request, reply) => void notYet(request, reply) }, notYet)
  }
  return listener
}
