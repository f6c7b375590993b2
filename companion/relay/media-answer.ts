import type http from 'node:http'
import { Readable } from 'node:stream'
import { playlistBytes } from './playlist.ts'

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

/** Types that a player or a picture needs, none of which runs anything; anything else is handed on as plain bytes, so that no page can come through the relay. */
const mediaType =
  /^(video\/[a-z0-9.+-]+|image\/(png|jpeg|gif|webp|bmp)|audio\/[a-z0-9.+-]+|application\/(vnd\.apple\.mpegurl|x-mpegurl|octet-stream))$/i
const playlistType = /mpegurl/i

/** What every relayed answer says, so that nothing of it runs or is kept. */
export const mediaHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}
/** An answer without a body. */
export const plainAnswer = (status: number): MediaAnswer => ({ status, headers: mediaHeaders, body: undefined })

async function playlist(answer: http.IncomingMessage, rewrite: (text: string) => string): Promise<MediaAnswer> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      if ((size += part.length) > playlistBytes) {
        answer.destroy()
        return plainAnswer(502)
      }
      parts.push(part)
    }
    const bytes = Buffer.from(rewrite(Buffer.concat(parts).toString('utf8')))
    return {
      status: 200,
      headers: {
        ...mediaHeaders,
        'content-type': 'application/vnd.apple.mpegurl',
        'content-length': String(bytes.length),
      },
      body: Readable.from([bytes]),
    }
  } catch {
    return plainAnswer(502)
  }
}

/** What is handed on of an upstream answer: media as bytes, playlists rewritten, redirects not at all. `rewrite` may throw for what is no playlist. */
export async function mediaAnswer(
  answer: http.IncomingMessage,
  method: string,
  path: string,
  rewrite: (text: string) => string,
): Promise<MediaAnswer> {
  const status = answer.statusCode ?? 502
  const type = (answer.headers['content-type'] ?? '').split(';')[0]?.trim() ?? ''
  if (status !== 200 && status !== 206) {
    answer.destroy()
    // A redirect could lead anywhere, so it is a fault of the far side; other refusals are passed on by their number.
    return plainAnswer(status >= 400 && status < 600 ? status : 502)
  }
  if (method === 'GET' && (playlistType.test(type) || path.endsWith('.m3u8'))) return playlist(answer, rewrite)
  const headers: Record<string, string> = {
    ...mediaHeaders,
    'content-type': mediaType.test(type) ? type : 'application/octet-stream',
  }
  for (const name of ['content-length', 'content-range', 'accept-ranges'] as const) {
    const value = answer.headers[name]
    if (value !== undefined && !playlistType.test(type)) headers[name] = value
  }
  if (method === 'HEAD') {
    answer.destroy()
    return { status, headers, body: undefined }
  }
  return { status, headers, body: answer }
}
