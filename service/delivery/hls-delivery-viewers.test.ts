import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createHlsViewers } from './hls-delivery-viewers.ts'

it('a viewer counts for three target durations after the last request, at least 10 s', () => {
  const clock = manualClock()
  const viewers = createHlsViewers(clock)
  viewers.seen('192.0.2.1', 'VLC')
  clock.advance(9_000)
  viewers.seen('192.0.2.2', 'VLC')
  clock.advance(1_000)
  expect(viewers.count(2)).toBe(2)
  clock.advance(500)
  expect([viewers.count(2), viewers.count(2)]).toEqual([1, 1])
  viewers.seen('192.0.2.1', 'VLC')
  clock.advance(18_000)
  expect(viewers.count(6)).toBe(1)
  clock.advance(501)
  expect(viewers.count(6)).toBe(0)
})

it('a viewer that asks again counts once, others of its address by their player, and one that left not at all', () => {
  const viewers = createHlsViewers(manualClock())
  for (const agent of ['VLC', 'VLC', 'Safari']) viewers.seen('192.0.2.1', agent)
  expect(viewers.count(2)).toBe(2)
  viewers.left('192.0.2.1', 'Safari')
  viewers.left('192.0.2.1', 'nobody')
  expect(viewers.count(2)).toBe(1)
})

it('50 players of one address count at most; one that leaves makes room for another', () => {
  const viewers = createHlsViewers(manualClock())
  for (let player = 0; player < 60; player++) viewers.seen('192.0.2.1', `player ${player}`)
  viewers.seen('192.0.2.2', 'VLC')
  expect(viewers.count(2)).toBe(51)
  viewers.left('192.0.2.1', 'player 0')
  for (const agent of ['new', 'newer']) viewers.seen('192.0.2.1', agent)
  expect(viewers.count(2)).toBe(51)
})
