import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { jsonFile } from './json-file.ts'
import { openQuarantine } from './quarantine.ts'
import { clearFolderPlace, openDatabaseStore } from './stores.ts'

const at = Date.parse('2026-11-12T10:00:00Z')
const now = (): number => at
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-stores-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (name: string): void => openDatabaseStore(join(folder, name), 1, (database) => database, now).close()
const entries = () =>
  openQuarantine({ folder, now })
    .list()
    .map(({ at: when, reason, paths }) => ({ at: when, reason, path: paths[0] }))
    .sort((a, b) => (`${a.path}${a.reason}` < `${b.path}${b.reason}` ? -1 : 1))

it('notes what it sets aside at the time of the clock that is given', async () => {
  for (const name of ['damaged.db', 'gone.db', 'empty.db']) open(name)
  writeFileSync(join(folder, 'damaged.db'), 'no database '.repeat(1_000))
  rmSync(join(folder, 'gone.db'))
  writeFileSync(join(folder, 'empty.db'), '')
  mkdirSync(join(folder, 'folder.db'))
  for (const name of ['damaged.db', 'gone.db', 'empty.db', 'folder.db']) open(name)
  const documentOf = (name: string) => jsonFile(join(folder, name), (raw) => raw, { now })
  await documentOf('gone.json').save({ version: 1 })
  rmSync(join(folder, 'gone.json'))
  writeFileSync(join(folder, 'damaged.json'), '{')
  for (const name of ['gone.json', 'damaged.json']) expect(await documentOf(name).load()).toBe(undefined)
  writeFileSync(join(folder, 'recordings'), 'a file')
  clearFolderPlace(join(folder, 'recordings'), now)
  expect(entries()).toEqual([
    { at, reason: 'damaged', path: 'damaged.db' },
    { at, reason: 'damaged', path: 'damaged.json' },
    { at, reason: 'damaged', path: 'empty.db' },
    { at, reason: 'notAFile', path: 'folder.db' },
    { at, reason: 'missing', path: 'gone.db' },
    { at, reason: 'missing', path: 'gone.json' },
    { at, reason: 'notAFile', path: 'recordings' },
  ])
})

it('notes a damaged list of stores at the time of the clock that is given', () => {
  writeFileSync(join(folder, 'stores.json'), 'no list')
  open('first.db')
  expect(entries()).toEqual([{ at, reason: 'damaged', path: 'stores.json' }])
})

it('keeps the log of a database that is gone, which SQLite would delete, and tells where a log is damaged', () => {
  const file = join(folder, 'killed.db')
  const database = openDatabaseStore(file, 1, (each) => each, now)
  database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table one (a)')
  for (let n = 0; n < 20; n++) database.exec(`insert into one values ('${'x'.repeat(3_000)}')`)
  const log = readFileSync(`${file}-wal`)
  const main = readFileSync(file)
  database.close()
  writeFileSync(`${file}-wal`, log)
  rmSync(file)
  open('killed.db')
  const quarantine = openQuarantine({ folder, now })
  const kept = (): Buffer[] =>
    quarantine.list().flatMap(({ id }) => (quarantine.files(id) ?? []).map((each) => readFileSync(each.file)))
  expect(kept().some((bytes) => bytes.equals(log))).toBe(true)

  const broken = Buffer.from(log)
  broken.fill(0xff, 5_000, 5_100)
  writeFileSync(file, main)
  writeFileSync(`${file}-wal`, broken)
  open('killed.db')
  expect(kept().some((bytes) => bytes.equals(broken))).toBe(true)
  expect(entries().map(({ path }) => path)).toContain('killed.db-wal.damaged')
})

it('sets a database aside that is broken where opening it reads nothing', () => {
  const file = join(folder, 'rows.db')
  const database = openDatabaseStore(file, 1, (each) => each, now)
  database.exec('create table one (a)')
  for (let n = 0; n < 50; n++) database.exec(`insert into one values ('${'x'.repeat(3_000)}')`)
  database.close()
  const bytes = readFileSync(file)
  // The header of a page of rows.
  bytes.fill(0xff, bytes.length - 4096, bytes.length - 4096 + 64)
  writeFileSync(file, bytes)
  openDatabaseStore(file, 1, (each) => each, now).close()
  expect(entries()).toEqual([{ at, reason: 'damaged', path: 'rows.db' }])
})
