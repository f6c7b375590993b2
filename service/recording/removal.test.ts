import { systemClock } from '../../platform/clock.ts'
import { expect, it } from 'vitest'
import { createRemoval } from './removal.ts'

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
