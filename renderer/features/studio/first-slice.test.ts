import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, nextTick, ref } from 'vue'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AppEvent, RecordedFile } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { useFirstSlice, type Broadcast } from './first-slice.ts'
import { useRecordings } from '../channels/recorded.ts'
import { servicesKey } from '../../data/services.ts'

const file = (vid: number, begin: number, merged = false): RecordedFile => ({
  vid,
  cid: 'c',
  name: 'n',
  key: 'k',
  begin,
  end: begin + 1,
  format: 'mp4',
  bytes: 1,
  duration: 1,
  codecs: '',
  merged,
})
const ready: AppEvent = {
  type: 'recorded',
  profileId: 'p',
  cid: 'c',
  at: 1,
  vid: 1,
  name: 'n',
  bytes: 1,
  merged: false,
}

it('finds the first file of the broadcast, keeps it after the end, and begins anew with the next', async () => {
  let files: RecordedFile[] = []
  const asked: { cids: string[]; beginTime: number }[] = []
  const rpc = {
    recordings: {
      list: (input: { cids: string[]; beginTime: number }) => {
        asked.push(input)
        return Promise.resolve({ files })
      },
    },
  } as unknown as RpcClient
  const now = 1_800_000_000_000
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, { rpc, now: () => now, memory: { read: () => null, write: () => undefined } })
  app.use(pinia)
  setActivePinia(pinia)
  const since = now - 3_600_000
  const broadcast = ref<Broadcast | null>({ profileId: 'p', cid: 'c', since: null })
  const scope = effectScope()
  const first = app.runWithContext(() => scope.run(() => useFirstSlice(broadcast)))!
  await nextTick()
  expect(asked).toEqual([])

  broadcast.value = { profileId: 'p', cid: 'c', since }
  await nextTick()
  expect(asked).toMatchObject([{ cids: ['c'], beginTime: since - 5_000 }])
  // An earlier file that reaches into the range, and a merged one, are not of this broadcast.
  files = [file(9, since + 2_000), file(8, since - 100), file(7, since - 60_000), file(6, since + 1, true)]
  useRecordings().apply(ready)
  await vi.waitFor(() => expect(first.value?.vid).toBe(8))
  useRecordings().apply(ready)
  await nextTick()
  expect(asked).toHaveLength(2)

  broadcast.value = { profileId: 'p', cid: 'c', since: null }
  await nextTick()
  expect(first.value?.vid).toBe(8)
  files = []
  broadcast.value = { profileId: 'p', cid: 'c', since: now - 1_000 }
  await nextTick()
  expect(first.value).toBeNull()
  broadcast.value = { profileId: 'p', cid: 'other', since: null }
  await nextTick()
  expect(first.value).toBeNull()
  scope.stop()
})

describe('the first file of a broadcast', () => {
  const now = 1_800_000_000_000
  const since = now - 60_000
  const stage = (first: Broadcast | null) => {
    const asked: { profileId: string; cids: string[]; beginTime: number; endTime: number }[] = []
    const state: { answer: () => Promise<{ files: RecordedFile[] }> } = { answer: () => Promise.resolve({ files: [] }) }
    const rpc = {
      recordings: {
        list: async (input: (typeof asked)[number]) => {
          asked.push(input)
          await Promise.resolve()
          return state.answer()
        },
      },
    } as unknown as RpcClient
    const app = createApp({})
    const pinia = createPinia()
    app.provide(servicesKey, { rpc, now: () => now, memory: { read: () => null, write: () => undefined } })
    app.use(pinia)
    setActivePinia(pinia)
    const broadcast = ref(first)
    const scope = effectScope()
    const found = app.runWithContext(() => scope.run(() => useFirstSlice(broadcast)))!
    onTestFinished(() => scope.stop())
    const settled = async (): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) await nextTick()
    }
    return { asked, state, broadcast, found, settled, told: () => useRecordings().apply(ready) }
  }
  const at: Broadcast = { profileId: 'p', cid: 'c', since }

  it('is looked for from five seconds before the push until now', async () => {
    const { asked, settled } = stage(at)
    await settled()
    expect(asked).toEqual([{ profileId: 'p', cids: ['c'], beginTime: since - 5_000, endTime: now }])
  })

  it('is looked for within the longest time that a list has, of a push that is older', async () => {
    const { asked, settled } = stage({ ...at, since: now - 30 * 86_400_000 })
    await settled()
    expect(asked[0]?.beginTime).toBe(now - 7 * 86_400_000 + 60_000)
  })

  it('is none of before the push, though it reaches into it, and none without a time', async () => {
    const { state, found, settled, told } = stage(at)
    await settled()
    state.answer = () => Promise.resolve({ files: [file(1, since - 5_001), { ...file(2, since), begin: null }] })
    told()
    await settled()
    expect(found.value).toBeNull()
    state.answer = () => Promise.resolve({ files: [file(3, since - 5_000)] })
    told()
    await settled()
    expect(found.value?.vid).toBe(3)
  })

  it('is the earliest of the push, and no merged one though that stands before it', async () => {
    const { state, found, settled, told } = stage(at)
    await settled()
    state.answer = () =>
      Promise.resolve({ files: [file(1, since + 1, true), file(2, since + 9), file(3, since + 5), file(4, since + 7)] })
    told()
    await settled()
    expect(found.value?.vid).toBe(3)
  })

  it('is not asked for again while the same push goes on', async () => {
    const { asked, broadcast, settled } = stage(at)
    await settled()
    broadcast.value = { ...at }
    await settled()
    expect(asked).toHaveLength(1)
  })

  it('is none, and is not asked for, without a channel', async () => {
    const { asked, state, broadcast, found, settled, told } = stage(at)
    state.answer = () => Promise.resolve({ files: [file(1, since)] })
    await settled()
    expect(found.value?.vid).toBe(1)
    broadcast.value = null
    await settled()
    told()
    await settled()
    expect([found.value, asked.length]).toEqual([null, 1])
  })

  it('is not that of another channel, whose answer comes late', async () => {
    const { state, broadcast, found, settled } = stage(at)
    const gate = Promise.withResolvers<{ files: RecordedFile[] }>()
    state.answer = () => gate.promise
    broadcast.value = { ...at, cid: 'd' }
    await settled()
    state.answer = () => Promise.resolve({ files: [] })
    broadcast.value = { ...at, profileId: 'q', cid: 'd' }
    await settled()
    gate.resolve({ files: [file(1, since)] })
    await settled()
    expect(found.value).toBeNull()
  })

  it('is looked for again with the next file where it could not be read', async () => {
    const { asked, state, found, settled, told } = stage(at)
    state.answer = () => Promise.reject(new Error('refused'))
    await settled()
    state.answer = () => Promise.resolve({ files: [file(1, since)] })
    told()
    await settled()
    expect([asked.length, found.value?.vid]).toEqual([2, 1])
  })
})
