import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { syncFolder, syncFolderNow, temporaryOf, writeAtomically, writeAtomicallyNow } from './atomic-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sidestage-atomic-'))
  file = path.join(folder, 'note')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
const writers = [
  ['later', (text: string) => writeAtomically(file, text)],
  ['at once', async (text: string) => writeAtomicallyNow(file, text)],
] as const

it.each(writers)('replaces a file for the own user only, and leaves nothing beside it: %s', async (_when, write) => {
  writeFileSync(file, 'old', { mode: 0o644 })
  await write('new')
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['new', ['note']])
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
})

it.each(writers)(
  'leaves what was there where it cannot be replaced, and nothing half-written: %s',
  async (_when, write) => {
    mkdirSync(file)
    writeFileSync(path.join(file, 'kept'), '')
    await expect((async () => write('new'))()).rejects.toMatchObject({ code: expect.stringMatching(/^E/) as string })
    expect([readdirSync(folder), readdirSync(file)]).toEqual([['note'], ['kept']])
  },
)

it.each(writers)('writes over what an interrupted write left: %s', async (_when, write) => {
  writeFileSync(temporaryOf(file), 'half of something longer than the new text')
  await write('new')
  expect([temporaryOf(file), readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual([`${file}.new`, 'new', ['note']])
})

it('makes a file only where there is none when it shall be the first', () => {
  writeAtomicallyNow(file, 'first', { exclusive: true })
  expect(() => writeAtomicallyNow(file, 'second', { exclusive: true })).toThrow('EEXIST')
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['first', ['note']])
})

it.skipIf(process.platform === 'win32')('says that a folder is not there which shall be synced', async () => {
  await syncFolder(folder)
  syncFolderNow(folder)
  const none = path.join(folder, 'none')
  await expect(syncFolder(none)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(() => syncFolderNow(none)).toThrow('ENOENT')
})
