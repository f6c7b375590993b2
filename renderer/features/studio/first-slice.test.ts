import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, nextTick, ref } from 'vue'
import { expect, it, vi } from 'vitest'
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
