import https from 'node:https'
import http from 'node:http'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { WebSocket } from 'ws'
import type { AppEvent, Rpc } from '../../../contract/rpc/index.ts'

/** The answer to a sign-in at the listener of moderators. */
export interface SignedIn {
  readonly status: number
  readonly cookie: string
  /** Seconds to wait before the next try, as it was told; 0 for none. */
  readonly wait: number
}

/** Posts to /session as the page does. */
export function signIn(
  url: string,
  body: object,
  over: { readonly agent?: string; readonly ca?: string } = {},
): Promise<SignedIn> {
  const at = new URL('/session', url)
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const request = (at.protocol === 'https:' ? https : http).request(
      at,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          origin: at.origin,
          'user-agent': over.agent ?? 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
        },
        ...(over.ca === undefined ? {} : { ca: over.ca }),
      },
      (response) => {
        response.resume()
        const [cookie = ''] = (response.headers['set-cookie']?.[0] ?? '').split(';')
        resolve({ status: response.statusCode ?? 0, cookie, wait: Number(response.headers['retry-after'] ?? 0) })
      },
    )
    request.on('error', reject)
    request.end(text)
  })
}

/** Signs a browser out, as the page of `origin` does; resolves with the status. */
export function signOut(url: string, cookie: string, origin = new URL(url).origin): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      new URL('/session', url),
      { method: 'DELETE', headers: { cookie, origin } },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    request.on('error', reject)
    request.end()
  })
}

/** A moderator's page over its WebSocket, with everything that it was sent. */
export interface SeatPage {
  readonly rpc: ContractRouterClient<Rpc>
  readonly events: AppEvent[]
  /** Every text that came, as it came. */
  readonly received: string[]
  readonly closed: Promise<void>
  close(): void
}

/** Opens the page of who is signed in. Rejects when the upgrade is refused. */
export async function openSeatPage(url: string, cookie: string, ca?: string): Promise<SeatPage> {
  const at = new URL('/rpc', url)
  const socket = new WebSocket(at.href.replace(/^http/, 'ws'), {
    headers: { cookie, origin: at.origin },
    ...(ca === undefined ? {} : { ca }),
  })
  const received: string[] = []
  socket.on('message', (data) => received.push((data as Buffer).toString('utf8')))
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve()
    })
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => undefined)
  const rpc = createORPCClient<ContractRouterClient<Rpc>>(
    new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
  )
  const events: AppEvent[] = []
  const follow = async (): Promise<void> => {
    for await (const event of await rpc.app.events()) events.push(event)
  }
  follow().catch(() => undefined)
  return {
    rpc,
    events,
    received,
    closed,
    close: () => {
      socket.close()
    },
  }
}
