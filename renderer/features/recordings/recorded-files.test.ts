import { createPinia, setActivePinia } from 'pinia'
import { createApp, effectScope, ref, watch } from 'vue'
import { afterEach, describe, expect, it, vi } from 'vitest'
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
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

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
  const wanted = ref({ profileId: 'local', cids: ['a'], range: { begin: 0, end: now }, extended: false })
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

/** A service whose answers a test holds back, as a page reads it. */
const held = (first: { readonly profileId: string; readonly cids: readonly string[] } | null, extended = false) => {
  vi.useFakeTimers({ now })
  const calls: { readonly what: string; readonly input: unknown }[] = []
  const answers: Record<string, (input: never) => unknown> = {
    list: () => ({ files: [] }),
    markers: () => [],
    merges: () => ({ tasks: [], calls: [] }),
    deliveries: () => [],
  }
  const call = (what: string) => async (input: unknown) => {
    calls.push({ what, input })
    await Promise.resolve()
    return answers[what]?.(input as never)
  }
  const rpc = {
    recordings: { list: call('list'), markers: call('markers'), merges: call('merges') },
    receivers: { deliveries: call('deliveries') },
    operations: { broadcast: { broadcasts: call('broadcasts') } },
  } as unknown as RpcClient
  const app = createApp({})
  app.provide(servicesKey, { rpc, now: () => now, memory: { read: () => null, write: () => undefined } })
  const pinia = createPinia()
  app.use(pinia)
  setActivePinia(pinia)
  const range = { begin: 5, end: 9 }
  const wanted = ref(first && { ...first, range, extended })
  scope = effectScope()
  const files = app.runWithContext(() => scope.run(() => useRecordedFiles(wanted))!)
  return {
    files,
    wanted,
    calls,
    count: (what: string) => calls.filter((each) => each.what === what).length,
    answer: (more: typeof answers): void => void Object.assign(answers, more),
    settled: () => vi.advanceTimersByTimeAsync(0),
    store: useRecordings(),
  }
}
const a = { profileId: 'local', cids: ['a', 'b'] }
const file = (vid: number): RecordedFile => ({ vid, cid: 'a', name: `file ${vid}` }) as RecordedFile
const vids = (files: ReturnType<typeof useRecordedFiles>) => files.files.value?.map(({ vid }) => vid)

describe('the files of a range', () => {
  it('are asked for with their markers, merges and callbacks, by channels and range', async () => {
    const { files, calls, answer, settled } = held(a)
    answer({ list: () => ({ files: [file(1)] }), markers: () => [{ markerId: 4 }] })
    expect(files.loading.value).toBe(true)
    await settled()
    const input = { profileId: 'local', cids: ['a', 'b'], beginTime: 5, endTime: 9 }
    expect(calls).toEqual([
      { what: 'list', input },
      { what: 'markers', input },
      { what: 'merges', input: { profileId: 'local' } },
      { what: 'deliveries', input: { profileId: 'local', limit: 500 } },
    ])
    expect([vids(files), files.markers.value, files.loading.value]).toEqual([[1], [{ markerId: 4 }], false])
  })

  it('are not asked for before it is known of what, and none without a channel', async () => {
    const { files, wanted, calls, settled } = held(null)
    await settled()
    expect([files.files.value, files.loading.value, calls]).toEqual([null, false, []])
    wanted.value = { extended: false, profileId: 'local', cids: [], range: { begin: 5, end: 9 } }
    await settled()
    expect([files.files.value, files.markers.value, calls]).toEqual([[], [], []])
  })

  it('stay while those of another range are read, and go at once in another profile', async () => {
    const { files, wanted, answer, settled } = held(a)
    answer({ list: () => ({ files: [file(1)] }) })
    await settled()
    const gate = Promise.withResolvers<object>()
    answer({ list: () => gate.promise })
    wanted.value = { ...a, extended: false, range: { begin: 10, end: 20 } }
    await settled()
    expect([vids(files), files.loading.value]).toEqual([[1], true])
    wanted.value = { ...a, extended: false, profileId: 'hosted-1', range: { begin: 10, end: 20 } }
    await settled()
    expect([files.files.value, files.board.value, files.received.value.size]).toEqual([null, null, 0])
    gate.resolve({ files: [file(2)] })
    await settled()
    expect(vids(files)).toEqual([2])
  })

  it('are those that were asked for last, though an earlier answer comes later', async () => {
    const { files, wanted, answer, settled } = held(a)
    const gate = Promise.withResolvers<object>()
    answer({ list: () => gate.promise })
    await settled()
    answer({ list: () => ({ files: [file(2)] }) })
    wanted.value = { ...a, extended: false, range: { begin: 10, end: 20 } }
    await settled()
    gate.resolve({ files: [file(1)] })
    await settled()
    expect([vids(files), files.loading.value]).toEqual([[2], false])
  })

  it('are read again when files changed, and their callbacks alone when one came in', async () => {
    const { store, count, settled } = held(a)
    await settled()
    store.files += 1
    await settled()
    expect([count('list'), count('deliveries')]).toEqual([2, 2])
    store.deliveries += 1
    await settled()
    expect([count('list'), count('deliveries')]).toEqual([2, 3])
  })

  it('stay where they could not be read again, and it is said why until they are', async () => {
    const { files, answer, settled } = held(a)
    answer({ list: () => ({ files: [file(1)] }) })
    await settled()
    answer({ markers: () => Promise.reject(new Error('refused')) })
    await files.load()
    expect([vids(files), files.failure.value?.kind, files.loading.value]).toEqual([[1], 'offline', false])
    answer({ markers: () => [] })
    await files.load()
    expect(files.failure.value).toBeNull()
  })

  it('have the callbacks that were accepted, by the number of the file', async () => {
    const { files, answer, settled } = held(a)
    const came = (id: number, verdict: string) => ({ id, verdict, fields: { vid: String(id) } })
    answer({
      deliveries: () => [came(1, 'accepted'), came(2, 'duplicate'), came(3, 'forged'), came(4, 'unreadable')],
    })
    await settled()
    expect([...files.received.value.keys()]).toEqual([1])
  })

  it('stay though their callbacks or merges could not be read', async () => {
    const { files, answer, settled } = held(a)
    const refuse = () => Promise.reject(new Error('refused'))
    answer({ list: () => ({ files: [file(1)] }), deliveries: refuse, merges: refuse })
    await settled()
    expect([vids(files), files.board.value, files.received.value.size, files.failure.value]).toEqual([
      [1],
      null,
      0,
      null,
    ])
  })
})

describe('merges beside the files', () => {
  const running = { tasks: [{ ...task, state: 'running', done: 0 }], calls: [] }
  const done = { tasks: [{ ...task, state: 'done', done: 100 }], calls: [] }

  it('are looked at each second while one runs, and no more once none does', async () => {
    const { files, answer, count, settled } = held(a)
    answer({ merges: () => running })
    await settled()
    expect(count('merges')).toBe(1)
    await vi.advanceTimersByTimeAsync(999)
    expect(count('merges')).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(count('merges')).toBe(2)
    answer({ merges: () => done })
    await vi.advanceTimersByTimeAsync(1_000)
    expect([count('merges'), files.board.value?.tasks?.[0]?.state]).toEqual([3, 'done'])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(count('merges')).toBe(3)
  })

  it('are looked at on request, and one that runs then is followed', async () => {
    const { files, answer, count, settled } = held(a)
    await settled()
    answer({ merges: () => running })
    await files.look()
    expect([count('merges'), files.board.value?.tasks?.[0]?.state]).toEqual([2, 'running'])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(count('merges')).toBe(3)
  })

  it('are looked at though the files could not be read', async () => {
    const { files, answer, settled } = held(a)
    answer({ list: () => Promise.reject(new Error('refused')), merges: () => running })
    await settled()
    expect(files.board.value?.tasks?.[0]?.state).toBe('running')
  })

  it('of another profile are not taken for those of this one', async () => {
    const { files, wanted, answer, settled } = held(a)
    await settled()
    const gate = Promise.withResolvers<object>()
    answer({ merges: () => gate.promise })
    const looking = files.look()
    answer({ merges: () => done })
    wanted.value = { ...a, extended: false, profileId: 'hosted-1', range: { begin: 5, end: 9 } }
    await settled()
    gate.resolve(running)
    await looking
    expect(files.board.value?.tasks?.[0]?.state).toBe('done')
  })

  it('are not looked at any more once the screen is left', async () => {
    const { answer, count, settled } = held(a)
    answer({ merges: () => running })
    await settled()
    scope.stop()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(count('merges')).toBe(1)
  })
})

describe('the broadcasts of a range', () => {
  it('are those of its channels, of earlier days too, and are read again when one changes', async () => {
    const { files, calls, count, answer, settled, store } = held(a, true)
    answer({ broadcasts: () => ({ ret: { list: [{ cid: 'a', title: 'One' }, { cid: 'z' }] } }) })
    await settled()
    expect(files.broadcasts.value.map(({ title }) => title)).toEqual(['One'])
    expect(calls.find(({ what }) => what === 'broadcasts')?.input).toEqual({
      profileId: 'local',
      call: { beginTime: 0, endTime: 9, limit: 1000 },
    })
    store.broadcasts += 1
    await settled()
    expect(count('broadcasts')).toBe(2)
  })

  it('do not keep the files away where the service has none', async () => {
    const { files, answer, settled } = held(a, true)
    answer({ list: () => ({ files: [file(1)] }), broadcasts: () => Promise.reject(new Error('no such operation')) })
    await settled()
    expect([vids(files), files.broadcasts.value, files.failure.value]).toEqual([[1], [], null])
  })
})
