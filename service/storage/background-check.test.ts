import { systemClock } from '../../platform/clock.ts'
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '../log.ts'
import { until } from '../testing/condition.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { createDatabaseCopies, listCopies } from './database-copies.ts'
import { checkInBackground, createDamageNote } from './background-check.ts'
import { isSuspect } from './database-suspect.ts'
import { maxCheckedAtOnce, DatabaseFault } from './main-database.ts'

let dataDir: string
let lines: string[]
let service: TestService | undefined
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-check-'))
  lines = []
})
afterEach(async () => {
  await service?.stop()
  service = undefined
  rmSync(dataDir, { recursive: true, force: true })
})

const path = (): string => join(dataDir, 'sidestage.db')
const log = createLog({ destination: { write: (line: string) => void lines.push(line) } })
const start = async (recovery?: { copy: string | null }): Promise<void> => {
  service = await startService({ dataDir, log, ...(recovery && { recovery }) })
}
const stop = async (): Promise<void> => {
  await service?.stop()
  service = undefined
}
const copy = async (): Promise<string> => {
  const copies = createDatabaseCopies({
    dataDir,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined },
  })
  const made = await copies.make()
  await copies.close()
  return made
}
/** A test's own table, which the service does not read. */
const fill = (): void => {
  const database = new DatabaseSync(path())
  database.exec('create table of_a_test (content text)')
  const insert = database.prepare('insert into of_a_test values (?)')
  for (let row = 0; row < 2_000; row++) insert.run('a row of a test '.repeat(10))
  database.close()
}
/** Makes the file sparse and larger than what a start checks. */
const enlarge = (): void => truncateSync(path(), maxCheckedAtOnce + 1024 * 1024)
const damage = (): void => {
  const content = readFileSync(path())
  const at = content.indexOf('a row of a test', Math.floor(content.length / 2))
  expect(at).toBeGreaterThan(0)
  content.fill(0xff, at - (at % 4096), at - (at % 4096) + 1024)
  writeFileSync(path(), content)
}
const said = (message: string): boolean => lines.some((line) => line.includes(message))

it('finds a large database damaged while the service runs, makes no copy of it, and asks at the next start', async () => {
  await start()
  await stop()
  expect(await copy()).toBe('made')
  fill()
  damage()
  enlarge()
  await start()
  await until('the damage', () => said('the database is damaged; restart the service'))
  await stop()
  expect(isSuspect(dataDir)).toBe(true)
  for (const { name } of listCopies(dataDir)) rmSync(join(dataDir, 'copies', name))
  expect(await copy()).toBe('doubted')

  enlarge()
  await expect(start()).rejects.toBeInstanceOf(DatabaseFault)
  await start({ copy: null })
  await stop()
  expect(isSuspect(dataDir)).toBe(false)
  expect(await copy()).toBe('made')
})

it('finds a large database sound, and forgets a doubt that a start does not share', async () => {
  await start()
  await stop()
  fill()
  enlarge()
  await start()
  await until('the check', () => said('the database was checked and is sound'))
  await stop()
  expect(isSuspect(dataDir)).toBe(false)
  writeFileSync(`${path()}.doubt`, 'of a test')
  enlarge()
  await start()
  expect(isSuspect(dataDir)).toBe(false)
})

it('tells of a damaged database once, and makes a note for the next start', () => {
  const damaged = createDamageNote(dataDir, log)
  damaged('a page is missing')
  damaged('another page')
  expect(readFileSync(`${path()}.doubt`, 'utf8')).toBe('a page is missing\n')
  expect(lines.filter((line) => line.includes('the database is damaged'))).toHaveLength(1)
  expect(lines.join('')).toContain('a page is missing')
})

it('says where the note of a damage could not be written, and goes on', () => {
  const damaged = createDamageNote(join(dataDir, 'gone'), log)
  damaged('a page is missing')
  expect(said('the damage could not be noted beside the database')).toBe(true)
})

it('leaves a database alone that the start has checked', async () => {
  await start()
  await stop()
  const checking = checkInBackground({ dataDir, log })
  expect(await checking.done).toBe('none')
  await checking.close()
})

it('says where a database cannot be checked, and nothing where it is closed meanwhile', async () => {
  const checking = checkInBackground({ dataDir: join(dataDir, 'gone'), log })
  expect(await checking.done).toBe('failed')
  expect(said('the database could not be checked')).toBe(true)
  lines.length = 0
  writeFileSync(path(), '')
  enlarge()
  const stopped = checkInBackground({ dataDir, log })
  await stopped.close()
  expect(await stopped.done).toBe('failed')
  expect(lines).toEqual([])
})

it('leaves one alone that is just as large as a start checks, and checks one that is a byte larger', async () => {
  new DatabaseSync(path()).close()
  truncateSync(path(), maxCheckedAtOnce)
  expect(await checkInBackground({ dataDir, log }).done).toBe('none')
  truncateSync(path(), maxCheckedAtOnce + 1)
  expect(await checkInBackground({ dataDir, log }).done).not.toBe('none')
})
