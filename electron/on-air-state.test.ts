import { expect, it } from 'vitest'
import type { EventFor, RoomPanel, Settings } from '../contract/rpc/index.ts'
import { createOnAirBoard } from './on-air-state.ts'

type Heard = EventFor<'desktop'>
function stage() {
  let now = 1_000_000
  const air = createOnAirBoard({ now: () => now })
  const tallies = (profileId: string, told: readonly object[], more: object = {}): void =>
    air.take({ type: 'tallies', profileId, source: 'event', fault: null, tallies: told, ...more } as unknown as Heard)
  const room = (roomid: number, more: Partial<RoomPanel> = {}): void =>
    air.take({
      type: 'room',
      panel: { profileId: 'local', roomid, name: `room ${roomid}`, muted: false, phase: 'inside', ...more },
    } as unknown as Heard)
  const service = (phase: string): void => air.take({ type: 'service', service: { phase } } as unknown as Heard)
  return {
    air,
    tallies,
    room,
    service,
    pass: (ms: number) => (now += ms),
    take: (event: object) => air.take(event as Heard),
  }
}
const on = (cid: string, since: number, status = 1) => ({ cid, status, since })

it('is idle at first, with no channel, no room and no settings', () => {
  expect(stage().air.now()).toEqual({ lamp: 'idle', held: false, channels: [], rooms: [], settings: undefined })
})

it('has the channels on air, longest first, with the names that it was told', () => {
  const { air, tallies } = stage()
  tallies('local', [on('late', 20), on('early', 10, 3), { cid: 'off', status: 0, since: null }])
  air.call('local', 'early', 'Early show')
  air.call('far', 'late', 'of another profile')
  expect(air.now().channels.map(({ cid, name, recording }) => [cid, name, recording])).toEqual([
    ['early', 'Early show', true],
    ['late', '', false],
  ])
  expect(air.now().lamp).toBe('recording')
})

it('puts the channel first that was opened last, whose lamp it shows', () => {
  const { air, tallies, take } = stage()
  tallies('local', [on('early', 10, 3), on('late', 20)])
  take({ type: 'opened', cid: 'late' })
  expect([air.now().lamp, air.now().channels.map(({ cid }) => cid)]).toEqual(['live', ['late', 'early']])
  take({ type: 'opened', cid: null })
  expect([air.now().lamp, air.now().channels.map(({ cid }) => cid)]).toEqual(['recording', ['early', 'late']])
})

it.each([
  ['restarting', 'fault'],
  ['stopped', 'fault'],
  ['running', 'live'],
  ['starting', 'live'],
])('shows a service that is %s as %s', (phase, lamp) => {
  const { air, tallies, service } = stage()
  tallies('local', [on('c', 10)])
  service(phase)
  expect(air.now().lamp).toBe(lamp)
  service('running')
  expect(air.now().lamp).toBe('live')
})

it('counts a poll that failed as the answer before it until that is 20 s old', () => {
  const { air, tallies, pass } = stage()
  tallies('far', [on('c', 10)], { source: 'poll' })
  pass(15_000)
  tallies('far', [on('c', 10)], { source: 'poll', fault: 'away' })
  pass(5_000)
  expect(air.now().channels).toMatchObject([{ cid: 'c', stale: false }])
  pass(1)
  expect(air.now().channels).toMatchObject([{ cid: 'c', stale: true }])
  tallies('far', [on('c', 10)], { source: 'poll' })
  expect(air.now().channels).toMatchObject([{ stale: false }])
})

it('takes a poll for old that never succeeded', () => {
  const { air, tallies } = stage()
  tallies('far', [on('c', 10)], { source: 'poll', fault: 'away' })
  expect(air.now().channels).toMatchObject([{ stale: true }])
})

it('forgets the channels of a profile that was removed', () => {
  const { air, tallies, take } = stage()
  tallies('local', [on('a', 10)])
  tallies('far', [on('b', 20)], { source: 'poll' })
  take({ type: 'profiles', profiles: [{ id: 'local' }] })
  expect(air.now().channels.map(({ cid }) => cid)).toEqual(['a'])
})

it('has each room that is entered once, as it was told last, until it is left or refused', () => {
  const { air, room } = stage()
  room(1, { phase: 'connecting' })
  room(2)
  room(1, { muted: true, name: 'new name', profileId: 'local' })
  room(1, { profileId: 'far' })
  expect(air.now().rooms).toEqual([
    { profileId: 'local', roomid: 1, name: 'new name', muted: true },
    { profileId: 'local', roomid: 2, name: 'room 2', muted: false },
    { profileId: 'far', roomid: 1, name: 'room 1', muted: false },
  ])
  room(1, { phase: 'waiting' })
  expect(air.now().rooms).toHaveLength(3)
  room(1, { phase: 'off' })
  room(2, { phase: 'refused' })
  expect(air.now().rooms.map(({ profileId }) => profileId)).toEqual(['far'])
})

it('has the settings that were told last', () => {
  const { air, take } = stage()
  for (const theme of ['dark', 'light']) take({ type: 'settings', settings: { theme } as Settings })
  expect(air.now().settings).toEqual({ theme: 'light' })
})
