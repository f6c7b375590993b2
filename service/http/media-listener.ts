import type { FastifyPluginCallback } from 'fastify'
import { linkPath } from '../../contract/link/frames.ts'
import { embedPath, visitPath, watchPath } from '../../contract/watch.ts'
import { plainFailure } from './failures.ts'
import { createListener, type Listener, type ListenerOptions, type Upgrade } from './listener.ts'
import type { ListenerTime } from './request-time.ts'

/** Cache lifetime of a preflight, in s. */
const preflightAge = 600

/** Makes the listener of pull streams, files and the link, with CORS headers for the listed origins. */
export function createMediaListener(
  options: ListenerOptions & {
    readonly time: ListenerTime
    readonly routes: readonly FastifyPluginCallback[]
    /** May change while it is used. */
    readonly origins: Pick<readonly string[], 'includes'>
    /** Serves the client link (behaviour.md#the-link); by default its path is unknown. */
    readonly link?: Upgrade | undefined
  },
): Listener {
  const { origins } = options
  const listener = createListener({
    publicHosts: options.publicHosts,
    clients: options.clients,
    requestId: options.requestId,
    log: options.log,
    bounds: options.bounds,
    time: { ...options.time, isUnsigned: true },
    origin: () => true,
    allowed: (path) =>
      (path.startsWith(watchPath) && /\/(guest|enter)$/.test(path)) ||
      (path.startsWith(visitPath) && /\/(begin|step)$/.test(path))
        ? 'POST'
        : ['/live/', '/files/', '/recordings/', watchPath, embedPath, visitPath].some((prefix) =>
              path.startsWith(prefix),
            )
          ? 'GET, HEAD'
          : undefined,
    // The watch page is served here, and the Host was checked.
    upgrade: options.link && {
      path: linkPath,
      origin: (origin, { headers }, { scheme }) => origins.includes(origin) || origin === `${scheme}://${headers.host}`,
      accept: options.link,
    },
  })
  listener.app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    // On the raw response, as streaming routes bypass the reply.
    reply.raw.setHeader('vary', 'Origin')
    if (origin !== undefined && origins.includes(origin)) {
      reply.raw.setHeader('access-control-allow-origin', origin)
      reply.raw.setHeader('access-control-expose-headers', 'content-length, content-range')
      if (request.method === 'OPTIONS') {
        reply.raw.setHeader('access-control-allow-methods', 'GET, HEAD')
        reply.raw.setHeader('access-control-allow-headers', 'range')
        reply.raw.setHeader('access-control-max-age', String(preflightAge))
        return void reply.code(204).send()
      }
    } else if (request.method === 'OPTIONS') {
      return void reply
        .code(403)
        .header('content-type', 'application/json; charset=utf-8')
        .send(plainFailure(403, 'pages of this origin may not read this service'))
    }
    done()
  })
  for (const routes of options.routes) void listener.app.register(routes)
  return listener
}
