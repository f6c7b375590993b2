import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { createApp, ref } from 'vue'
import type { ObsState } from '../../../contract/rpc/obs.ts'
import type { RpcClient } from '../../data/client.ts'
import { makeObs } from '../../testing/fake-obs.ts'
import { entryFault, isHere, placeOf, rejectedAs, useObs, useObsActions } from './obs.ts'
import { servicesKey } from '../../data/services.ts'

const here = { profileId: 'local', cid: '7e3a91c40123456789abcdef01234567' }
const calls = { configure: vi.fn(), goLive: vi.fn(), stop: vi.fn() }
const app = createApp({})
app.provide(servicesKey, {
  rpc: { obs: calls } as unknown as RpcClient,
  now: () => 0,
  memory: { read: () => null, write: () => undefined },
})
const actions = () => app.runWithContext(() => useObsActions(ref(here)))
beforeEach(() => {
  setActivePinia(createPinia())
  for (const call of Object.values(calls)) call.mockReset()
})

it('tells where OBS streams from where the person is', () => {
  const live = makeObs('live', 0)
  expect(placeOf(live, here)).toBe('here')
  expect(placeOf(live, { ...here, cid: 'f'.repeat(32) })).toBe('channel')
  expect(placeOf(live, { ...here, profileId: 'hosted-1' })).toBe('channel')
  expect(placeOf(makeObs('elsewhere', 0), here)).toBe('elsewhere')
  expect(placeOf(makeObs('idle', 0), here)).toBe('none')
  expect(placeOf(makeObs('absent', 0), here)).toBe('none')
})

it('knows an entry that cannot be before it asks, and what is this computer', () => {
  for (const host of ['127.0.0.1', 'studio-pc.local', '::1', '192.168.1.20'])
    expect(entryFault({ host, port: '4455', password: '' }), host).toBeNull()
  for (const host of ['', 'http://x', 'a b', 'x/y', '-x', 'x:4455y', '[::1]'])
    expect(entryFault({ host, port: '4455', password: '' }), host).toBe('host')
  for (const port of ['', '0', '65536', '44a', '-1'])
    expect(entryFault({ host: 'x', port, password: '' }), port).toBe('port')
  expect(['localhost', '127.0.0.1', '127.9.9.9', '::1'].every(isHere)).toBe(true)
  expect(['192.168.1.20', '127.0.0.1.example.com', 'localhost.example'].some(isHere)).toBe(false)
})

it('sends a password only when one was typed, and null only to forget it', async () => {
  const state: ObsState = makeObs('idle', 0)
  calls.configure.mockResolvedValue(state)
  const { configure } = actions()
  const place = { host: '127.0.0.1', port: '4455' }
  await configure({ ...place, password: '' }, true, false)
  await configure({ ...place, password: 'typed' }, true, false)
  await configure({ ...place, password: '' }, true, true)
  expect(calls.configure.mock.calls.map(([input]: unknown[]) => input)).toEqual([
    { host: '127.0.0.1', port: 4455, enabled: true },
    { host: '127.0.0.1', port: 4455, enabled: true, password: 'typed' },
    { host: '127.0.0.1', port: 4455, enabled: true, password: null },
  ])
  expect(useObs().state).toEqual(state)
})

it('lets a stop through while a start is under way, and a second start not', async () => {
  const start = Promise.withResolvers<object>()
  calls.goLive.mockReturnValue(start.promise)
  calls.stop.mockResolvedValue({ outcome: 'done', code: null })
  const { goLive, stop, problem } = actions()
  const first = goLive(false)
  expect(await goLive(false)).toBeUndefined()
  expect(await stop()).toEqual({ outcome: 'done', code: null })
  start.resolve({ outcome: 'notStarted', code: null })
  await first
  expect(calls.goLive).toHaveBeenCalledExactlyOnceWith({ ...here, instead: false })
  expect(problem.value).toBe('notStarted')
})

it('is busy with the stop until that is answered, though the start before it ends meanwhile', async () => {
  const [start, end] = [Promise.withResolvers<object>(), Promise.withResolvers<object>()]
  calls.goLive.mockReturnValue(start.promise)
  calls.stop.mockReturnValue(end.promise)
  const { goLive, stop, busy } = actions()
  const first = goLive(false)
  expect(busy.value).toBe('goLive')
  const second = stop()
  expect(busy.value).toBe('stop')
  start.resolve({ outcome: 'notStarted', code: null })
  await first
  expect(busy.value).toBe('stop')
  end.resolve({ outcome: 'done', code: null })
  await second
  expect(busy.value).toBeNull()
})

it('tells why OBS refused from its code, and leaves no code without words', () => {
  expect([204, 207, 500, 501, 504].map(rejectedAs)).toEqual(['unknown', 'notReady', 'running', 'stopped', 'disabled'])
  expect([203, 300, 301, 400, 404].map(rejectedAs)).toEqual(['request', 'request', 'request', 'request', 'request'])
  expect([600, 604, 607, 205, 702].map(rejectedAs)).toEqual(['missing', 'missing', 'missing', 'failed', 'failed'])
  expect([null, 0, 206, 502, 505, 999].map(rejectedAs)).toEqual(['other', 'other', 'other', 'other', 'other', 'other'])
})
