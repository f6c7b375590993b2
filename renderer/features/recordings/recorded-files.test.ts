import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, ref, watch } from 'vue'
import { afterEach, expect, it } from 'vitest'
import type { MergeBoard, RecordedFile } from '../../../contract/rpc/index.ts'
import type { RpcClient } from '../../data/client.ts'
import { makeFiles } from '../../testing/fake-recordings.ts'
import { makeChannels } from '../../testing/fake-state.ts'
import { useRecordedFiles } from './recorded-files.ts'
import { useRecordings } from '../channels/recorded.ts'
import { servicesKey } from '../../data/services.ts'

const now = 1_700_000_000_000
const task = { taskId: 1, outputName: 'Both', reason: null, total: 100 } as const
let scope = effectScope()
afterEach(() => scope.stop())

/** A service whose merge ends while its files are read. */
const stage = () => {
  const slices = makeFiles(makeChannels(now), now)
  let list: readonly RecordedFile[] = slices
  let board: MergeBoard = { tasks: [{ ...task, state: 'running', done: 0 }], calls: [] }
  const end = (): void => {
    list = [{ ...slices[0]!, vid: 99, name: 'Both', merged: true }, ...slices]
    board = { tasks: [{ ...task, state: 'done', done: 100 }], calls: [] }
  }
  const asked: string[] = []
  const answer =
    <T>(what: string, say: () => T) =>
    (): Promise<T> => {
      asked.push(what)
      return Promise.resolve(say())
    }
  const recordings = {
    list: answer('list', () => ({ files: list })),
    markers: answer('markers', () => []),
    merges: answer('merges', () => board),
  }
  const rpc = { recordings, receivers: { deliveries: answer('deliveries', () => []) } } as unknown as RpcClient
  const app = createApp({})
  app.provide(servicesKey, { rpc, now: () => now, memory: { read: () => null, write: () => undefined } })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const wanted = ref({ profileId: 'local', cids: ['a'], range: { begin: 0, end: now } })
  scope = effectScope()
  const files = app.runWithContext(() => scope.run(() => useRecordedFiles(wanted))!)
  return { files, end, asked, store: useRecordings() }
}
const isListed = (files: readonly RecordedFile[] | null): boolean => files?.some(({ name }) => name === 'Both') === true

it('a merge that is done is not shown as running beside its file, at no moment', async () => {
  const { files, end, store } = stage()
  await expect.poll(() => files.board.value?.tasks?.[0]?.state).toBe('running')
  const seen: string[] = []
  scope.run(() =>
    watch(
      [files.files, files.board],
      ([list, board]) => {
        seen.push(`${isListed(list) ? 'listed' : 'absent'} ${board?.tasks?.[0]?.state}`)
      },
      { flush: 'post' },
    ),
  )
  end()
  store.files += 1
  await expect.poll(() => isListed(files.files.value)).toBe(true)
  await expect.poll(() => files.board.value?.tasks?.[0]?.state).toBe('done')
  expect(seen).not.toContain('listed running')
})
