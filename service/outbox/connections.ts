import type { Clock } from '../../platform/clock.ts'
import { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Admitted } from './address-guard.ts'
import { createLru } from '../../platform/lru.ts'

/** Targets with kept connections; their idle time (below the 5 s of many servers) and lifetime, in ms. */
const maxTargets = 32
const maxIdle = 4_000
const maxLife = 60_000

interface Pool {
  readonly addresses: string
  readonly agent: Agent
  /** Closes idle connections, and busy ones after use. */
  retire(): void
}

/**
 * Kept-alive connections to receivers, at most one per target (docs/decisions/005-message-copies.md). `clock` in ms;
 * `ca`: certificate authorities besides the system's.
 */
export function createConnections({ clock, ca }: { readonly clock: Clock; readonly ca?: string | undefined }) {
  const pools = createLru<Pool>(maxTargets, (pool) => pool.retire())

  const createPool = (isSecure: boolean, addresses: string): Pool => {
    const options = { keepAlive: true, maxFreeSockets: 1, timeout: maxIdle }
    const agent = isSecure ? new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) }) : new Agent(options)
    const since = new WeakMap<object, number>()
    let isRetired = false
    // The documentation defines a return value, the type does not.
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Parameters<Agent['keepSocketAlive']>[0]) => unknown
    agent.keepSocketAlive = (socket) => {
      // A receiver with one connection at a time is blocked for others until this one ends.
      const isAlone = Object.values(agent.sockets).reduce((count, sockets) => count + (sockets?.length ?? 0), 0) <= 1
      const first = since.get(socket) ?? clock.now()
      since.set(socket, first)
      return isAlone && !isRetired && Math.abs(clock.now() - first) < maxLife && keep(socket) !== false
    }
    return {
      addresses,
      agent,
      retire() {
        isRetired = true
        for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
      },
    }
  }

  return {
    /** Agent for a target just checked. Its connection is reused only while the target's addresses are unchanged. */
    to({ url, addresses }: Admitted): Agent {
      const place = url.origin
      const now = [...addresses].sort().join(' ')
      let pool = pools.get(place)
      if (pool?.addresses !== now) {
        pool?.retire()
        pool = createPool(url.protocol === 'https:', now)
      }
      pools.set(place, pool)
      return pool.agent
    },
    close() {
      for (const place of pools.keys()) {
        pools.get(place)?.agent.destroy()
        pools.delete(place)
      }
    },
  }
}
