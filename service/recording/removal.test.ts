import { systemClock } from '../../platform/clock.ts'
import { expect, it, vi } from 'vitest'
import { createRemoval, retentionOf } from './removal.ts'

const day = 24 * 3600 * 1000
type Options = Parameters<typeof createRemoval>[0]

it('deletes by age when the time has passed, and not because the clock is ahead', async () => {
  let [passed, ahead] = [100 * day, 0]
  const files = new Map([
    [1, passed - 3 * day],
    [2, passed - day],
  ])
  const row = (vid: number) => ({ vid, uid: 1 }) as Awaited<ReturnType<Options['store']['removing']>>[number]
  const store = {
    completedBefore: (_uid: number, before: number) =>
      Promise.resolve([...files].filter(([, at]) => at < before).map(([vid]) => row(vid))),
    removing: (vids: readonly number[]) => Promise.resolve(vids.map(row)),
    forget: async (vid: number) => {
      files.delete(vid)
    },
  } as Partial<Options['store']> as Options['store']
  const removal = createRemoval({
    store,
    folder: { file: () => '' } as Partial<Options['folder']> as Options['folder'],
    files: { remove: () => Promise.resolve() },
    inUse: () => false,
    retention: () => [{ uid: 1, days: 2, gigabytes: 0 }],
    gone: () => undefined,
    clock: { ...systemClock, now: () => passed + ahead, monotonic: () => passed },
    log: { info: () => undefined, warn: () => undefined },
  })
  const left = async (): Promise<number[]> => {
    await removal.sweep()
    return [...files.keys()]
  }
  expect(await left()).toEqual([2])
  passed += 600_000
  ahead = 400 * day
  expect(await left()).toEqual([2])
  passed += 600_000
  ahead = 0
  expect(await left()).toEqual([2])
  passed += day
  expect(await left()).toEqual([])
  removal.close()
})

it('keeps files that a merge reads, on request as beyond a limit', async () => {
  const row = (vid: number) =>
    ({ vid, uid: 1, bytes: 1e9 }) as Awaited<ReturnType<Options['store']['removing']>>[number]
  const files = new Set([1, 2, 3])
  const removal = createRemoval({
    store: {
      removing: (vids: readonly number[]) => Promise.resolve(vids.map(row)),
      forget: async (vid: number) => void files.delete(vid),
      filled: () => Promise.resolve(files.size * 1e9),
      oldest: () => Promise.resolve([...files].map(row)),
      completedBefore: () => Promise.resolve([]),
    } as Partial<Options['store']> as Options['store'],
    folder: { file: () => '' } as Partial<Options['folder']> as Options['folder'],
    files: { remove: () => Promise.resolve() },
    inUse: (vid) => vid === 1,
    retention: () => [{ uid: 1, days: 0, gigabytes: 1 }],
    gone: () => undefined,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined },
  })
  expect(await removal.remove(1, [1, 2])).toEqual([2])
  expect([...files]).toEqual([1, 3])
  await removal.sweep()
  expect([...files]).toEqual([1])
  removal.close()
})

it('deletes the oldest beyond so many gigabytes and no more, tells what is gone, and goes on where one cannot be deleted', async () => {
  const row = (vid: number) =>
    ({ vid, uid: 1, bytes: 1e9 }) as Awaited<ReturnType<Options['store']['removing']>>[number]
  const files = new Set([1, 2, 3, 4])
  const told: unknown[] = []
  const warned: unknown[] = []
  const removal = createRemoval({
    store: {
      removing: (vids: readonly number[]) => Promise.resolve(vids.map(row)),
      forget: async (vid: number) => void files.delete(vid),
      filled: () => Promise.resolve(4.5e9),
      oldest: () => Promise.resolve([...files].map(row)),
    } as Partial<Options['store']> as Options['store'],
    folder: { file: ({ vid }: { vid: number }) => `${vid}` } as Partial<Options['folder']> as Options['folder'],
    files: { remove: (file) => (file === '1' ? Promise.reject(new Error('in use')) : Promise.resolve()) },
    inUse: () => false,
    retention: () => [{ uid: 1, days: 0, gigabytes: 3 }],
    gone: (uid, vids) => told.push([uid, ...vids]),
    clock: systemClock,
    log: { info: () => undefined, warn: (details) => warned.push(details) },
  })
  await removal.sweep()
  // The row of a file that is still there stays, for the next start.
  expect([told, [...files]]).toEqual([[[1, 1, 2]], [1, 3, 4]])
  expect(warned).toMatchObject([{ vid: 1 }])
  removal.close()
})

/** A removal over files in memory of 1 GB each, oldest first, and what it did. */
function made(count: number, options: Partial<Options> = {}) {
  const row = (vid: number) =>
    ({ vid, uid: 1, bytes: 1e9 }) as Awaited<ReturnType<Options['store']['removing']>>[number]
  const files = new Set(Array.from({ length: count }, (_, index) => index + 1))
  const asked: unknown[][] = []
  const told: number[][] = []
  const removal = createRemoval({
    store: {
      async removing(vids: readonly number[], uid: number) {
        asked.push(['removing', uid, ...vids])
        return vids.filter((vid) => files.has(vid)).map(row)
      },
      forget: async (vid: number) => void files.delete(vid),
      filled: () => Promise.resolve(files.size * 1e9),
      async oldest(uid: number, most: number) {
        asked.push(['oldest', uid, most])
        return [...files].slice(0, most).map(row)
      },
      async completedBefore(uid: number, before: number) {
        asked.push(['completedBefore', uid, before])
        return []
      },
    } as Partial<Options['store']> as Options['store'],
    folder: { file: ({ vid }: { vid: number }) => `${vid}` } as Partial<Options['folder']> as Options['folder'],
    files: { remove: () => Promise.resolve() },
    inUse: () => false,
    retention: () => [{ uid: 1, days: 0, gigabytes: 0 }],
    gone: (_uid, vids) => void told.push([...vids]),
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined },
    ...options,
  })
  return { removal, files, asked, told }
}
const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

it('deletes a file that is named twice once, and tells the deleted ones at most a hundred at a time', async () => {
  const { removal, told, asked } = made(201)
  expect(await removal.remove(1, [1, 1])).toEqual([1])
  expect(asked).toEqual([['removing', 1, 1]])
  expect(await removal.remove(1, from(2, 202))).toEqual(from(2, 201))
  expect(told).toEqual([[1], from(2, 101), from(102, 201)])
  removal.close()
})

it('deletes beyond the gigabytes in steps of a hundred until enough is free, and nothing at the limit', async () => {
  const { removal, files, asked } = made(205, { retention: () => [{ uid: 1, days: 0, gigabytes: 50 }] })
  await removal.sweep()
  expect([...files]).toEqual(from(156, 205))
  expect(asked.filter(([what]) => what === 'oldest')).toEqual([
    ['oldest', 1, 100],
    ['oldest', 1, 100],
  ])
  await removal.sweep()
  expect(files.size).toBe(50)
  removal.close()
})

it('gives up for now where all that is oldest is in use', async () => {
  const { removal, files } = made(3, { retention: () => [{ uid: 1, days: 0, gigabytes: 1 }], inUse: () => true })
  await removal.sweep()
  expect(files.size).toBe(3)
  removal.close()
})

it('deletes nothing without a limit, and counts days of 24 hours back from now', async () => {
  const clock = { ...systemClock, now: () => 100 * day, monotonic: () => 0 }
  const none = made(3, { clock })
  await none.removal.sweep()
  expect([none.files.size, none.asked]).toEqual([3, []])
  none.removal.close()
  const two = made(3, { clock, retention: () => [{ uid: 7, days: 2, gigabytes: 0 }] })
  await two.removal.sweep()
  expect(two.asked).toEqual([
    ['completedBefore', 7, 98 * day],
    ['removing', 7],
  ])
  two.removal.close()
})

it('sweeps every ten minutes until it is closed, also after a sweep that failed', async () => {
  vi.useFakeTimers()
  try {
    let swept = 0
    const warned: unknown[] = []
    const { removal } = made(0, {
      retention() {
        swept++
        throw new Error('no settings')
      },
      log: { info: () => undefined, warn: (details) => warned.push(details) },
    })
    await vi.advanceTimersByTimeAsync(10 * 60_000 - 1)
    expect(swept).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    expect(swept).toBe(1)
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(swept).toBe(2)
    expect(warned).toMatchObject([{ err: { message: 'no settings' } }, { err: { message: 'no settings' } }])
    removal.close()
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(swept).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

it('has one sweep at a time: who asks meanwhile waits for the one that runs', async () => {
  let swept = 0
  const { promise, resolve } = Promise.withResolvers<number>()
  const { removal } = made(0, {
    retention() {
      swept++
      return [{ uid: 1, days: 0, gigabytes: 1 }]
    },
    store: { filled: () => promise } as Partial<Options['store']> as Options['store'],
  })
  const both = Promise.all([removal.sweep(), removal.sweep()])
  resolve(0)
  await both
  expect(swept).toBe(1)
  await removal.sweep()
  expect(swept).toBe(2)
  removal.close()
})

it('sweeps again also where there was no application before', async () => {
  let applications: { readonly uid: number; readonly days: number; readonly gigabytes: number }[] = []
  const { removal, files } = made(2, { retention: () => applications })
  await removal.sweep()
  applications = [{ uid: 1, days: 0, gigabytes: 1 }]
  await removal.sweep()
  expect([...files]).toEqual([2])
  removal.close()
})

it('takes its limits from the settings of an application', () => {
  expect(retentionOf({ uid: 3, settings: { recordingDays: 2, recordingGigabytes: 5 } })).toEqual({
    uid: 3,
    days: 2,
    gigabytes: 5,
  })
})
