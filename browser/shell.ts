import type { ListenerBounds } from '../platform/bounded-listener.ts'
import type { Clock } from '../platform/clock.ts'
import type { Assets } from '../companion/page/assets.ts'
import type { JoinedPages } from '../companion/remote-rooms/remote-rooms.ts'
import { createPageServer } from '../companion/page/page-server.ts'
import type { Relay } from '../companion/relay/relay.ts'
import type { RpcServer } from '../companion/rpc/server.ts'
import { createSessions } from './sessions.ts'

/** Serves the page and its RPC on loopback. */
export type BrowserShell = Readonly<Awaited<ReturnType<typeof createBrowserShell>>>

const host = '127.0.0.1'
const maxPages = 32
/** In ms. Terminals keep the URL for longer; each start prints a new one. */
const addressLife = 60 * 60_000

/** Starts the browser shell. Rejects when the port is in use. */
export async function createBrowserShell(ports: {
  readonly assets: Assets
  readonly rpc: Pick<RpcServer, 'attach'>
  readonly relay: Relay
  readonly joined: JoinedPages
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: (bytes: number) => Buffer
  readonly bounds: ListenerBounds
  /** Port on 127.0.0.1; 0 for any free one. */
  readonly port: number
}) {
  const sessions = createSessions(ports)
  const server = await createPageServer({
    assets: ports.assets,
    relay: ports.relay,
    joined: ports.joined,
    authority: {
      trade: (body) => {
        const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined
        return Promise.resolve(typeof token === 'string' && token.length <= 128 ? sessions.trade(token) : undefined)
      },
      // All browsers on this computer count as one person.
      holder: (session) => (sessions.knows(session) ? 'here' : undefined),
      authMethod: 'link',
    },
    attach: (line) => ports.rpc.attach(line),
    host,
    port: ports.port,
    names: () => [host, 'localhost'],
    bounds: ports.bounds,
    ownUserOnly: true,
    maxPages,
  })
  return {
    port: server.port,
    /** A URL with a new one-time token in its fragment, valid for an hour. */
    address: (): string => `http://${host}:${server.port}/#token=${sessions.mint(addressLife)}`,
    close: () => server.close(),
  }
}
