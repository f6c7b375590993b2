import { afterEach, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { createDiskGuard, type StopReason } from './disk-guard.ts'

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
  expect(made.room).toBeUndefined()
  expect(made.needs).toBeUndefined()
  const roomAt = async (bytes: number | undefined): Promise<number | undefined> => {
    free = bytes
    await made.look()
    await made.look()
    return made.room
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
