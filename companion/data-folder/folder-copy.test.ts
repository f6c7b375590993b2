import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { readContent } from './folder-content.ts'
import { checkCopies, copyContent, CopyDiffers } from './folder-copy.ts'

const mebibyte = 1_048_576
const never = new AbortController().signal
const large = randomBytes(2 * mebibyte + 1)
async function stage(dir: string) {
  const [from, to] = [path.join(dir, 'from'), path.join(dir, 'to')]
  mkdirSync(path.join(from, 'recordings', 'empty'), { recursive: true })
  mkdirSync(to)
  writeFileSync(path.join(from, 'recordings', 'large'), large)
  writeFileSync(path.join(from, 'none'), '')
  const content = await readContent(from)
  return { from, to, content, large: path.join(to, 'recordings', 'large') }
}

it('copies every file and folder for the own user only, and gives the digest of each in order', async () => {
  using at = scratch()
  const { from, to, content, large: copied } = await stage(at.dir)
  const digests = await copyContent(from, to, content, never, () => undefined)
  expect(readFileSync(copied).equals(large)).toBe(true)
  expect(readFileSync(path.join(to, 'none'), 'utf8')).toBe('')
  expect(statSync(path.join(to, 'recordings', 'empty')).isDirectory()).toBe(true)
  const byName = Object.fromEntries(content.files.map(({ name }, index) => [name, digests[index]]))
  const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('base64')
  expect(byName).toEqual({ [path.join('recordings', 'large')]: digest(large), none: digest('') })
  if (process.platform !== 'win32')
    expect([statSync(copied).mode & 0o777, statSync(path.join(to, 'recordings')).mode & 0o777]).toEqual([0o600, 0o700])
})

it('tells how far it is by each piece of 1 MiB, of copies and of their check', async () => {
  using at = scratch()
  const { from, to, content } = await stage(at.dir)
  const copied: number[] = []
  const digests = await copyContent(from, to, content, never, (bytes) => copied.push(bytes))
  expect(copied).toEqual([mebibyte, mebibyte, 1])
  const checked: number[] = []
  await checkCopies(to, content, digests, never, (bytes) => checked.push(bytes))
  expect(checked).toEqual([mebibyte, mebibyte, 1])
})

it('names the copy that differs by a byte, or is longer or shorter', async () => {
  using at = scratch()
  const { from, to, content, large: copied } = await stage(at.dir)
  const digests = await copyContent(from, to, content, never, () => undefined)
  const differs = async (): Promise<void> => {
    const error = await checkCopies(to, content, digests, never, () => undefined).catch((failed: unknown) => failed)
    expect(error).toBeInstanceOf(CopyDiffers)
    expect((error as Error).message).toBe(path.join('recordings', 'large'))
  }
  const changed = Buffer.from(large)
  changed.writeUInt8(large.readUInt8(2 * mebibyte) ^ 1, 2 * mebibyte)
  writeFileSync(copied, changed)
  await differs()
  writeFileSync(copied, large)
  await checkCopies(to, content, digests, never, () => undefined)
  appendFileSync(copied, 'x')
  await differs()
  writeFileSync(copied, large.subarray(0, -1))
  await differs()
})

it('ends between two pieces when it is called off', async () => {
  using at = scratch()
  const { from, to, content } = await stage(at.dir)
  const copying = new AbortController()
  let pieces = 0
  const called = copyContent(from, to, content, copying.signal, () => {
    if (++pieces === 2) copying.abort()
  })
  await expect(called).rejects.toMatchObject({ name: 'AbortError' })
  expect(pieces).toBe(2)
  const digests = await copyContent(from, to, content, never, () => undefined)
  const checking = AbortSignal.abort()
  await expect(checkCopies(to, content, digests, checking, () => undefined)).rejects.toMatchObject({
    name: 'AbortError',
  })
})

it.skipIf(process.platform === 'win32')('flushes each copy and each folder of copies to the disk', async () => {
  using at = scratch()
  const { from, to, content } = await stage(at.dir)
  const handle = await open(from, 'r')
  const flushed = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync')
  await handle.close()
  try {
    await copyContent(from, to, content, never, () => undefined)
    // Two files, two folders, and the folder of all.
    expect(flushed).toHaveBeenCalledTimes(5)
  } finally {
    flushed.mockRestore()
  }
})
