import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../hub/testing/fixture.ts'
import { diskFiles } from './file-system.ts'
import { createRecordingFolder } from './recording-folder.ts'

const cid = 'a'.repeat(32)
let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

const modeOf = (path: string): number => statSync(path).mode & 0o777

it('makes a file for its user only, and the folder of its channel if only that is missing', async () => {
  const channel = join(folder.path, 'channel')
  const path = join(channel, '1.mp4')
  const file = await diskFiles.create(channel, path)
  expect(await file.writev([Buffer.from('ab'), Buffer.from('c')], 0)).toBe(3)
  expect(await file.writev([Buffer.from('d')], 3)).toBe(1)
  await file.truncate(2)
  await file.datasync()
  expect(await file.named()).toBe(true)
  rmSync(path)
  expect(await file.named()).toBe(false)
  await file.close()
  await (await diskFiles.create(channel, path)).close()
  if (process.platform !== 'win32') expect([modeOf(path), modeOf(channel)]).toEqual([0o600, 0o700])
})

it('makes nothing where the folder above is missing, as on a drive that was removed', async () => {
  const channel = join(folder.path, 'removed', 'channel')
  await expect(diskFiles.create(channel, join(channel, '1.mp4'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(readdirSync(folder.path)).toEqual([])
})

it('writes over no file that exists', async () => {
  const path = join(folder.path, '1.mp4')
  writeFileSync(path, 'kept')
  await expect(diskFiles.create(folder.path, path)).rejects.toMatchObject({ code: 'EEXIST' })
  expect(readFileSync(path, 'utf8')).toBe('kept')
})

it('changes a file that exists and makes none', async () => {
  const path = join(folder.path, '1.mp4')
  await expect(diskFiles.change(path)).rejects.toMatchObject({ code: 'ENOENT' })
  writeFileSync(path, 'abc')
  const file = await diskFiles.change(path)
  await file.writev([Buffer.from('x')], 1)
  await file.close()
  expect(readFileSync(path, 'utf8')).toBe('axc')
})

it('knows the size of a file, and that there is none', async () => {
  const path = join(folder.path, '1.mp4')
  expect(await diskFiles.size(path)).toBeUndefined()
  writeFileSync(path, 'abc')
  expect(await diskFiles.size(path)).toBe(3)
  await expect(diskFiles.size(join(path, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

it('removes a file, also one that is not there', async () => {
  const path = join(folder.path, '1.mp4')
  writeFileSync(path, 'abc')
  await diskFiles.remove(path)
  expect(existsSync(path)).toBe(false)
  await diskFiles.remove(path)
})

it('rejects for the free bytes of a folder that is missing', async () => {
  expect(await diskFiles.free(folder.path)).toBeGreaterThan(0)
  await expect(diskFiles.free(join(folder.path, 'removed'))).rejects.toMatchObject({ code: 'ENOENT' })
})

it('probes a folder by a write of which nothing is left', async () => {
  await diskFiles.probe(folder.path)
  expect(readdirSync(folder.path)).toEqual([])
  await expect(diskFiles.probe(join(folder.path, 'removed'))).rejects.toMatchObject({ code: 'ENOENT' })
})

it('makes the folder of recordings for its user only, and paths below it from channel ids and numbers alone', () => {
  const made = createRecordingFolder(folder.path)
  expect(made.root).toBe(join(folder.path, 'recordings'))
  if (process.platform !== 'win32') expect(modeOf(made.root)).toBe(0o700)
  expect(readdirSync(made.root)).toEqual([])
  expect(made.file({ cid, vid: 7, format: 1 })).toBe(join(made.root, cid, '7.flv'))
  expect(made.file({ cid, vid: 7, format: 0 })).toBe(join(made.root, cid, '7.mp4'))
  expect(made.index({ cid, vid: 7 })).toBe(join(made.root, cid, '7.index'))
  expect(made.temporary({ cid, vid: 7 })).toBe(join(made.root, cid, '7.part'))
  for (const wrong of ['..', '', `${cid}/..`, cid.toUpperCase(), `${cid}a`])
    expect(() => made.file({ cid: wrong, vid: 7, format: 0 }), wrong).toThrow('not a channel id')
})

it('keeps the recordings of an earlier start in the folder', () => {
  mkdirSync(join(folder.path, 'recordings', cid), { recursive: true })
  writeFileSync(join(folder.path, 'recordings', cid, '1.mp4'), 'film')
  expect(readdirSync(createRecordingFolder(folder.path).root)).toEqual([cid])
})

it('tells the free bytes of a disk that an ordinary user may use, in bytes', async () => {
  const { bavail, bsize } = statfsSync(folder.path)
  const free = await diskFiles.free(folder.path)
  // Others use the disk at the same time.
  expect(free / (bavail * bsize)).toBeGreaterThan(0.9)
  expect(free / (bavail * bsize)).toBeLessThan(1.1)
})
