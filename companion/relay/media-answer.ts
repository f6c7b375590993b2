import type http from 'node:http'
import { Readable } from 'node:stream'
import { playlistBytes } from './playlist.ts'

/** A page's request for media. */
export interface MediaRequest {
  readonly method: string
  /** Begins with `/media/`; without a query. */
  readonly path: string
  readonly range?: string | undefined
  readonly signal: AbortSignal
}

/** The body must be read or destroyed. */
export interface MediaAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Readable | undefined
}

/** Other types are sent as plain bytes, so that nothing relayed can run. */
const mediaType =
  /^(video\/[a-z0-9.+-]+|image\/(png|jpeg|gif|webp|bmp)|audio\/[a-z0-9.+-]+|application\/(vnd\.apple\.mpegurl|x-mpegurl|octet-stream))$/i
const playlistType = /mpegurl/i

/** Headers of relayed answers: nothing runs or is cached. */
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
    const own = { 'content-type': 'application/vnd.apple.mpegurl', 'content-length': String(bytes.length) }
    return { status: 200, headers: { ...mediaHeaders, ...own }, body: Readable.from([bytes]) }
  } catch {
    return plainAnswer(502)
  }
}

/** Relays media as bytes and rewrites playlists; refuses a redirect. `rewrite` may throw. */
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
    // A redirect could lead anywhere; other refusals keep their status.
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
