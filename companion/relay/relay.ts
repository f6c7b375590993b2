import http from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { Failure } from '../failure.ts'
import { playlistBytes, rewritePlaylist } from './playlist.ts'
import { pinned, type Resolve } from './target.ts'
import { isGranted, type Ticket, type Tickets } from './tickets.ts'

/** A request of a page for media, as either shell hands it over. */
export interface MediaRequest {
  readonly method: string
  /** Path beginning with `/media/`, without a query. */
  readonly path: string
  readonly range?: string | undefined
  /** Aborted when the page is gone. */
  readonly signal: AbortSignal
}

/** The answer for the page; the body must be read or destroyed. */
export interface MediaAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Readable | undefined
}

/** Relays the pull streams of channels and recorded files to pages under tickets. */
export interface Relay {
  fetch(request: MediaRequest): Promise<MediaAnswer>
}

/** Until the head of an upstream answer, and the longest silence inside one, in ms. */
const headPatience = 10_000
const silence = 30_000
const headBytes = 16 * 1024
/** Types that a player or a picture needs, none of which runs anything; anything else is handed on as plain bytes, so that no page can come through the relay. */
const mediaType = /^(video\/[a-z0-9.+-]+|image\/(png|jpeg|gif|webp|bmp)|audio\/[a-z0-9.+-]+|application\/(vnd\.apple\.mpegurl|x-mpegurl|octet-stream))$/i
const playlistType = /mpegurl/i

const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}
const plain = (status: number): MediaAnswer => ({ status, headers: always, body: undefined })

function granted(ticket: Ticket, first: string | undefined, encoded: string | undefined, name: string | undefined, parts: number): URL | undefined {
  if (parts === 1 && first === `${ticket.cid}.flv`) return ticket.flv
  if (parts === 2 && first === 'hls' && encoded === 'playlist.m3u8') return ticket.hls
  if (parts === 3 && first !== undefined && encoded !== undefined && name !== undefined) return ticket.urlOf(first, encoded)
  return undefined
}

/** The address that a path under a ticket stands for. Throws Failure. */
async function targetOf(ticket: Ticket, rest: readonly string[]): Promise<URL | undefined> {
  const [first, encoded, name] = rest
  if (ticket.file) return rest.length === 1 && first === ticket.file.name ? ticket.file.url() : undefined
  const url = granted(ticket, first, encoded, name, rest.length)
  return url && isGranted(ticket, url) ? url : undefined
}

/** Creates the relay. Redirects are refused, names are resolved once per request and the connection goes to that very address. */
export function createRelay(ports: { readonly tickets: Tickets; readonly resolve: Resolve; readonly ca?: string }): Relay {
  const send = async (ticket: Ticket, url: URL, request: MediaRequest, signal: AbortSignal): Promise<http.IncomingMessage> => {
    const address = await pinned(url, ticket.allowed, ports.resolve)
    const secured = url.protocol === 'https:'
    return new Promise((resolve, reject) => {
      const sent = (secured ? https : http).request(url, {
        method: request.method,
        signal,
        agent: false,
        maxHeaderSize: headBytes,
        // The address that was checked, whatever the name says by now.
        lookup: (_host, options, done) => {
          const family = address.includes(':') ? 6 : 4
          if (options.all) done(null, [{ address, family }])
          else done(null, address, family)
        },
        ...(secured && ports.ca !== undefined ? { ca: ports.ca } : {}),
        headers: { accept: '*/*', ...(request.range === undefined ? {} : { range: request.range }) },
      })
      const timer = setTimeout(() => {
        sent.destroy(new Failure('unreachable', `${url.host}: no answer`))
      }, headPatience)
      sent.once('response', (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      sent.once('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      sent.setTimeout(silence, () => {
        sent.destroy(new Failure('unreachable', `${url.host}: the stream stopped`))
      })
      sent.end()
    })
  }

  const playlist = async (ticket: Ticket, url: URL, answer: http.IncomingMessage): Promise<MediaAnswer> => {
    const parts: Buffer[] = []
    let size = 0
    for await (const part of answer as AsyncIterable<Buffer>) {
      if ((size += part.length) > playlistBytes) {
        answer.destroy()
        return plain(502)
      }
      parts.push(part)
    }
    try {
      const text = rewritePlaylist(Buffer.concat(parts).toString('utf8'), url, (found) =>
        found && isGranted(ticket, found) ? ticket.pathOf(found) : '/media/refused',
      )
      const bytes = Buffer.from(text)
      return {
        status: 200,
        headers: { ...always, 'content-type': 'application/vnd.apple.mpegurl', 'content-length': String(bytes.length) },
        body: Readable.from([bytes]),
      }
    } catch {
      return plain(502)
    }
  }

  return {
    fetch: async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return { ...plain(405), headers: { ...always, allow: 'GET, HEAD' } }
      const [root, id, ...rest] = request.path.split('/').slice(1)
      const ticket = root === 'media' && id !== undefined ? ports.tickets.use(id) : undefined
      const url = ticket && (await targetOf(ticket, rest).catch(() => 'unknown' as const))
      if (!ticket || !url) return plain(404)
      if (url === 'unknown') return plain(502)
      if (request.range !== undefined && !/^bytes=\d{0,15}-\d{0,15}$/.test(request.range)) return plain(416)
      const signal = AbortSignal.any([request.signal, ticket.ended])
      let answer: http.IncomingMessage
      try {
        answer = await send(ticket, url, request, signal)
      } catch {
        return plain(502)
      }
      const status = answer.statusCode ?? 502
      const type = (answer.headers['content-type'] ?? '').split(';')[0]?.trim() ?? ''
      if (status !== 200 && status !== 206) {
        answer.destroy()
        // A redirect could lead anywhere, so it is a fault of the far side; other refusals are passed on by their number.
        return plain(status >= 400 && status < 600 ? status : 502)
      }
      if (request.method === 'GET' && (playlistType.test(type) || url.pathname.endsWith('.m3u8'))) {
        try {
          return await playlist(ticket, url, answer)
        } catch {
          return plain(502)
        }
      }
      const headers: Record<string, string> = { ...always, 'content-type': mediaType.test(type) ? type : 'application/octet-stream' }
      for (const name of ['content-length', 'content-range', 'accept-ranges'] as const) {
        const value = answer.headers[name]
        if (value !== undefined && !playlistType.test(type)) headers[name] = value
      }
      if (request.method === 'HEAD') {
        answer.destroy()
        return { status, headers, body: undefined }
      }
      return { status, headers, body: answer }
    },
  }
}
