import { describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import { createPortMapping, NoRouter, type AskRouter } from './port-mapping.ts'

function setUp(ask: AskRouter) {
  const clock = manualClock()
  const states: (string | undefined)[] = []
  const mapping = createPortMapping({
    clock,
    log: silentLog,
    ask,
    changed: () => states.push(mapping.state?.state),
  })
  return { clock, mapping, states }
}
/** A router that counts what it is asked. */
function router() {
  const deeds: string[] = []
  let broken = false
  let moved = { address: '198.51.100.7', port: 8443 }
  const ask: AskRouter = async (port) => {
    deeds.push(`open ${port}`)
    if (broken) throw new NoRouter('silent')
    return {
      protocol: 'natpmp',
      address: '198.51.100.7',
      port,
      async renew() {
        deeds.push(`renew ${port}`)
        if (broken) throw new Error('refused')
        return moved
      },
      async remove() {
        deeds.push(`remove ${port}`)
      },
    }
  }
  return {
    deeds,
    ask,
    break: (yes: boolean) => (broken = yes),
    move: (place: typeof moved) => (moved = place),
  }
}

describe('a forwarded port', () => {
  it('is renewed while it is wanted and given back after', async () => {
    const { deeds, ask } = router()
    const { mapping, clock, states } = setUp(ask)
    await mapping.set(8443)
    expect(mapping.state).toEqual({ state: 'open', protocol: 'natpmp', address: '198.51.100.7', port: 8443 })
    clock.advance(20 * 60_000)
    await mapping.set(8443)
    await mapping.set(9443)
    expect(deeds).toEqual(['open 8443', 'renew 8443', 'remove 8443', 'open 9443'])
    await mapping.close()
    expect(deeds.at(-1)).toBe('remove 9443')
    expect(mapping.state).toBeUndefined()
    expect(states.slice(0, 2)).toEqual(['asking', 'open'])
  })

  it('that fails says why, and is asked for again after a minute', async () => {
    const { deeds, ask, break: setBroken } = router()
    const { mapping, clock } = setUp(ask)
    setBroken(true)
    await mapping.set(8443)
    expect(mapping.state).toMatchObject({ state: 'failed', reason: 'noRouter', detail: 'silent' })
    setBroken(false)
    clock.advance(60_000)
    await mapping.set(8443)
    expect(mapping.state).toMatchObject({ state: 'open' })
    setBroken(true)
    clock.advance(20 * 60_000)
    await mapping.set(8443)
    expect(mapping.state).toMatchObject({ state: 'failed', reason: 'noRouter', detail: 'silent' })
    expect(deeds).toEqual(['open 8443', 'open 8443', 'renew 8443', 'remove 8443', 'open 8443'])
    await mapping.close()
    expect(deeds.at(-1)).toBe('open 8443')
  })

  it('whose renewal is refused is given back and asked for anew, each time', async () => {
    const { deeds, ask } = router()
    let open = 0
    const { mapping, clock } = setUp(async (port, signal) => {
      open += 1
      return {
        ...(await ask(port, signal)),
        renew: () => Promise.reject(new Error('refused')),
        async remove() {
          open -= 1
        },
      }
    })
    await mapping.set(8443)
    for (let renewals = 0; renewals < 5; renewals++) {
      clock.advance(20 * 60_000)
      await mapping.set(8443)
      expect([open, mapping.state?.state]).toEqual([1, 'open'])
    }
    expect(deeds).toHaveLength(6)
    await mapping.close()
    expect(open).toBe(0)
  })

  it('is told with the address and port that its renewal has', async () => {
    const { ask, move } = router()
    const { mapping, clock } = setUp(ask)
    await mapping.set(8443)
    move({ address: '203.0.113.9', port: 40_444 })
    clock.advance(20 * 60_000)
    await mapping.set(8443)
    expect(mapping.state).toMatchObject({ state: 'open', address: '203.0.113.9', port: 40_444 })
    await mapping.close()
  })

  it('that is no longer wanted when the router answers is given back', async () => {
    const { deeds, ask } = router()
    let answer = (): void => undefined
    const slow: AskRouter = async (port, signal) => {
      await new Promise<void>((resolve) => (answer = resolve))
      return ask(port, signal)
    }
    const { mapping } = setUp(slow)
    const opened = mapping.set(8443)
    // The router is asked in a later turn.
    await new Promise((resolve) => setImmediate(resolve))
    const closed = mapping.close()
    answer()
    await Promise.all([opened, closed])
    expect(deeds).toEqual(['open 8443', 'remove 8443'])
  })
})
