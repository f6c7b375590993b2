import { afterEach, expect, it, vi } from 'vitest'
import { createRecovery } from './recovery.ts'
import type { RecordingRow } from './files-store.ts'
import { WorkFault } from './workers.ts'

type Options = Parameters<typeof createRecovery>[0]
afterEach(() => vi.useRealTimers())

const rowOf = (vid: number, state: RecordingRow['state'] = 'writing'): RecordingRow => ({
  vid,
  cid: 'c'.repeat(32),
  uid: 1,
  state,
  format: 0,
  merged: 0,
  slice: 0,
  beginTime: 0,
  endTime: 0,
  completed: 0,
  filename: '',
  name: '',
  fileKey: '',
  bytes: 0,
  duration: 0,
  codecs: '',
  node: '',
})

/** A recovery over files of the given sizes; what it did, in order. */
function made(
  sizes: Record<number, number | Error>,
  finish: (vid: number) => Promise<void> = () => Promise.resolve(),
  kept: readonly string[] = [],
) {
  const done: string[] = []
  const state = { allowed: true, warned: 0 }
  const listed = { bytes: 1, duration: 1 } as Awaited<ReturnType<Options['finisher']['finish']>>
  const recovery = createRecovery({
    store: { forget: async (vid) => void done.push(`forget ${vid}`) },
    folder: {
      file: ({ vid }: { vid: number }) => `${vid}`,
      index: ({ vid }: { vid: number }) => `${vid}.index`,
    } as Partial<Options['folder']> as Options['folder'],
    files: {
      async size(path) {
        const size = sizes[Number(path)]
        if (size instanceof Error) throw size
        return size
      },
      async remove(path) {
        if (kept.includes(path)) throw new Error('in use')
        done.push(`remove ${path}`)
      },
    },
    finisher: {
      async finish({ vid }, from) {
        done.push(`finish ${vid} ${from.recover ? 'from the file' : 'from figures'}`)
        await finish(vid)
        return listed
      },
    },
    allowed: () => state.allowed,
    retryAfter: 1000,
    log: { info: () => undefined, warn: () => void state.warned++ },
  })
  return { recovery, done, state }
}
const broken = (): Promise<never> => Promise.reject(new WorkFault('BROKEN', 'no head'))
const full = (): Promise<never> => Promise.reject(new WorkFault('ENOSPC', 'full'))

it('finishes what was being written from the file, deletes what was being deleted', async () => {
  const { recovery, done } = made({ 1: 100_000, 2: 100_000, 3: 100_000 })
  await recovery.start([rowOf(1), rowOf(2, 'removing'), rowOf(3, 'merging')])
  expect(done).toEqual(['finish 1 from the file', 'remove 2', 'remove 2.index', 'forget 2'])
})

it('drops the row of a file that is empty or missing', async () => {
  const { recovery, done } = made({ 1: 0 })
  await recovery.start([rowOf(1), rowOf(2)])
  expect(done).toEqual(['remove 1', 'remove 1.index', 'forget 1', 'remove 2', 'remove 2.index', 'forget 2'])
})

it('drops a damaged file that is too small for media, and keeps a larger one', async () => {
  const { recovery, done, state } = made({ 1: 16 * 1024 - 1, 2: 16 * 1024 }, broken)
  await recovery.start([rowOf(1), rowOf(2)])
  expect(done).toEqual(['finish 1 from the file', 'remove 1', 'remove 1.index', 'forget 1', 'finish 2 from the file'])
  expect(state.warned).toBe(1)
})

it('keeps a small file that the disk, and no damage, keeps from being finished', async () => {
  const { recovery, done } = made({ 1: 100 }, full)
  await recovery.start([rowOf(1)])
  expect(done).toEqual(['finish 1 from the file'])
})

it('goes on with the next file when one cannot be deleted or finished', async () => {
  const { recovery, done, state } = made({ 1: 100_000, 2: 100_000 }, (vid) => (vid === 1 ? full() : Promise.resolve()))
  await recovery.start([rowOf(1), rowOf(2)])
  expect(done).toEqual(['finish 1 from the file', 'finish 2 from the file'])
  expect(state.warned).toBe(1)
})

it('tries a file of this process again after the delay, five times at most', async () => {
  vi.useFakeTimers()
  const { recovery, done } = made({ 1: 100_000 }, full)
  recovery.later(rowOf(1))
  await vi.advanceTimersByTimeAsync(999)
  expect(done).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(done).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(done).toHaveLength(5)
})

it('tries a file no more once it is finished', async () => {
  vi.useFakeTimers()
  let faults = 1
  const { recovery, done } = made({ 1: 100_000 }, () => (faults-- > 0 ? full() : Promise.resolve()))
  recovery.later(rowOf(1))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(done).toHaveLength(2)
})

it('does not try while the disk does not allow it, and at once when it does again', async () => {
  vi.useFakeTimers()
  const { recovery, done, state } = made({ 1: 100_000 })
  state.allowed = false
  recovery.later(rowOf(1))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(done).toHaveLength(0)
  await recovery.retry()
  expect(done).toEqual(['finish 1 from the file'])
})

it('remembers a thousand files for another try', async () => {
  const { recovery, done } = made({})
  for (let vid = 1; vid <= 1001; vid++) recovery.later(rowOf(vid))
  await recovery.retry()
  recovery.close()
  expect(done.filter((each) => each.startsWith('forget'))).toHaveLength(1000)
})

it('tries nothing after it is closed', async () => {
  vi.useFakeTimers()
  const { recovery, done } = made({ 1: 100_000, 2: 100_000 })
  recovery.later(rowOf(1))
  recovery.close()
  recovery.later(rowOf(2))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(done).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

it('gives a finished file five new tries, where it fails again later', async () => {
  vi.useFakeTimers()
  let finishes = false
  const { recovery, done } = made({ 1: 100_000 }, () => (finishes ? Promise.resolve() : full()))
  recovery.later(rowOf(1))
  await vi.advanceTimersByTimeAsync(3000)
  expect(done).toHaveLength(3)
  finishes = true
  await vi.advanceTimersByTimeAsync(1000)
  finishes = false
  recovery.later(rowOf(1))
  await vi.advanceTimersByTimeAsync(20_000)
  expect(done).toHaveLength(4 + 5)
})

it('tries several files of one delay together, in the order in which they came', async () => {
  vi.useFakeTimers()
  const { recovery, done } = made({ 1: 100_000, 2: 100_000 })
  recovery.later(rowOf(2))
  await vi.advanceTimersByTimeAsync(900)
  recovery.later(rowOf(1))
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(done).toEqual(['finish 2 from the file', 'finish 1 from the file'])
  await vi.advanceTimersByTimeAsync(20_000)
  expect(done).toHaveLength(2)
})

it('waits with a file again that still cannot be finished when there is space', async () => {
  vi.useFakeTimers()
  const { recovery, done } = made({ 1: 100_000 }, full)
  recovery.later(rowOf(1))
  await recovery.retry()
  expect(done).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(done).toHaveLength(2)
  recovery.close()
})

it('goes on where a file that was being deleted, or is damaged, cannot be deleted, and keeps its row', async () => {
  const { recovery, done, state } = made({ 1: 100_000, 2: 100, 3: 100_000 }, (vid) => (vid === 2 ? broken() : full()), [
    '1',
    '2',
  ])
  await recovery.start([rowOf(1, 'removing'), rowOf(2), rowOf(3)])
  expect(done).toEqual(['finish 2 from the file', 'finish 3 from the file'])
  // The damaged one is tried again at the next start without a word.
  expect(state.warned).toBe(2)
})

it('keeps a file whose size the disk does not tell, and goes on with the next one', async () => {
  const { recovery, done, state } = made({ 1: new Error('the disk is gone'), 2: 100_000 })
  await recovery.start([rowOf(1), rowOf(2)])
  expect([done, state.warned]).toEqual([['finish 2 from the file'], 1])
})

it('remembers no file that comes after it was closed', async () => {
  vi.useFakeTimers()
  const { recovery, done } = made({ 1: 100_000 })
  recovery.close()
  recovery.later(rowOf(1))
  expect(vi.getTimerCount()).toBe(0)
  await recovery.retry()
  expect(done).toEqual([])
})
