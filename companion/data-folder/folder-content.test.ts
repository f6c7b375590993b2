import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { isPassing, readContent } from './folder-content.ts'

it.each([
  ['lock.db', true],
  ['lock.db-journal', true],
  ['lock.pid', true],
  ['sidestage.db-shm', true],
  ['sidestage-move.json', true],
  ['sidestage-move.json.new', true],
  ['sidestage.db', false],
  ['sidestage.db-wal', false],
  ['app-lock.db', false],
  ['sidestage-move.json.old', false],
])('counts %s as made anew at each start: %s', (name, passes) => {
  expect(isPassing(name)).toBe(passes)
})

it('lists files with sizes, folders before what is in them, and leaves out what is made anew at the top', async () => {
  using at = scratch()
  mkdirSync(path.join(at.dir, 'files', 'deep', 'empty'), { recursive: true })
  writeFileSync(path.join(at.dir, 'sidestage.db'), 'abc')
  writeFileSync(path.join(at.dir, 'lock.db'), 'x')
  writeFileSync(path.join(at.dir, 'sidestage.db-shm'), 'x')
  writeFileSync(path.join(at.dir, 'files', 'deep', 'lock.pid'), 'xx')
  const { files, folders, strange, bytes } = await readContent(at.dir)
  expect(files.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
    { name: path.join('files', 'deep', 'lock.pid'), bytes: 2 },
    { name: 'sidestage.db', bytes: 3 },
  ])
  expect(folders).toEqual(['files', path.join('files', 'deep'), path.join('files', 'deep', 'empty')])
  expect([strange, bytes]).toEqual([undefined, 5])
})

it('names an entry that is neither file nor folder, and does not follow it', async () => {
  using at = scratch()
  mkdirSync(path.join(at.dir, 'data'))
  symlinkSync('/etc', path.join(at.dir, 'data', 'away'))
  expect(await readContent(path.join(at.dir, 'data'))).toEqual({ files: [], folders: [], strange: 'away', bytes: 0 })
  if (process.platform === 'win32') return
  mkdirSync(path.join(at.dir, 'pipes'))
  execFileSync('mkfifo', [path.join(at.dir, 'pipes', 'pipe')])
  expect((await readContent(path.join(at.dir, 'pipes'))).strange).toBe('pipe')
})

it('takes a folder that is not there for an empty one, and says of a file that it is none', async () => {
  using at = scratch()
  expect(await readContent(path.join(at.dir, 'none'))).toEqual({ files: [], folders: [], strange: undefined, bytes: 0 })
  writeFileSync(path.join(at.dir, 'file'), '')
  await expect(readContent(path.join(at.dir, 'file'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})
