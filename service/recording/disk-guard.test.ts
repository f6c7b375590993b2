import { afterEach, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { createDiskGuard, type DiskGuard, type StopReason } from './disk-guard.ts'

let guard: DiskGuard | undefined
afterEach(() => guard?.close())

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
  guard = made
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
