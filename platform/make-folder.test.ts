import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'sidestage-make-folder-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it('makes a folder and those above it for this user alone, and leaves one that is there', () => {
  const folder = join(root, 'one', 'two')
  makeFolder(folder)
  for (const each of [folder, join(root, 'one')]) expect(statSync(each).mode & 0o777).toBe(0o700)
  expect(() => makeFolder(folder)).not.toThrow()
})

it('throws where a file is in the way, in its place or above it', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  expect(() => makeFolder(file)).toThrow(/EEXIST/)
  expect(() => makeFolder(join(file, 'below', 'it'))).toThrow(/ENOTDIR/)
})

it.skipIf(!existsSync('/proc/self'))('throws below a folder in which none can be made', () => {
  expect(() => makeFolder('/proc/sidestage')).toThrow(/ENOENT/)
  expect(() => makeFolder('/proc/sidestage/data')).toThrow(/ENOENT/)
})
