import { afterEach, expect, it, vi } from 'vitest'
import { silentLog } from '../log.ts'
import { createDiskGuard, stopReasonOf, type StopReason } from './disk-guard.ts'

let end: (() => void) | undefined
afterEach(() => end?.())

const mebibyte = 1024 * 1024

it.each([
  ['a tenth of a small reserve', 100 * mebibyte, 10 * mebibyte],
  ['64 MiB of a large one', 200_000 * mebibyte, 64 * mebibyte],
])('resumes only with %s of room beyond it', async (_what, reserve, margin) => {
  const heard: (StopReason | undefined)[] = []
  let free = reserve
  const made = createDiskGuard({
    files: { free: () => Promise.resolve(free), probe: () => Promise.resolve() },
    folder: '/nowhere',
    reserve,
    every: 3_600_000,
    changed: (reason) => heard.push(reason),
    log: silentLog,
  })
  end = made.begin()
  const roomOf = async (bytes: number): Promise<StopReason | undefined> => {
    free = bytes
    await made.look()
    return made.blocked
  }
  expect(await roomOf(reserve)).toBeUndefined()
  expect(await roomOf(reserve - 1)).toBe('space')
  expect(await roomOf(reserve + margin - 1)).toBe('space')
  expect(await roomOf(reserve + margin)).toBeUndefined()
  expect(heard).toEqual(['space', undefined])
})

it('tells the bytes until recording stops, not those that are free', async () => {
  let free: number | undefined
  const made = createDiskGuard({
    files: {
      free: () => (free === undefined ? Promise.reject(new Error('the disk is gone')) : Promise.resolve(free)),
      probe: () => Promise.resolve(),
    },
    folder: '/nowhere',
    reserve: 512 * mebibyte,
    every: 3_600_000,
    changed: () => undefined,
    log: silentLog,
  })
  end = made.begin()
  expect(made.space).toBeUndefined()
  expect(made.needs).toBeUndefined()
  const roomAt = async (bytes: number | undefined): Promise<number | undefined> => {
    free = bytes
    await made.look()
    await made.look()
    return made.space
  }
  expect(await roomAt(548 * mebibyte)).toBe(36 * mebibyte)
  expect(made.needs).toBeUndefined()
  expect(await roomAt(500 * mebibyte)).toBe(0)
  expect(made.needs).toBe(Math.ceil((12 + 51.2) * mebibyte))
  // More than the reserve, but less than its margin.
  expect(await roomAt(520 * mebibyte)).toBe(0)
  expect(made.needs).toBe(Math.ceil((51.2 - 8) * mebibyte))
  expect(await roomAt(undefined)).toBeUndefined()
  expect(await roomAt(700 * mebibyte)).toBe(188 * mebibyte)
  expect(made.needs).toBeUndefined()
})

it('looks again, with a write, at a disk whose write failed while a check was running', async () => {
  const answers: ((free: number) => void)[] = []
  const guard = createDiskGuard({
    files: {
      free: () => new Promise((resolve) => answers.push(resolve)),
      probe: () => Promise.reject(Object.assign(new Error('no write'), { code: 'EROFS' })),
    },
    folder: '/nowhere',
    reserve: 100 * mebibyte,
    every: 3_600_000,
    changed: () => undefined,
    log: silentLog,
  })
  const answer = async (): Promise<void> => {
    await expect.poll(() => answers.length).toBeGreaterThan(0)
    answers.shift()!(1_000 * mebibyte)
  }
  const running = guard.look()
  const failed = guard.failed()
  await answer()
  await running
  expect(guard.blocked).toBeUndefined()
  await answer()
  await failed
  expect(guard.blocked).toBe('readonly')
})

it.each([
  ['space', ['ENOSPC', 'EDQUOT', 'EFBIG']],
  ['readonly', ['EROFS', 'EACCES', 'EPERM']],
  ['folder', ['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO']],
  ['error', ['EIO', undefined]],
] as const)('stops with the reason %s for the errors of the system that mean it', (reason, codes) => {
  for (const code of codes) expect(stopReasonOf(Object.assign(new Error('x'), { code })), code).toBe(reason)
  expect(stopReasonOf(undefined)).toBe('error')
})

it('looks at once and then at each interval until it is ended, and tells a change once', async () => {
  vi.useFakeTimers()
  try {
    let looked = 0
    let free = 0
    const heard: (StopReason | undefined)[] = []
    const guard = createDiskGuard({
      files: {
        free() {
          looked++
          return Promise.resolve(free)
        },
        probe: () => Promise.resolve(),
      },
      folder: '/nowhere',
      reserve: 100,
      every: 2000,
      changed: (reason) => heard.push(reason),
      log: silentLog,
    })
    const stop = guard.begin()
    await vi.advanceTimersByTimeAsync(0)
    expect([looked, guard.blocked]).toEqual([1, 'space'])
    await vi.advanceTimersByTimeAsync(2000)
    free = 1000
    await vi.advanceTimersByTimeAsync(1999)
    expect([looked, heard]).toEqual([2, ['space']])
    await vi.advanceTimersByTimeAsync(1)
    expect([looked, heard, guard.free]).toEqual([3, ['space', undefined], 1000])
    stop()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(looked).toBe(3)
  } finally {
    vi.useRealTimers()
  }
})

it('writes to the disk only after a failure or while recording is stopped', async () => {
  let writes = 0
  let broken = false
  const guard = createDiskGuard({
    files: {
      free: () => Promise.resolve(1000),
      probe() {
        writes++
        return broken ? Promise.reject(Object.assign(new Error('x'), { code: 'EROFS' })) : Promise.resolve()
      },
    },
    folder: '/nowhere',
    reserve: 100,
    every: 3_600_000,
    changed: () => undefined,
    log: silentLog,
  })
  await guard.look()
  expect(writes).toBe(0)
  broken = true
  await guard.failed()
  expect([writes, guard.blocked]).toEqual([1, 'readonly'])
  broken = false
  await guard.look()
  expect([writes, guard.blocked]).toEqual([2, undefined])
  await guard.look()
  expect(writes).toBe(2)
})

it('stops for a missing folder, does not know the room then, and resumes at the reserve without a margin', async () => {
  const heard: (StopReason | undefined)[] = []
  let free: number | undefined
  let probed: string | undefined
  const guard = createDiskGuard({
    files: {
      free(folder) {
        expect(folder).toBe('/recordings')
        return free === undefined
          ? Promise.reject(Object.assign(new Error('no folder'), { code: 'ENOENT' }))
          : Promise.resolve(free)
      },
      async probe(folder) {
        probed = folder
      },
    },
    folder: '/recordings',
    reserve: 100,
    every: 3_600_000,
    changed: (reason) => heard.push(reason),
    log: silentLog,
  })
  await guard.look()
  expect([guard.blocked, guard.space, guard.needs, guard.free]).toEqual(['folder', undefined, undefined, 0])
  free = 100
  await guard.look()
  expect([guard.blocked, guard.space, guard.needs, guard.free]).toEqual([undefined, 0, undefined, 100])
  expect([heard, probed]).toEqual([['folder', undefined], '/recordings'])
  free = undefined
  await guard.look()
  // The figure of before is kept for answers.
  expect([guard.blocked, guard.free]).toEqual(['folder', 100])
})

it('has one check at a time: who asks meanwhile gets the result of the one that runs', async () => {
  let looked = 0
  let answer = (_free: number): void => {}
  const guard = createDiskGuard({
    files: {
      free() {
        looked++
        return new Promise((resolve) => {
          answer = resolve
        })
      },
      probe: () => Promise.resolve(),
    },
    folder: '/nowhere',
    reserve: 100,
    every: 3_600_000,
    changed: () => undefined,
    log: silentLog,
  })
  const both = Promise.all([guard.look(), guard.look()])
  answer(500)
  await both
  expect([looked, guard.space]).toEqual([1, 400])
  const next = guard.look()
  answer(500)
  await next
  expect(looked).toBe(2)
})

it('writes again at each check after a failure until one succeeds, also when the disk was full between', async () => {
  let writes = 0
  let free = 1000
  let code: string | undefined = 'EIO'
  const guard = createDiskGuard({
    files: {
      free: () => Promise.resolve(free),
      probe() {
        writes++
        return code === undefined ? Promise.resolve() : Promise.reject(Object.assign(new Error('x'), { code }))
      },
    },
    folder: '/nowhere',
    reserve: 100,
    every: 3_600_000,
    changed: () => undefined,
    log: silentLog,
  })
  await guard.failed()
  expect([writes, guard.blocked]).toEqual([1, 'error'])
  free = 50
  await guard.look()
  // Nothing is written to a disk that is full.
  expect([writes, guard.blocked]).toEqual([1, 'space'])
  free = 1000
  code = 'ENOTDIR'
  await guard.look()
  expect([writes, guard.blocked]).toEqual([2, 'folder'])
  code = undefined
  await guard.look()
  await guard.look()
  expect([writes, guard.blocked]).toEqual([3, undefined])
})
