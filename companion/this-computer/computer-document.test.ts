import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openQuarantine } from '../../platform/quarantine.ts'
import { smallDisk } from '../../platform/testing/small-disk.ts'
import { scratch } from '../testing/rig.ts'
import { computerCopyName, openComputerDocument } from './computer-document.ts'

const name = 'computer.json'
const ways: Readonly<Record<string, (file: string) => void>> = {
  gone: (file) => rmSync(file),
  empty: (file) => truncateSync(file, 0),
  half: (file) => writeFileSync(file, readFileSync(file).subarray(0, 30)),
  garbage: (file) => writeFileSync(file, '\0\xff'),
  'of an older version': (file) => writeFileSync(file, JSON.stringify({ version: 0, folder: '/else' })),
  'of a newer version': (file) => writeFileSync(file, JSON.stringify({ version: 2, folder: '/else' })),
  'a folder': (file) => {
    rmSync(file)
    mkdirSync(file)
  },
}
const textOf = (home: string, each: string): string => readFileSync(path.join(home, each), 'utf8')
const setAside = (home: string): string[] =>
  openQuarantine({ folder: home, now: Date.now })
    .list()
    .flatMap(({ paths }) => paths)
async function movedTo(home: string): Promise<string> {
  const folder = path.join(home, 'disk')
  await (await openComputerDocument(home)).change({ folder, timeZone: 'UTC' })
  return folder
}

describe.each([name, computerCopyName])('where the data were moved to, with %s damaged', (damaged) => {
  it.each(Object.keys(ways))('is found again when it is %s, and it is told', async (way) => {
    using at = scratch()
    const folder = await movedTo(at.dir)
    ways[way]!(path.join(at.dir, damaged))
    const log: string[] = []
    const left = await openComputerDocument(at.dir, (line) => log.push(line))
    expect(left.value()).toMatchObject({ folder, timeZone: 'UTC' })
    expect(setAside(at.dir).some((each) => each.startsWith(damaged))).toBe(true)
    expect(log.some((line) => line.includes(folder))).toBe(damaged === name)
    // Both are whole again, so that the next damage of either is outlived as well.
    expect(textOf(at.dir, name)).toBe(textOf(at.dir, computerCopyName))
    expect((await openComputerDocument(at.dir)).value()).toEqual(left.value())
  })
})

it('gets its copy from the one document of an app that had none, and nothing in a new folder', async () => {
  using at = scratch()
  await openComputerDocument(at.dir)
  expect(existsSync(path.join(at.dir, name)) || existsSync(path.join(at.dir, computerCopyName))).toBe(false)
  const folder = await movedTo(at.dir)
  rmSync(path.join(at.dir, computerCopyName))
  rmSync(path.join(at.dir, 'stores.json'))
  await openComputerDocument(at.dir)
  writeFileSync(path.join(at.dir, name), '')
  expect((await openComputerDocument(at.dir)).value().folder).toBe(folder)
  expect(setAside(at.dir)).toEqual([name])
})

it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'refuses a change on a full disk, with both as they were',
  async () => {
    using at = scratch()
    const home = path.join(at.dir, 'home')
    const disk = smallDisk(home, 2)
    try {
      const folder = await movedTo(home)
      const before = [textOf(home, name), textOf(home, computerCopyName)]
      const store = await openComputerDocument(home)
      disk.fill()
      await expect(store.change({ folder: null, timeZone: null })).rejects.toMatchObject({ code: 'ENOSPC' })
      expect(store.value()).toMatchObject({ folder, timeZone: 'UTC' })
      expect([textOf(home, name), textOf(home, computerCopyName)]).toEqual(before)
      // What a start on the full disk cannot write is made alike by a later one.
      rmSync(path.join(home, computerCopyName))
      rmSync(path.join(home, 'stores.json'))
      disk.fill()
      const log: string[] = []
      expect((await openComputerDocument(home, (line) => log.push(line))).value().folder).toBe(folder)
      expect(log).toEqual([expect.stringContaining('ENOSPC')])
      expect((await openComputerDocument(home)).value().folder).toBe(folder)
      disk.empty()
      await store.change({ folder: null })
      expect((await openComputerDocument(home)).value().folder).toBeNull()
    } finally {
      disk.remove()
    }
  },
)
