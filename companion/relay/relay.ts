import http from 'node:http'
import https from 'node:https'
import { ownPreviewHeader } from '../../contract/own-preview.ts'
import type { DescriptorShare } from '../../platform/descriptors.ts'
import { Failure } from '../failure.ts'
import { mediaAnswer, type MediaAnswer, mediaHeaders, type MediaRequest, plainAnswer } from './media-answer.ts'
import { rewritePlaylist } from './playlist.ts'
import { ledTo, pinned, type Resolve } from './target.ts'
import { isGranted, type Ticket, type Tickets } from './tickets.ts'
import { isByteRange } from '../../platform/byte-range.ts'

/** Relays streams and recorded files to pages under tickets. */
export type Relay = ReturnType<typeof createRelay>

/** Until the headers, and between two parts, in ms. */
const headPatience = 10_000
const silence = 30_000
const headBytes = 16 * 1024
/** How often one request is led on: a push may have moved meanwhile. */
const mostLed = 2

function granted(ticket: Ticket, rest: readonly string[]): URL | undefined {
  const [first = '', second = ''] = rest
  if (rest.length === 1 && first === `${ticket.cid}.flv`) return ticket.flv
  return rest.length === 2 && first === 'hls' && second === 'playlist.m3u8' ? ticket.hls : undefined
}

async function targetOf(ticket: Ticket, rest: readonly string[]): Promise<URL | undefined> {
  if (ticket.file) return rest.length === 1 && rest[0] === ticket.file.name ? ticket.file.url() : undefined
  const [mac, encoded] = rest
  // Of a playlist, whose addresses were checked when it passed.
  if (rest.length === 3 && mac !== undefined && encoded !== undefined) return ticket.urlOf(mac, encoded)
  const url = granted(ticket, rest)
  return url && isGranted(ticket, url) ? url : undefined
}

/** Creates the relay. Names are resolved once, and that address is used. */
export function createRelay(ports: {
  readonly tickets: Tickets
  readonly resolve: Resolve
  readonly descriptors?: DescriptorShare
  readonly ca?: string
}) {
  const { descriptors } = ports
  const requestAt = (
    url: URL,
    address: string,
    ticket: Ticket,
    request: MediaRequest,
    signal: AbortSignal,
  ): http.ClientRequest => {
    const secured = url.protocol === 'https:'
    return (secured ? https : http).request(url, {
      method: request.method,
      signal,
      agent: false,
      maxHeaderSize: headBytes,
      // Connect to the checked address.
      lookup: (_host, options, done) => {
        const family = address.includes(':') ? 6 : 4
        if (options.all) done(null, [{ address, family }])
        else done(null, address, family)
      },
      ...(secured && ports.ca !== undefined ? { ca: ports.ca } : {}),
      headers: {
        accept: '*/*',
        ...(request.range === undefined ? {} : { range: request.range }),
        ...(ticket.mark ? { [ownPreviewHeader]: ticket.mark() } : {}),
      },
    })
  }
  const send = async (
    ticket: Ticket,
    url: URL,
    request: MediaRequest,
    signal: AbortSignal,
  ): Promise<http.IncomingMessage> => {
    const address = await pinned(url, ticket.allowed, ports.resolve)
    const give = ports.tickets.transfer(ticket)
    if (!give) throw new Failure('unreachable', 'too many streams are relayed for this page')
    if (descriptors && !descriptors.take()) {
      give()
      throw new Failure('unreachable', 'too many streams are relayed')
    }
    const giveBoth = (): void => {
      give()
      descriptors?.give()
    }
    let sent: http.ClientRequest
    try {
      sent = requestAt(url, address, ticket, request, signal)
    } catch (error) {
      giveBoth()
      throw error
    }
    return new Promise((resolve, reject) => {
      sent.once('close', giveBoth)
      const timer = setTimeout(() => sent.destroy(new Failure('unreachable', `${url.host}: no answer`)), headPatience)
      sent.once('response', (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      sent.once('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      sent.setTimeout(silence, () => sent.destroy(new Failure('unreachable', `${url.host}: the stream stopped`)))
      sent.end()
    })
  }

  /** Asks for it, also where the service leads; with the address that answered. */
  const ask = async (ticket: Ticket, first: URL, request: MediaRequest, signal: AbortSignal) => {
    let url = first
    for (let led = 0; ; led++) {
      const answer = await send(ticket, url, request, signal)
      const next = ticket.isLed && led < mostLed ? ledTo(url, answer.statusCode, answer.headers.location) : undefined
      if (!next) return { url, answer }
      answer.destroy()
      url = next
    }
  }

  return {
    fetch: async (request: MediaRequest): Promise<MediaAnswer> => {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        return { ...plainAnswer(405), headers: { ...mediaHeaders, allow: 'GET, HEAD' } }
      const [root, id, ...rest] = request.path.split('/').slice(1)
      const ticket = root === 'media' && id !== undefined ? ports.tickets.use(id) : undefined
      const url = ticket && (await targetOf(ticket, rest).catch(() => 'unknown' as const))
      if (!ticket || !url) return plainAnswer(404)
      if (url === 'unknown') return plainAnswer(502)
      if (request.range !== undefined && !isByteRange(request.range)) return plainAnswer(416)
      const signal = AbortSignal.any([request.signal, ticket.ended])
      let asked: Awaited<ReturnType<typeof ask>>
      try {
        asked = await ask(ticket, url, request, signal)
      } catch {
        return plainAnswer(502)
      }
      const at = asked.url
      return mediaAnswer(asked.answer, request.method, at.pathname, (text) =>
        rewritePlaylist(text, at, (found) =>
          found && isGranted(ticket, found, at.origin) ? ticket.pathOf(found) : '/media/refused',
        ),
      )
    },
  }
}
