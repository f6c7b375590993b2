import { createPinia, setActivePinia } from 'pinia'
import { createApp, nextTick } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { AppEvent, OutgoingCallback, Profile } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useCallbacks } from './callbacks.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRecordings } from '../channels/recorded.ts'
import { servicesKey } from '../../data/services.ts'

const sent = (nId: string, more: Partial<OutgoingCallback> = {}): OutgoingCallback => ({
  nId,
  vid: 1,
  url: 'http://a',
  state: 'delivered',
  attempts: 1,
  at: 1,
  due: null,
  result: { code: 'status', params: { status: '200' } },
  ...more,
})
const local: Profile = {
  id: 'local',
  kind: 'local',
  extended: true,
  media: null,
  name: 'l',
  liveUrl: 'http://a',
  messagingUrl: 'http://a',
  appKey: 'k',
  secret: 'keychain',
}
const running = { type: 'service', service: { phase: 'running' } } as AppEvent
const fileReady: AppEvent = {
  type: 'recorded',
  profileId: 'local',
  cid: 'c',
  at: 1,
  vid: 1,
  name: 'n',
  bytes: 1,
  merged: false,
}

function stage() {
  const app = createApp({})
  const told = { list: [] as OutgoingCallback[], waiting: 0 }
  const asked: string[] = []
  const rpc = {
    recordings: {
      callbacks: () => {
        asked.push('list')
        return Promise.resolve({ ...told })
      },
      resend: ({ nId }: { nId: string }) => {
        asked.push(nId)
        return nId === 'bad' ? Promise.reject(new Error('gone')) : Promise.resolve()
      },
    },
  } as unknown as RpcClient
  const pinia = createPinia()
  app.provide(servicesKey, { rpc, now: () => Date.now(), memory: { read: () => null, write: () => undefined } })
  app.use(pinia)
  setActivePinia(pinia)
  const companion = useCompanion()
  companion.apply({ type: 'profiles', profiles: [local] })
  return { told, asked, companion, store: useCallbacks() }
}
const settle = async (): Promise<void> => {
  await nextTick()
  await vi.advanceTimersByTimeAsync(0)
}

beforeEach(() => {
  vi.useFakeTimers({ now: 100_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

it('asks once there is somebody to ask, and forgets when there is not', async () => {
  const { told, asked, companion, store } = stage()
  await settle()
  expect(asked).toEqual([])
  expect(store.list).toBeNull()
  told.list = [sent('b', { vid: 2 }), sent('a')]
  companion.lineIs('open')
  companion.apply(running)
  await settle()
  expect(store.list?.map((each) => each.nId)).toEqual(['b', 'a'])
  expect([store.byVid.get(1)?.nId, store.byVid.get(2)?.nId, store.byVid.get(3)]).toEqual(['a', 'b', undefined])
  companion.lineIs('lost')
  await settle()
  expect(store.list).toBeNull()
  expect(store.waiting).toBe(0)
})

it('keeps the newest of a file', async () => {
  const { told, companion, store } = stage()
  told.list = [sent('newer', { state: 'failed' }), sent('older')]
  companion.lineIs('open')
  companion.apply(running)
  await settle()
  expect(store.byVid.get(1)?.nId).toBe('newer')
})

it('looks again when a file is ready, and while one waits when it is due, never in between nor after', async () => {
  const { told, asked, companion, store } = stage()
  companion.lineIs('open')
  companion.apply(running)
  await settle()
  expect(asked).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(asked).toHaveLength(1)
  told.list = [sent('w', { state: 'waiting', due: Date.now() + 5_000 })]
  told.waiting = 1
  useRecordings().apply(fileReady)
  await settle()
  expect([asked.length, store.waiting]).toEqual([2, 1])
  await vi.advanceTimersByTimeAsync(4_999)
  expect(asked).toHaveLength(2)
  told.list = [sent('w')]
  told.waiting = 0
  await vi.advanceTimersByTimeAsync(1)
  expect([asked.length, store.waiting]).toEqual([3, 0])
  await vi.advanceTimersByTimeAsync(600_000)
  expect(asked).toHaveLength(3)
})

it('looks at most once a second at what is overdue, and at the latest after 15 s', async () => {
  const { told, asked, companion } = stage()
  told.list = [sent('w', { state: 'waiting', due: 0 })]
  told.waiting = 1
  companion.lineIs('open')
  companion.apply(running)
  await settle()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(asked).toHaveLength(4)
  told.list = [sent('w', { state: 'waiting', due: Date.now() + 21_600_000 })]
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked).toHaveLength(5)
  await vi.advanceTimersByTimeAsync(14_999)
  expect(asked).toHaveLength(5)
  await vi.advanceTimersByTimeAsync(1)
  expect(asked).toHaveLength(6)
})

it('sends one again and looks, and keeps what went wrong', async () => {
  const { asked, companion, store } = stage()
  companion.lineIs('open')
  companion.apply(running)
  await settle()
  await store.resend('a')
  expect(asked).toEqual(['list', 'a', 'list'])
  expect(store.failure).toBeNull()
  await store.resend('bad')
  expect(store.failure).not.toBeNull()
  expect(store.busy).toBeNull()
})
