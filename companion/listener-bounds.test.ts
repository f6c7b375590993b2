import { afterEach, expect, it, vi } from 'vitest'
import { createCompanionBounds, listenerPlaces } from './listener-bounds.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('has places for 512 connections of pages, 512 of moderators and 64 of each receiver', () => {
  expect(listenerPlaces).toEqual({
    page: { all: 512, perAddress: 384, perLoopback: 384 },
    moderators: { all: 512, perAddress: 96, perLoopback: 256 },
    receiver: { all: 64, perAddress: 32, perLoopback: 48 },
  })
  const bounds = createCompanionBounds({ log: () => undefined, limit: 1_000 })
  expect([bounds.page.places, bounds.moderators.places, bounds.receiver.places]).toEqual([
    listenerPlaces.page,
    listenerPlaces.moderators,
    listenerPlaces.receiver,
  ])
  bounds.close()
})

it('keeps for each listener its part of the descriptors, whatever the others use', () => {
  const bounds = createCompanionBounds({ log: () => undefined, limit: 3_584 })
  // 512 of them are for files: 3,072 are left.
  const shares = {
    page: bounds.page.descriptors,
    moderators: bounds.moderators.descriptors,
    receiver: bounds.receiver.descriptors,
    relay: bounds.relay,
    joined: bounds.joined,
  }
  let greedy = 0
  while (shares.page.take()) greedy++
  expect(greedy).toBe(3_072 - 192 - 96 - 384 - 96)
  const left = Object.entries(shares).map(([name, share]) => {
    let taken = 0
    while (share.take()) taken++
    return [name, taken]
  })
  expect(Object.fromEntries(left)).toEqual({ page: 0, moderators: 192, receiver: 96, relay: 384, joined: 96 })
  bounds.close()
})

it('writes to the log by listener and reason how many connections were turned away, at the end too', () => {
  vi.useFakeTimers()
  const log: string[] = []
  const bounds = createCompanionBounds({ log: (line) => void log.push(line), limit: 1_000 })
  bounds.page.refused('places')
  bounds.moderators.refused('places')
  bounds.moderators.refused('places')
  bounds.moderators.refused('address')
  bounds.receiver.refused('bodies')
  expect(log).toEqual([])
  bounds.close()
  expect(log).toEqual([
    'the listener of the page turned connections away: places 1',
    'the listener of moderators turned connections away: places 2, address 1',
    'the listener of a receiver turned connections away: bodies 1',
  ])
})
