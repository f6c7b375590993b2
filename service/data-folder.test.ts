import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { readStores } from '../platform/stores.ts'
import { openDataFolder } from './data-folder.ts'
import { silentLog, type Log } from './log.ts'
import { DatabaseFault } from './storage/main-database.ts'
import { testDatabase } from './storage/testing/open-store.ts'
import { describeOnPostgres } from './testing/engines.ts'

let dataDir: string
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'sidestage-folder-')), 'data')
})
afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }))

const open = (recovery?: { readonly copy: string | null }, spent: number[] = []) =>
  openDataFolder({
    dataDir,
    recovery,
    callers: { spent: (ms) => void spent.push(ms), isStranger: () => false },
    clock: systemClock,
    log: silentLog,
  })

/** Loaded modules of the client of PostgreSQL. */
const clientOfPostgres = (): string[] =>
  Object.keys(createRequire(import.meta.url).cache).filter((file) => /[\\/]node_modules[\\/]pg[\\/]/.test(file))

// The first test here: later ones may load them.
it('loads nothing of PostgreSQL where the rows are in a file', async () => {
  await (await open()).close()
  expect(clientOfPostgres()).toEqual([])
})

it('a data folder is made, is of one process, and is free when it is closed', async () => {
  const folder = await open()
  expect(existsSync(join(dataDir, 'sidestage.db'))).toBe(true)
  await expect(open()).rejects.toThrow(`the data directory ${dataDir} is in use by another service`)
  await folder.store.db.insertInto('serviceKey').values({ name: 'one', key: '00' }).execute()
  await folder.close()
  const again = await open()
  expect(await again.store.db.selectFrom('serviceKey').select('name').execute()).toEqual([{ name: 'one' }])
  await again.close()
})

it('its database is noted, so that its loss is noticed', async () => {
  await (await open()).close()
  expect(readStores(dataDir)).toContain('sidestage.db')
  for (const end of ['', '-wal', '-shm']) rmSync(join(dataDir, `sidestage.db${end}`), { force: true })
  await expect(open()).rejects.toMatchObject({ trouble: { kind: 'missing' } })
})

it('where its database is damaged it is not opened and stays free, until somebody decides', async () => {
  await (await open()).close()
  writeFileSync(join(dataDir, 'sidestage.db'), Buffer.alloc(8192, 'no database '))
  for (let each = 0; each < 2; each++) await expect(open()).rejects.toBeInstanceOf(DatabaseFault)
  const folder = await open({ copy: null })
  expect(folder.quarantine.list()).toMatchObject([{ reason: 'replaced', paths: ['sidestage.db'] }])
  await folder.close()
})

describeOnPostgres('a data folder whose rows are in PostgreSQL', () => {
  it('has no file of them, and says that a copy is not put back', async () => {
    const said: string[] = []
    const folder = await openDataFolder({
      dataDir,
      database: await testDatabase(dataDir),
      recovery: { copy: 'latest' },
      callers: { spent: () => undefined, isStranger: () => false },
      clock: systemClock,
      log: { ...silentLog, warn: (_details: object, words: string) => void said.push(words) } as Log,
    })
    expect(await folder.store.db.selectFrom('serviceKey').selectAll().execute()).toEqual([])
    expect(existsSync(join(dataDir, 'sidestage.db'))).toBe(false)
    expect(clientOfPostgres()).not.toEqual([])
    expect(said).toEqual([expect.stringContaining('restored by its own tools')])
    await folder.close()
  })
})

it('the time of long reads is charged to their callers', async () => {
  const spent: number[] = []
  const folder = await open(undefined, spent)
  await folder.store.reads.selectFrom('serviceKey').selectAll().execute()
  expect(spent).toHaveLength(1)
  await folder.close()
})
