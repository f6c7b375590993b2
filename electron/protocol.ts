import { Readable } from 'node:stream'
import type { Assets } from '../companion/page/assets.ts'
import { pageHeaders } from '../companion/page/policy.ts'
import type { JoinedPages } from '../companion/remote-rooms/remote-rooms.ts'
import type { Relay } from '../companion/relay/relay.ts'
import { appScheme, isOurs } from './origin.ts'

/** Privileges of the app's scheme: an origin of its own with fetch and streaming, without CSP bypass. */
export const schemePrivileges = {
  scheme: appScheme,
  privileges: {
    standard: true,
    secure: true,
    supportFetchAPI: true,
    stream: true,
    bypassCSP: false,
    allowServiceWorkers: false,
    corsEnabled: false,
  },
} as const

const maxBody = 1_024

/** Reads a JSON body; undefined when it is over 1 KiB or not JSON. */
async function readJson(request: Request): Promise<unknown> {
  try {
    const text = await request.text()
    return text.length <= maxBody ? (JSON.parse(text) as unknown) : undefined
  } catch {
    return undefined
  }
}

/** Serves the app's scheme: the built page, media through the relay, and requests of joined rooms' pages. */
export function serveScheme(ports: {
  readonly assets: Assets
  readonly relay: Relay
  readonly joined: JoinedPages
}): (request: Request) => Promise<Response> {
  const headers = pageHeaders(ports.assets.policy)
  const empty = (status: number): Response => new Response(null, { status, headers })
  return async (request) => {
    if (!isOurs(request.url)) return empty(404)
    const { pathname } = new URL(request.url)
    const isJoined = pathname.startsWith('/joined/')
    if (isJoined || pathname.startsWith('/media/')) {
      const found = await (isJoined ? ports.joined : ports.relay).fetch({
        ...(isJoined && request.method === 'POST' ? { body: await readJson(request) } : {}),
        method: request.method,
        path: pathname,
        range: request.headers.get('range') ?? undefined,
        signal: request.signal,
      })
      // Unloading the page cancels the stream, which ends the transfer.
      const body = found.body ? (Readable.toWeb(found.body) as ConstructorParameters<typeof Response>[0]) : null
      return new Response(body, { status: found.status, headers: found.headers })
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return empty(405)
    const asset = ports.assets.find(pathname)
    if (!asset) return empty(404)
    const bytes = request.method === 'HEAD' ? null : new Uint8Array(await asset.read())
    return new Response(bytes, { status: 200, headers: { ...headers, 'content-type': asset.type } })
  }
}
