import type http from 'node:http'
import type { Duplex } from 'node:stream'
import { pipeline, Readable } from 'node:stream'
import { pipeline as writeOut } from 'node:stream/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { diskRefusalOf } from '../../platform/full-disk.ts'
import { createHttpListener, type ListenerBounds } from '../../platform/bounded-listener.ts'
import { listenOn } from '../../platform/listen.ts'
import type { JoinedPages } from '../remote-rooms/remote-rooms.ts'
import type { MediaAnswer } from '../relay/media-answer.ts'
import type { Relay } from '../relay/relay.ts'
import { type Line, maxMessage } from '../lines/connection.ts'
import { socketLine } from '../lines/lines.ts'
import type { Assets } from './assets.ts'
import { createOpenPages } from './open-pages.ts'
import { pageHeaders } from './policy.ts'
import { createRequestGuard } from './request-guard.ts'
import { createSessionCookie } from './session-cookie.ts'

/** Exchanges what is posted to /session for a session id, kept in a cookie. */
interface Authority {
  /** Undefined when refused. `device` is the User-Agent. */
  trade(body: unknown, from: string, device: string): Promise<string | undefined>
  /** Pages of one holder are counted together; undefined for an invalid session. */
  holder(session: string): string | undefined
  /** How people sign in: start link, or account with token. */
  readonly authMethod: 'link' | 'account'
  /** Ends the session on sign-out. */
  leave?(session: string): Promise<void>
  /** Time that sign-ins are refused, in ms. */
  wait?(body: unknown, from: string): number
}

/** The page, its RPC and its media on one listener. */
export type PageServer = Readonly<Awaited<ReturnType<typeof createPageServer>>>

const maxBody = 1_024
const aliveEvery = 15_000
/** TLS copies what was written and not taken yet. */
const pieceBytes = 64 * 1024
/** Tells a page how people sign in. */
const doorHeader = 'sidestage-door'

/** Undefined for invalid JSON or over 1 KiB, which is read to its end for the next request. */
async function readJson(request: http.IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request as AsyncIterable<Buffer>) if ((size += part.length) <= maxBody) parts.push(part)
  if (size > maxBody) return undefined
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}

function* pieces(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Starts the listener; rejects when the port is taken. */
export async function createPageServer(ports: {
  readonly assets: Assets
  readonly relay: Relay
  readonly authority: Authority
  readonly joined?: JoinedPages
  readonly attach: (line: Line, session: string) => void
  /** Port 0: any free one. */
  readonly host: string
  readonly port: number
  readonly names: () => readonly string[]
  readonly tls?: { readonly key: string; readonly cert: string }
  readonly bounds: ListenerBounds
  /** Refuses connections of other users, where the system tells. */
  readonly ownUserOnly?: boolean
  readonly maxPages: number
  /** Default: `maxPages`. */
  readonly pagesOfHolder?: number
  /** Interval of pings in ms; default 15 s. */
  readonly aliveEvery?: number
}) {
  const { authority } = ports
  const headers = pageHeaders(ports.assets.policy)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessage * 4,
    perMessageDeflate: false,
    clientTracking: true,
  })
  let port = 0

  const { isForeign, isOurHost, isOurOrigin, isElsewhere } = createRequestGuard({
    scheme: ports.tls ? 'https' : 'http',
    names: ports.names,
    port: () => port,
    ownUserOnly: ports.ownUserOnly === true,
  })
  const cookie = createSessionCookie(() => port, ports.tls !== undefined)
  const pages = createOpenPages({
    maxPages: ports.maxPages,
    pagesOfHolder: ports.pagesOfHolder ?? ports.maxPages,
    holder: (session) => authority.holder(session),
    connections: () => sockets.clients,
  })
  const sessionOf = (request: http.IncomingMessage): string | undefined => {
    for (const session of cookie.read(request.headers.cookie))
      if (authority.holder(session) !== undefined) return session
    return undefined
  }
  const isSignedIn = (request: http.IncomingMessage): boolean => sessionOf(request) !== undefined
  const answer = (response: http.ServerResponse, status: number, more: Record<string, string> = {}): void => {
    response.writeHead(status, { ...headers, 'cache-control': 'no-store', ...more })
    response.end()
  }

  const session = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    if (request.method === 'GET' || request.method === 'HEAD')
      return answer(response, isSignedIn(request) ? 204 : 401, { [doorHeader]: authority.authMethod })
    if (request.method !== 'POST' && !(request.method === 'DELETE' && authority.leave))
      return answer(response, 405, { allow: `GET, POST${authority.leave ? ', DELETE' : ''}` })
    if (!isOurOrigin(request)) return answer(response, 403)
    if (request.method === 'DELETE') {
      const ours = sessionOf(request)
      if (ours !== undefined) {
        await authority.leave?.(ours)
        pages.end(ours)
      }
      return answer(response, 204, cookie.clear())
    }
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return answer(response, 415)
    const from = request.socket.remoteAddress ?? ''
    const body = await readJson(request)
    const made = await authority.trade(body, from, (request.headers['user-agent'] ?? '').slice(0, 200))
    if (made === undefined) {
      const wait = Math.ceil((authority.wait?.(body, from) ?? 0) / 1000)
      return answer(response, 401, { connection: 'close', ...(wait > 0 && { 'retry-after': String(wait) }) })
    }
    return answer(response, 204, cookie.write(made))
  }

  const joined = async (
    rooms: JoinedPages,
    request: http.IncomingMessage,
    asked: Parameters<JoinedPages['fetch']>[0],
  ): Promise<MediaAnswer> => {
    const refusal = (status: number): MediaAnswer => ({
      status,
      headers: { ...headers, 'cache-control': 'no-store' },
      body: undefined,
    })
    if (asked.method === 'GET' || asked.method === 'HEAD') return rooms.fetch(asked)
    if (!isOurOrigin(request)) return refusal(403)
    if (asked.method !== 'POST') return rooms.fetch(asked)
    return /^application\/json\b/i.test(request.headers['content-type'] ?? '')
      ? rooms.fetch({ ...asked, body: await readJson(request) })
      : refusal(415)
  }

  const media = async (request: http.IncomingMessage, response: http.ServerResponse, path: string): Promise<void> => {
    if (!isSignedIn(request)) return answer(response, 401)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const asked = { method: request.method ?? '', path, range: request.headers.range, signal: gone.signal }
    const found = await (ports.joined && path.startsWith('/joined/')
      ? joined(ports.joined, request, asked)
      : ports.relay.fetch(asked))
    if (gone.signal.aborted) {
      found.body?.destroy()
      return
    }
    response.writeHead(found.status, found.headers)
    if (!found.body) response.end()
    else pipeline(found.body, response, () => gone.abort())
  }

  const page = async (request: http.IncomingMessage, response: http.ServerResponse, path: string): Promise<void> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, { allow: 'GET, HEAD' })
    const asset = ports.assets.find(path)
    if (!asset) return answer(response, 404)
    const bytes = await asset.read()
    response.writeHead(200, {
      ...headers,
      'content-type': asset.type,
      'content-length': String(bytes.length),
      'cache-control': asset.lasting ? 'private, max-age=31536000, immutable' : 'no-store',
    })
    if (request.method === 'HEAD') response.end()
    else await writeOut(Readable.from(pieces(bytes), { objectMode: false }), response)
  }

  const handle = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    if (await isForeign(request.socket)) return answer(response, 403, { connection: 'close' })
    if (!isOurHost(request)) return answer(response, 421, { connection: 'close' })
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    // Links from elsewhere may open the page itself, and nothing else.
    if (
      isElsewhere(request) &&
      !(path === '/' && request.headers['sec-fetch-mode'] === 'navigate' && request.headers.origin === undefined)
    )
      return answer(response, 403)
    if (path === '/session') return session(request, response)
    if (path.startsWith('/media/') || (ports.joined && path.startsWith('/joined/')))
      return media(request, response, path)
    return page(request, response, path)
  }
  const refuse = (socket: Duplex, status: string): void => {
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
  }
  const takeOver = async (
    request: http.IncomingMessage,
    socket: Duplex,
    head: Buffer,
    keep: () => void,
  ): Promise<void> => {
    socket.on('error', () => undefined)
    if (await isForeign(request.socket)) return refuse(socket, '403 Forbidden')
    if (!isOurHost(request)) return refuse(socket, '421 Misdirected Request')
    if (!isOurOrigin(request)) return refuse(socket, '403 Forbidden')
    const elsewhere = ports.joined ? /^\/joined\/([0-9a-f]{16})\/rpc$/.exec(request.url ?? '')?.[1] : undefined
    if (request.url !== '/rpc' && elsewhere === undefined) return refuse(socket, '404 Not Found')
    const session = sessionOf(request)
    const holder = session === undefined ? undefined : authority.holder(session)
    if (session === undefined || holder === undefined) return refuse(socket, '401 Unauthorized')
    if (!pages.hasPlace(holder)) return refuse(socket, '503 Service Unavailable')
    keep()
    return sockets.handleUpgrade(request, socket, head, (opened: WebSocket) => {
      opened.on('error', () => undefined)
      pages.add(opened, { session, holder })
      if (ports.joined && elsewhere !== undefined) ports.joined.attach(socketLine(opened), elsewhere)
      else ports.attach(socketLine(opened), session)
    })
  }
  const server = createHttpListener(
    ports.bounds,
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy()
        // 507 Insufficient Storage: sessions are stored, and the disk is full.
        else answer(response, diskRefusalOf(error) ? 507 : 500)
      })
    },
    {
      tls: ports.tls,
      upgrade: {
        accept: (request, socket, head, keep) => {
          takeOver(request, socket, head, keep).catch(() => socket.destroy())
        },
      },
    },
  )

  port = await listenOn(server, ports.host, ports.port)
  // Lost connections would keep their place; ended sessions end their pages.
  const asking = setInterval(() => pages.check(), ports.aliveEvery ?? aliveEvery)
  return {
    port,
    end: (session: string) => pages.end(session),
    close: async () => {
      clearInterval(asking)
      pages.close()
      sockets.close()
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
      server.closeAllConnections()
      await closed
    },
  }
}
