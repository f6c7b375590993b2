import type { ListenerBounds } from '../platform/bounded-listener.ts'
import type { Clock } from '../companion/clock.ts'
import type { Assets } from '../companion/page/assets.ts'
import type { JoinedPages } from '../companion/remote-rooms/joining.ts'
import { createPageServer } from '../companion/page/page-server.ts'
import type { Relay } from '../companion/relay/relay.ts'
import type { RpcServer } from '../companion/rpc/server.ts'
import { createSessions } from './sessions.ts'

/** What the browser shell serves. */
export interface BrowserShellPorts {
  readonly assets: Assets
  readonly rpc: Pick<RpcServer, 'attach'>
  readonly relay: Relay
  /** Rooms on other computers. */
  readonly joined: JoinedPages
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: (bytes: number) => Buffer
  /** Connections that the listener holds. */
  readonly bounds: ListenerBounds
  /** 0 for any free port. Always on 127.0.0.1. */
  readonly port: number
}

/** The page and its RPC on loopback. */
export interface BrowserShell {
  readonly port: number
  /** An address with a fresh one-time token in its fragment, good for an hour. */
  address(): string
  close(): Promise<void>
}

const host = '127.0.0.1'
const maxPages = 32
/** How long an address is good, in ms. Terminals and their logs keep it for longer; each start of the app prints a new one. */
const addressLife = 60 * 60_000

/** Starts the browser shell. Rejects when the port is taken. */
export async function createBrowserShell(ports: BrowserShellPorts): Promise<BrowserShell> {
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
      // Whoever sits at this computer is one person, however many browsers they sign in.
      holder: (session) => (sessions.knows(session) ? 'here' : undefined),
      door: 'link',
    },
    attach: (line) => {
      ports.rpc.attach(line)
    },
    host,
    port: ports.port,
    names: () => [host, 'localhost'],
    bounds: ports.bounds,
    ownUserOnly: true,
    maxPages,
  })
  return {
    port: server.port,
    address: () => `http://${host}:${server.port}/#token=${sessions.mint(addressLife)}`,
    close: () => server.close(),
  }
}
