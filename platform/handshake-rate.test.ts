import { expect, it } from 'vitest'
import { createHandshakeRate, handshakeRate } from './handshake-rate.ts'
import { manualClock } from './testing/manual-clock.ts'

it('an address begins so many handshakes at once, then so many in a second, IPv6 by /64', () => {
  const clock = manualClock()
  const handshakes = createHandshakeRate({ clock })
  const taken = (address: string): number => {
    let count = 0
    while (count < 2_000 && handshakes.admits(address)) count += 1
    return count
  }
  expect(taken('192.0.2.7')).toBe(handshakeRate.atOnce)
  clock.advance(1_000)
  expect(taken('192.0.2.7')).toBe(handshakeRate.perSecond)
  expect(taken('192.0.2.8')).toBe(handshakeRate.atOnce)
  expect(taken('2001:db8:1:2::1')).toBe(handshakeRate.atOnce)
  expect([handshakes.admits('2001:db8:1:2:ffff::9'), handshakes.admits('2001:db8:1:3::1')]).toEqual([false, true])
})

it('the /64 of a /56 have twice as many together, and those of a /48 four times', () => {
  const clock = manualClock()
  const handshakes = createHandshakeRate({ clock })
  const { perSecond, atOnce } = handshakeRate
  const addressOf = (network: number): string => `2001:db8:1:${network.toString(16)}::1`
  const taken = (networks: number): number => {
    let count = 0
    for (let each = 0; each < networks; each++)
      for (let one = 0; one < 32; one++) if (handshakes.admits(addressOf(each))) count += 1
    return count
  }
  expect(taken(256)).toBe(2 * atOnce)
  clock.advance(1_000)
  expect(taken(256)).toBe(2 * perSecond)
  expect(taken(4096)).toBe(4 * (atOnce + perSecond) - 2 * (atOnce + perSecond))
  clock.advance(1_000)
  expect(taken(4096)).toBe(4 * perSecond)
  expect(handshakes.admits('2001:db8:2::1')).toBe(true)
})

it('this computer has no limit, or who is named', () => {
  const clock = manualClock()
  const many = (handshakes: ReturnType<typeof createHandshakeRate>, address: string): boolean =>
    Array.from({ length: 1_000 }, () => handshakes.admits(address)).every(Boolean)
  expect([many(createHandshakeRate({ clock }), '127.0.0.1'), many(createHandshakeRate({ clock }), '::1')]).toEqual([
    true,
    true,
  ])
  const named = createHandshakeRate({ clock, isFree: (address) => address === '10.0.0.1' })
  expect([many(named, '10.0.0.1'), many(named, '127.0.0.1')]).toEqual([true, false])
})
