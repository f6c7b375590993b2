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

it('10,000 players are remembered at most, and those that ask again stay among them', () => {
  const clock = manualClock()
  const viewers = createHlsViewers(clock)
  for (let player = 0; player < 10_001; player++)
    viewers.seen(`10.${player >> 16}.${(player >> 8) & 255}.${player & 255}`, 'a')
  expect(viewers.count(2)).toBe(10_000)
  clock.advance(10_000)
  viewers.seen('10.0.0.0', 'a')
  clock.advance(500)
  expect(viewers.count(2)).toBe(1)
})

it('they are counted at most twice a second, and at once when one came or left', () => {
  const clock = manualClock()
  const viewers = createHlsViewers(clock)
  viewers.seen('192.0.2.1', 'a')
  clock.advance(10_000)
  expect(viewers.count(2)).toBe(1)
  clock.advance(499)
  expect(viewers.count(2)).toBe(1)
  clock.advance(1)
  expect(viewers.count(2)).toBe(0)
  viewers.seen('192.0.2.2', 'a')
  expect(viewers.count(2)).toBe(1)
  viewers.left('192.0.2.2', 'a')
  expect(viewers.count(2)).toBe(0)
})

it('one that was forgotten makes room for another of its address', () => {
  const clock = manualClock()
  const viewers = createHlsViewers(clock)
  for (let player = 0; player < 50; player++) viewers.seen('192.0.2.1', `player ${player}`)
  clock.advance(10_001)
  expect(viewers.count(2)).toBe(0)
  for (let player = 50; player < 110; player++) viewers.seen('192.0.2.1', `player ${player}`)
  expect(viewers.count(2)).toBe(50)
})

it('one that asks while its address is full stays counted', () => {
  const clock = manualClock()
  const viewers = createHlsViewers(clock)
  for (let player = 0; player < 50; player++) viewers.seen('192.0.2.1', `player ${player}`)
  clock.advance(6000)
  viewers.seen('192.0.2.1', 'player 7')
  clock.advance(6000)
  expect(viewers.count(2)).toBe(1)
})

it('players of one IPv6 network of 64 bits and one player are one viewer, of another network another', () => {
  const viewers = createHlsViewers(manualClock())
  viewers.seen('2001:db8::1', 'a')
  viewers.seen('2001:db8::2', 'a')
  expect(viewers.count(2)).toBe(1)
  viewers.seen('2001:db8:0:1::1', 'a')
  expect(viewers.count(2)).toBe(2)
  viewers.left('2001:db8::3', 'a')
  expect(viewers.count(2)).toBe(1)
})

it('the /64 of a /56 count as twice as many viewers as one at most, those of a /48 as four times', () => {
  const viewers = createHlsViewers(manualClock())
  const seen = (networks: number): void => {
    for (let network = 0; network < networks; network += 1)
      for (const agent of ['VLC', 'Safari']) viewers.seen(`2001:db8:1:${network.toString(16)}::1`, agent)
  }
  seen(256)
  expect(viewers.count(2)).toBe(100)
  seen(4096)
  expect(viewers.count(2)).toBe(200)
  viewers.seen('192.0.2.1', 'VLC')
  expect(viewers.count(2)).toBe(201)
  for (const agent of ['VLC', 'Safari']) viewers.left('2001:db8:1::1', agent)
  seen(256)
  expect(viewers.count(2)).toBe(201)
})
