import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createServiceBounds, listenerPlaces } from './listener-bounds.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('refusals are logged for the listener where they happened; those of files with the media listener', () => {
  const warned: [object, string][] = []
  const bounds = createServiceBounds({ log: { warn: (fields, sentence) => void warned.push([fields, sentence]) } })
  bounds.api.refused('address')
  bounds.media.refused('all')
  bounds.files.refused('files')
  bounds.rtmp.refused('players')
  vi.advanceTimersByTime(3600_000)
  bounds.close()
  const of = (listener: string) =>
    warned.filter(([fields]) => (fields as { listener: string }).listener === listener).map(([, sentence]) => sentence)
  expect(new Set(of('api'))).toEqual(new Set(['the api listener turned connections away']))
  expect(new Set(of('media'))).toEqual(new Set(['the media listener turned connections away']))
  expect(new Set(of('rtmp'))).toEqual(new Set(['the rtmp listener turned connections away']))
  const said = JSON.stringify(warned)
  for (const why of ['address', 'all', 'files', 'players']) expect(said).toContain(why)
})

it('players cannot take the descriptors of encoders, nor connections those of files', () => {
  const bounds = createServiceBounds({ log: { warn: () => undefined }, limit: 1024 })
  const { waiting, players, publishers } = bounds.rtmp.descriptors
  let taken = 0
  while (players.take()) taken++
  expect(taken).toBeGreaterThan(100)
  for (const share of [waiting, publishers, bounds.api.descriptors, bounds.media.descriptors, bounds.files.descriptors])
    expect(share.take()).toBe(true)
  bounds.close()
})

it('the listeners have their places, and know which addresses are of many clients', () => {
  const shared = (address: string): boolean => address === '10.0.0.1'
  const bounds = createServiceBounds({ log: { warn: () => undefined }, shared })
  expect([bounds.api.places, bounds.media.places]).toEqual([listenerPlaces.api, listenerPlaces.media])
  expect([bounds.api.shared, bounds.media.shared, bounds.rtmp.shared]).toEqual([shared, shared, shared])
  bounds.close()
})

it('the places of the listeners are these: in all, of an address, and of this computer', () => {
  expect(listenerPlaces).toEqual({
    api: { all: 2048, perAddress: 512, perLoopback: 1024 },
    media: { all: 8192, perAddress: 512, perLoopback: 6144 },
    metrics: { all: 64, perAddress: 16, perLoopback: 32 },
    hooks: { all: 256, perAddress: 128, perLoopback: 128 },
  })
})

it('of 1024 descriptors 768 are for connections, of which each listener has its part, whatever others take', () => {
  const bounds = createServiceBounds({ log: { warn: () => undefined }, limit: 1024 })
  const { waiting, players, publishers } = bounds.rtmp.descriptors
  const all = (share: { take(): boolean }): number => {
    let taken = 0
    while (share.take()) taken++
    return taken
  }
  // Whoever comes first has what is nobody's besides its own.
  expect(all(players)).toBe(768 - 48 - 96 - 48 - 48 - 24)
  expect([
    all(bounds.api.descriptors),
    all(bounds.media.descriptors),
    all(bounds.files.descriptors),
    all(waiting),
    all(publishers),
  ]).toEqual([48, 96, 48, 48, 24])
  bounds.close()
})

it('players keep a 32nd of the descriptors for themselves, whoever takes what is left', () => {
  const bounds = createServiceBounds({ log: { warn: () => undefined }, limit: 1024 })
  let taken = 0
  while (bounds.api.descriptors.take()) taken++
  expect(taken).toBe(768 - 96 - 48 - 48 - 24 - 24)
  let players = 0
  while (bounds.rtmp.descriptors.players.take()) players++
  expect(players).toBe(24)
  bounds.close()
})

it('TLS handshakes of an address are counted over all listeners, but for this computer and trusted proxies', () => {
  const bounds = createServiceBounds({ log: { warn: () => undefined }, shared: (address) => address === '10.0.0.1' })
  const { handshakes } = bounds.media
  expect([bounds.api.handshakes, bounds.rtmp.handshakes]).toEqual([handshakes, handshakes])
  const begun = (address: string): number =>
    Array.from({ length: 2_000 }, () => handshakes!.admits(address)).filter(Boolean).length
  expect([begun('127.0.0.1'), begun('10.0.0.1')]).toEqual([2_000, 2_000])
  expect(begun('203.0.113.5')).toBeLessThan(400)
  bounds.close()
})
