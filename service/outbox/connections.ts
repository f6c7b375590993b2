import { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Admitted } from './address-guard.ts'
import { createLru } from '../../platform/lru.ts'

/** Connections to receivers that stay open from one delivery to the next, one of a target at most (docs/decisions/005-message-copies.md). */
export interface Connections {
  /** What connects to a target that was checked just now. A connection is used again only while its target has the addresses with which it was made. */
  to(target: Admitted): Agent
  close(): void
}

/** Targets to which a connection is kept open; how long one is idle (below the 5 s at which many servers close) and lives, in ms. */
const maxTargets = 32
const maxIdle = 4_000
const maxLife = 60_000

interface Pool {
  readonly addresses: string
  readonly agent: Agent
  /** Closes what is idle, and what is in use when it was used. */
  retire(): void
}

/** Makes the connections. Ages count by `clock`, in ms; `ca` are certificate authorities beside the system's. */
export function createConnections({
  clock,
  ca,
}: {
  readonly clock: () => number
  readonly ca?: string | undefined
}): Connections {
  const pools = createLru<Pool>(maxTargets, (pool) => pool.retire())

  const createPool = (isSecure: boolean, addresses: string): Pool => {
    const options = { keepAlive: true, maxFreeSockets: 1, timeout: maxIdle }
    const agent = isSecure ? new HttpsAgent({ ...options, ...(ca !== undefined && { ca }) }) : new Agent(options)
    const since = new WeakMap<object, number>()
    let isRetired = false
    // The answer is documented to decide; the type has none.
    const keep = agent.keepSocketAlive.bind(agent) as (socket: Parameters<Agent['keepSocketAlive']>[0]) => unknown
    agent.keepSocketAlive = (socket) => {
      // A receiver that serves one connection at a time comes to the others only when this one ends.
      const isAlone = Object.values(agent.sockets).reduce((count, sockets) => count + (sockets?.length ?? 0), 0) <= 1
      const first = since.get(socket) ?? clock()
      since.set(socket, first)
      return isAlone && !isRetired && Math.abs(clock() - first) < maxLife && keep(socket) !== false
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
    to({ url, addresses }) {
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
