import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { readFolderFigures } from './folder-figures.ts'

it('says that not all is counted above 100 names', async () => {
  using folder = scratch()
  for (let n = 0; n < 100; n++) writeFileSync(path.join(folder.dir, `f${n}`), 'x')
  expect(await readFolderFigures(folder.dir)).toMatchObject({ complete: true })
  writeFileSync(path.join(folder.dir, 'one more'), 'x')
  const { parts, complete } = await readFolderFigures(folder.dir)
  expect([parts.length, complete]).toEqual([100, false])
})

it('says that not all is counted above 20,000 entries', async () => {
  using folder = scratch()
  mkdirSync(path.join(folder.dir, 'deep'))
  for (let n = 0; n < 19_999; n++) writeFileSync(path.join(folder.dir, 'deep', `${n}`), '')
  expect(await readFolderFigures(folder.dir)).toMatchObject({
    complete: true,
    parts: [{ name: 'deep', files: 19_999, bytes: 0 }],
  })
  writeFileSync(path.join(folder.dir, 'deep', 'one more'), '')
  expect((await readFolderFigures(folder.dir)).complete).toBe(false)
})

it('counts no link and nothing behind one', async () => {
  using folder = scratch()
  using elsewhere = scratch()
  writeFileSync(path.join(elsewhere.dir, 'large'), 'x'.repeat(1_000))
  symlinkSync(elsewhere.dir, path.join(folder.dir, 'linked folder'))
  symlinkSync(path.join(elsewhere.dir, 'large'), path.join(folder.dir, 'linked file'))
  expect((await readFolderFigures(folder.dir)).parts).toEqual([])
})
