import { beforeEach, describe, expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/index.ts'
import { createAppState } from './app-state.ts'
import { isBusy, isOnAir, isRecording, portHolder } from './state-selectors.ts'

let state: ReturnType<typeof createAppState>
beforeEach(() => {
  state = createAppState()
})
/** Keeps an event of which only some members matter. */
const post = (event: object): void => {
  state.put(event as AppEvent)
}
const tallies = (profileId: string, ...statuses: number[]): void =>
  post({ type: 'tallies', profileId, tallies: statuses.map((status, index) => ({ cid: `c${index}`, status })) })
const recording = (state: string, cid = 'c'): void =>
  post({ type: 'recording', profileId: 'local', cid, recording: { state } })
const move = (phase: string | null): void =>
  post({ type: 'computer', computer: { move: phase === null ? null : { phase } } })

describe('what is on air', () => {
  it.each([
    [0, false],
    [1, true],
    [2, false],
    [3, true],
  ])('is what has status %i: %s', (status, onAir) => {
    tallies('local', 0, status)
    expect([isOnAir(state), isOnAir(state, 'local')]).toEqual([onAir, onAir])
  })

  it('is known by profile, as it was told last, and not of one that was removed', () => {
    tallies('local', 0)
    tallies('hosted', 1)
    expect([isOnAir(state, 'local'), isOnAir(state, 'hosted'), isOnAir(state)]).toEqual([false, true, true])
    tallies('local', 1)
    tallies('local', 0)
    expect(isOnAir(state, 'local')).toBe(false)
    state.forget('hosted')
    expect(isOnAir(state)).toBe(false)
  })
})

it('something is recorded from when that is told until another state of it is', () => {
  expect(isRecording(state)).toBe(false)
  recording('asked')
  expect(isRecording(state)).toBe(false)
  recording('recording')
  recording('off', 'another')
  expect(isRecording(state)).toBe(true)
  recording('off')
  expect(isRecording(state)).toBe(false)
})

it('a port is held by the listener that has it, while it listens', () => {
  const receiver = (type: string, profileId: string, phase: string, port: number): void =>
    post({ type, receiver: { profileId, phase, port } })
  receiver('receiver', 'local', 'listening', 7001)
  receiver('receiver', 'hosted', 'listening', 7002)
  receiver('copyReceiver', 'local', 'listening', 7003)
  receiver('copyReceiver', 'hosted', 'failed', 7004)
  post({ type: 'seats', board: { listener: { phase: 'listening', port: 7005 }, seats: [] } })
  expect([7001, 7002, 7003, 7004, 7005, 7006].map((port) => portHolder(state, port))).toEqual([
    'callbacks',
    'callbacks',
    'copies',
    undefined,
    'moderators',
    undefined,
  ])
  receiver('receiver', 'local', 'off', 7001)
  post({ type: 'seats', board: { listener: { phase: 'off', port: 7005 }, seats: [] } })
  expect([7001, 7005].map((port) => portHolder(state, port))).toEqual([undefined, undefined])
})

it.each([
  ['a broadcast, also of a hosted profile', () => tallies('hosted', 1), () => tallies('hosted', 0)],
  ['a recording', () => recording('recording'), () => recording('stopped')],
  ['data that are moved', () => move('copying'), () => move(null)],
])('a new version waits for the end of %s', (_what, begin, end) => {
  expect(isBusy(state)).toBe(false)
  begin()
  expect(isBusy(state)).toBe(true)
  end()
  expect(isBusy(state)).toBe(false)
})
