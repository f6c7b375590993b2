import type { Agent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createConnections } from './connections.ts'

describe('connections to targets', () => {
  const target = (address: string, addresses: readonly string[] = ['192.0.2.1']) => ({
    ok: true as const,
    url: new URL(address),
    addresses,
  })

  it('are those of its scheme, host, port and addresses, whatever the path and the order of the addresses', () => {
    const connections = createConnections({ clock: manualClock() })
    const first = connections.to(target('http://a.example/x', ['192.0.2.1', '192.0.2.2']))
    expect(connections.to(target('http://a.example/y', ['192.0.2.2', '192.0.2.1']))).toBe(first)
    expect(connections.to(target('http://a.example:8080/x', ['192.0.2.1', '192.0.2.2']))).not.toBe(first)
    expect(connections.to(target('http://b.example/x', ['192.0.2.1', '192.0.2.2']))).not.toBe(first)
    const moved = connections.to(target('http://a.example/x', ['192.0.2.1']))
    expect(moved).not.toBe(first)
    expect(connections.to(target('http://a.example/x', ['192.0.2.1']))).toBe(moved)
    connections.close()
  })

  it('are secure where the address is, and know the authorities that are given', () => {
    const connections = createConnections({ clock: manualClock(), ca: 'authority' })
    const secure = connections.to(target('https://a.example/'))
    expect(secure).toBeInstanceOf(HttpsAgent)
    expect((secure as HttpsAgent).options.ca).toBe('authority')
    expect(connections.to(target('http://a.example/'))).not.toBeInstanceOf(HttpsAgent)
    connections.close()
  })

  it('are kept for the 32 targets that were used last', () => {
    const connections = createConnections({ clock: manualClock() })
    const agents = Array.from({ length: 32 }, (_, index) => connections.to(target(`http://t${index}.example/`)))
    // Used again, so the second one is the oldest.
    expect(connections.to(target('http://t0.example/'))).toBe(agents[0])
    connections.to(target('http://t32.example/'))
    expect(connections.to(target('http://t0.example/'))).toBe(agents[0])
    expect(connections.to(target('http://t2.example/'))).toBe(agents[2])
    expect(connections.to(target('http://t1.example/'))).not.toBe(agents[1])
    connections.close()
  })

  it('are idle for four seconds at most, and one of each target', () => {
    const connections = createConnections({ clock: manualClock() })
    const agent = connections.to(target('http://a.example/')) as Agent & { readonly options: object }
    expect(agent.options).toMatchObject({
      keepAlive: true,
      timeout: 4000,
      maxFreeSockets: 1,
    })
    connections.close()
  })

  const keeps = (agent: Agent, socket = new Socket()): boolean => {
    // The documentation defines a return value, the type does not.
    const isKept = (agent.keepSocketAlive as (socket: Socket) => unknown)(socket)
    return isKept !== false
  }

  it('are kept for a minute, however the clock of the computer is set', () => {
    const clock = manualClock()
    const connections = createConnections({ clock })
    const agent = connections.to(target('http://a.example/'))
    const [aged, set] = [new Socket(), new Socket()]
    expect(keeps(agent, aged)).toBe(true)
    clock.advance(59_999)
    expect(keeps(agent, aged)).toBe(true)
    clock.advance(1)
    expect(keeps(agent, aged)).toBe(false)
    expect(keeps(agent, set)).toBe(true)
    clock.set(-60_000)
    expect([keeps(agent, set), keeps(agent)]).toEqual([false, true])
    connections.close()
  })

  it('are not kept after use where the target has moved, or while there are others to it', () => {
    const connections = createConnections({ clock: manualClock() })
    const first = connections.to(target('http://a.example/'))
    expect(keeps(first)).toBe(true)
    const second = connections.to(target('http://a.example/', ['192.0.2.2']))
    expect([keeps(first), keeps(second)]).toEqual([false, true])
    const busy = second.sockets as Record<string, Socket[]>
    busy['one'] = [new Socket()]
    expect(keeps(second)).toBe(true)
    busy['other'] = [new Socket()]
    expect(keeps(second)).toBe(false)
    connections.close()
  })

  it('are made anew after all were ended', () => {
    const connections = createConnections({ clock: manualClock() })
    const first = connections.to(target('http://a.example/'))
    connections.close()
    expect(connections.to(target('http://a.example/'))).not.toBe(first)
    connections.close()
  })
})
