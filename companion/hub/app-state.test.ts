import { expect, it } from 'vitest'
import type { AppEvent } from '../../contract/rpc/index.ts'
import { createAppState, sliceOf } from './app-state.ts'

const tallies = (profileId: string, at: number): AppEvent => ({
  type: 'tallies',
  profileId,
  at,
  source: 'event',
  fault: null,
  tallies: [],
})
const figures = (profileId: string, cid: string, kbps: number | null): AppEvent =>
  ({ type: 'figures', profileId, cid, at: 1, figures: kbps === null ? null : { kbps } }) as AppEvent
const push = { type: 'push', profileId: 'local', cid: 'c', at: 1, kind: 'started', detail: null, remedy: null } as const

it('names the slice of an event by its type and what it is about, and none of news', () => {
  expect(sliceOf(tallies('local', 1))).toBe('tallies local')
  expect(sliceOf(figures('local', 'c', 1))).toBe('figures local c')
  expect(sliceOf({ type: 'session' } as unknown as AppEvent)).toBeUndefined()
  expect(sliceOf(push)).toBeUndefined()
})

it('keeps the newest of each slice, none of news, and none of what is only to be fetched again', () => {
  const state = createAppState()
  for (const event of [tallies('local', 1), tallies('h', 2), tallies('local', 3), push]) state.put(event)
  state.put({ type: 'channels', profileId: 'local' })
  expect(state.newest('tallies')).toEqual([tallies('local', 3), tallies('h', 2)])
  expect(state.newest('push')).toEqual([])
  expect(state.newest('channels')).toEqual([])
  expect([...state.slices().keys()]).toEqual(['tallies local', 'tallies h'])
})

it('keeps nothing of what has ended', () => {
  const state = createAppState()
  state.put(figures('local', 'c', 1))
  state.put(figures('local', 'd', 1))
  state.put(figures('local', 'c', null))
  expect(state.newest('figures')).toEqual([figures('local', 'd', 1)])
})

it('forgets all of a profile and nothing of others', () => {
  const state = createAppState()
  for (const event of [tallies('local', 1), figures('local', 'c', 1), tallies('h', 1), figures('h', 'c', 1)])
    state.put(event)
  state.put({ type: 'receiver', receiver: { profileId: 'h', phase: 'off' } } as AppEvent)
  state.put({ type: 'profiles', profiles: [] })
  state.forget('h')
  expect([...state.slices().keys()]).toEqual(['tallies local', 'figures local c', 'profiles'])
})
