import {
  copyFileSync,
  readdirSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DatabaseRecovery, DatabaseReport } from '../../contract/service-process.ts'
import { openQuarantine } from '../../platform/quarantine.ts'
import { isSuspect, markSuspect } from './database-suspect.ts'
import {
  DatabaseFault,
  maxCheckedAtOnce,
  noteMainDatabase,
  prepareMainDatabase,
  updateMainDatabase,
} from './main-database.ts'
import { migrations } from './migrations.ts'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import type { Tables } from './schema.ts'
import { openSqliteStore } from './store-sqlite.ts'

const copyName = 'sidestage-2026-06-01T12-00-00Z.db'
let dir: string
let warned: string[]
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-main-database-'))
  warned = []
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const at = (...names: string[]): string => join(dir, ...names)
const quarantine = () => openQuarantine({ folder: dir, now: Date.now })
const setAside = (): string[] =>
  quarantine()
    .list()
    .flatMap(({ paths }) => paths)
    .sort()
const prepare = (recovery?: DatabaseRecovery): void =>
  prepareMainDatabase(dir, {
    quarantine: quarantine(),
    recovery,
    log: { warn: (_details, message) => void warned.push(message) },
  })
/** What the user must decide about, with the sentence. */
const trouble = (recovery?: DatabaseRecovery): DatabaseReport & { readonly message: string } => {
  try {
    prepare(recovery)
  } catch (error) {
    if (error instanceof DatabaseFault) return { ...error.trouble, message: error.message }
    throw error
  }
  throw new Error('nothing was wrong')
}
/** Makes a database with an application of this name. */
const make = async (name: string): Promise<void> => {
  const store = await openSqliteStore(dir)
  await store.db.insertInto('serviceKey').values({ name, key: '00' }).execute()
  await store.close()
}
const keys = (path = at('sidestage.db')): unknown[] => {
  const database = new DatabaseSync(path)
  const rows = database.prepare('select name from serviceKey').all() as { name: string }[]
  database.close()
  return rows.map(({ name }) => name)
}
const copy = (content: Buffer | string): void => {
  mkdirSync(at('copies'), { recursive: true })
  writeFileSync(at('copies', copyName), content)
}
const garbage = Buffer.alloc(8192, 'no database ')

describe('a start', () => {
  it('has nothing to ask in a new folder, nor with a sound database', async () => {
    prepare()
    await make('one')
    prepare()
    expect([keys(), setAside(), warned]).toEqual([['one'], [], []])
  })

  it.each<[string, () => void]>([
    ['it was noted', () => noteMainDatabase(dir)],
    ['there is a copy of it', () => copy('x')],
    ['its log is there', () => writeFileSync(at('sidestage.db-wal'), 'x')],
    ['a channel has recordings', () => void mkdirSync(at('recordings', 'a'.repeat(32)), { recursive: true })],
    ['there are uploads', () => void mkdirSync(at('files', 'ab'), { recursive: true })],
  ])('asks for a database that is gone where %s', (_why, mark) => {
    mark()
    expect(trouble()).toMatchObject({ kind: 'missing' })
  })

  it('does not ask for one where only folders of other names are', () => {
    mkdirSync(at('recordings', 'x'), { recursive: true })
    mkdirSync(at('files', 'incoming'), { recursive: true })
    expect(prepare).not.toThrow()
  })

  it('asks for one that is empty or damaged, and leaves it as it is', () => {
    writeFileSync(at('sidestage.db'), '')
    noteMainDatabase(dir)
    expect(trouble()).toMatchObject({ kind: 'damaged', detail: 'the file is empty' })
    writeFileSync(at('sidestage.db'), garbage)
    expect(trouble()).toMatchObject({
      kind: 'damaged',
      copies: [],
      message: expect.stringContaining('begin anew') as string,
    })
    expect([readFileSync(at('sidestage.db')), setAside()]).toEqual([garbage, []])
  })

  it('offers the copies there are', () => {
    writeFileSync(at('sidestage.db'), garbage)
    copy('a copy')
    expect(trouble()).toMatchObject({
      copies: [{ name: copyName, at: Date.UTC(2026, 5, 1, 12), bytes: 6 }],
      message: expect.stringContaining('restore the copy of 2026-06-01T12:00:00.000Z or begin anew') as string,
    })
  })

  it('does not touch one that a newer version has made', async () => {
    await make('one')
    const database = new DatabaseSync(at('sidestage.db'))
    database.exec(`insert into kysely_migration values ('999-later', 'now')`)
    database.close()
    expect(trouble()).toMatchObject({ kind: 'newer', detail: '999-later' })
  })

  it('asks where something that is not a file is in its place', async () => {
    await make('one')
    mkdirSync(at('sidestage.db-journal'))
    writeFileSync(at('sidestage.db-journal', 'x'), 'x')
    prepare()
    expect([existsSync(at('sidestage.db-journal')), setAside(), keys()]).toEqual([
      false,
      ['sidestage.db-journal/x'],
      ['one'],
    ])
    rmSync(at('sidestage.db'))
    mkdirSync(at('sidestage.db'))
    expect(trouble()).toMatchObject({ kind: 'notAFile' })
  })

  it('forgets a doubt about a database that it finds sound, and no other', async () => {
    markSuspect(dir, 'a row is missing')
    expect(readFileSync(at('sidestage.db.doubt'), 'utf8')).toBe('a row is missing\n')
    writeFileSync(at('sidestage.db'), garbage)
    trouble()
    expect(isSuspect(dir)).toBe(true)
    rmSync(at('sidestage.db'))
    await make('one')
    prepare()
    expect(isSuspect(dir)).toBe(false)
  })
})

describe('a database that can be used', () => {
  const leftAlone = 'the database can be used and was left as it is: --restore-copy and --begin-anew may be removed'

  it.each([
    ['with a copy', { copy: 'latest' }, ''],
    [
      'with a copy that is not there',
      { copy: 'nope.db' },
      'there is no such copy as nope.db (--restore-copy): there are NAME; ',
    ],
    ['with a new one', { copy: null }, ''],
  ])('is not replaced %s by a switch that was left on the command line', async (_how, recovery, said) => {
    await make('of the copy')
    copy(readFileSync(at('sidestage.db')))
    await make('since then')
    prepare(recovery)
    const words = [said.replace('NAME', copyName) + leftAlone]
    expect([keys(), setAside(), warned]).toEqual([['of the copy', 'since then'], [], words])
  })

  it('is told that there is no copy at all where one is named', async () => {
    await make('one')
    prepare({ copy: 'nope.db' })
    expect(warned).toEqual([`there is no such copy as nope.db (--restore-copy): there is none; ${leftAlone}`])
  })

  it('is begun where none was', () => {
    prepare({ copy: null })
    expect([setAside(), warned]).toEqual([[], [leftAlone]])
  })

  it('is checked whole before that is said, however large it is', async () => {
    await make('damaged later')
    copy(readFileSync(at('sidestage.db')))
    writeFileSync(at('sidestage.db'), readFileSync(at('sidestage.db')).fill(0xff, 4096))
    truncateSync(at('sidestage.db'), maxCheckedAtOnce + 1024 * 1024)
    prepare({ copy: 'latest' })
    expect([keys(), setAside()]).toEqual([['damaged later'], ['sidestage.db']])
  })
})

it('a database that was put back by hand is told once, and no other', async () => {
  await make('newest')
  prepare()
  noteMainDatabase(dir)
  prepare()
  expect(warned).toEqual([])
  copyFileSync(at('sidestage.db'), at('copied'))
  renameSync(at('copied'), at('sidestage.db'))
  prepare()
  expect(warned).toEqual([
    expect.stringMatching(/^the database is another file than at the last start: .*is open again/),
  ])
  noteMainDatabase(dir)
  prepare()
  expect(warned).toHaveLength(1)
})

describe('a database that is begun anew', () => {
  it('names no quarantine where there was nothing to set aside', () => {
    writeFileSync(at('stores.json'), JSON.stringify({ version: 1, stores: ['sidestage.db'] }))
    prepare({ copy: null })
    expect([setAside(), warned]).toEqual([[], ['a new database was created']])
  })

  it('leaves the old one with its side files in the quarantine, and no doubt', () => {
    writeFileSync(at('sidestage.db'), garbage)
    writeFileSync(at('sidestage.db-wal'), 'log')
    noteMainDatabase(dir)
    markSuspect(dir, 'x')
    prepare({ copy: null })
    expect([existsSync(at('sidestage.db')), setAside(), isSuspect(dir)]).toEqual([
      false,
      ['sidestage.db', 'sidestage.db-wal'],
      false,
    ])
    expect(warned).toEqual(['a new database was created; the old one is in the quarantine'])
    // It is not missed at the next start.
    expect(prepare).not.toThrow()
  })
})

describe('a copy that is restored', () => {
  it.each(['latest', copyName])('named %s takes the place of the database, and stays a copy', async (name) => {
    await make('of the copy')
    copy(readFileSync(at('sidestage.db')))
    writeFileSync(at('sidestage.db'), garbage)
    writeFileSync(at('sidestage.db-wal'), 'log')
    markSuspect(dir, 'x')
    prepare({ copy: name })
    expect([keys(), keys(at('copies', copyName)), isSuspect(dir)]).toEqual([['of the copy'], ['of the copy'], false])
    expect(setAside()).toEqual(['sidestage.db', 'sidestage.db-wal'])
    if (process.platform !== 'win32') expect(statSync(at('sidestage.db')).mode & 0o777).toBe(0o600)
    expect(warned).toEqual([
      'the database was replaced by a copy; the old one is in the quarantine. Who may watch is as it was then: what ' +
        'was closed, revoked or given a passphrase since is open again until it is done again',
    ])
  })

  it('must be there, sound, and of no newer version: else nothing is changed', async () => {
    await make('of the copy')
    const sound = readFileSync(at('sidestage.db'))
    writeFileSync(at('sidestage.db'), garbage)
    expect(trouble({ copy: 'latest' }).message).toContain('there is no such copy as latest: there is no copy of it')
    copy(sound)
    const unknown = 'sidestage-2020-01-01T00-00-00Z.db'
    expect(trouble({ copy: unknown }).message).toContain(`there is no such copy as ${unknown}: there are ${copyName}`)
    copy(garbage)
    expect(trouble({ copy: 'latest' })).toMatchObject({
      kind: 'damaged',
      detail: expect.stringContaining(`the copy ${copyName} is damaged too`) as string,
    })
    copy(sound)
    const database = new DatabaseSync(at('copies', copyName))
    database.exec(`insert into kysely_migration values ('999-later', 'now')`)
    database.close()
    expect(trouble({ copy: 'latest' }).detail).toContain('it was made by a newer Sidestage (999-later)')
    expect([readFileSync(at('sidestage.db')), setAside()]).toEqual([garbage, []])
  })
})

describe('what a start says of a database that it cannot use', () => {
  it('is at most 300 characters of what SQLite said, and what may be done', () => {
    const { trouble: said, message } = new DatabaseFault(dir, 'damaged', 'x'.repeat(301))
    expect(said).toEqual({ kind: 'damaged', detail: 'x'.repeat(300), copies: [] })
    expect(message).toBe(
      `the database ${at('sidestage.db')} is damaged (${'x'.repeat(301)}); there is no copy of it; begin anew`,
    )
  })

  it.each([
    ['missing', 'was there before and is gone'],
    ['damaged', 'is damaged (why)'],
    ['newer', 'was made by a newer Sidestage (why): update Sidestage to use it'],
    ['unreadable', 'may not be read (why)'],
  ] as const)('names the folder and what is wrong: %s', (kind, words) => {
    expect(new DatabaseFault(dir, kind, 'why').message).toBe(
      `the database ${at('sidestage.db')} ${words}; there is no copy of it; begin anew`,
    )
  })

  it('names what stands in its place', () => {
    expect(new DatabaseFault(dir, 'notAFile', '').message).toContain(
      `in the place of the database ${at('sidestage.db')} is something that is not a file`,
    )
  })

  it('names all of a newer version, and the newest copy of several', async () => {
    await make('one')
    const database = new DatabaseSync(at('sidestage.db'))
    database.exec(`insert into kysely_migration values ('998-late', 'now'), ('999-later', 'now')`)
    database.close()
    copy('x')
    writeFileSync(at('copies', 'sidestage-2026-06-02T12-00-00Z.db'), 'y')
    const said = trouble()
    expect(said).toMatchObject({ kind: 'newer', detail: '998-late, 999-later' })
    expect(said.message).toContain('restore the copy of 2026-06-02T12:00:00.000Z')
  })
})

describe('a database of an earlier version', () => {
  const before = (time: string): string => `sidestage-${time}Z-before-update.db`
  const names = (): string[] => readdirSync(at('copies')).sort()
  const ask = (path: string, text: string): unknown[] => {
    const database = new DatabaseSync(path)
    const rows = database
      .prepare(text)
      .all()
      .map((row) => Object.values(row)[0])
    database.close()
    return rows
  }
  const last = 'select max(name) from kysely_migration'
  const newest = Object.keys(migrations).at(-1)
  const earlier = Object.keys(migrations).at(-2)
  /** Makes it as the version before the last migration left it. */
  const makeEarlier = async (name: string): Promise<void> => {
    const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(new DatabaseSync(at('sidestage.db'))) })
    const provider = { getMigrations: () => Promise.resolve({ ...migrations }) }
    const { error } = await new Migrator({ db, provider }).migrateTo(earlier!)
    expect(error).toBe(undefined)
    await db.insertInto('serviceKey').values({ name, key: '00' }).execute()
    await db.destroy()
  }
  let told: [object, string][]
  const update = async (time: string, free = Number.MAX_SAFE_INTEGER): Promise<void> => {
    told = []
    const tell = (details: object, message: string): void => void told.push([details, message])
    const options = { version: '9.9.9', log: { info: tell, warn: tell }, free: () => Promise.resolve(free) }
    await (
      await updateMainDatabase(dir, { now: Date.parse(`${time}Z`), ...options }, () => openSqliteStore(dir))
    ).close()
  }

  it('is copied before it is updated, and both are said', async () => {
    await makeEarlier('old')
    await update('2026-06-01T12:00:00')
    const name = before('2026-06-01T12-00-00')
    expect(names()).toEqual([name])
    expect([ask(at('copies', name), last), keys(at('copies', name)), ask(at('sidestage.db'), last)]).toEqual([
      [earlier],
      ['old'],
      [newest],
    ])
    expect(told).toEqual([
      [{ copy: name }, 'a copy of the database was made before the update'],
      [{ from: earlier, to: newest, version: '9.9.9' }, 'the database was brought up to date'],
    ])
    // Nothing of that for one that is up to date.
    await update('2026-06-02T12:00:00')
    expect([names(), told]).toEqual([[name], []])
  })

  it('is updated without a copy where the disk has no room for one, with a warning', async () => {
    await makeEarlier('old')
    await update('2026-06-01T12:00:00', 1000)
    expect([names(), ask(at('sidestage.db'), last)]).toEqual([[], [newest]])
    expect(told[0]![1]).toBe('no copy of the database could be made before the update, which goes on')
  })

  it('a new one is not copied', async () => {
    await update('2026-06-01T12:00:00')
    expect([existsSync(at('copies')), told]).toEqual([false, []])
  })

  it('keeps the copies of the last 2 updates, and its daily ones beside them', async () => {
    await make('old')
    copy(readFileSync(at('sidestage.db')))
    for (const day of ['02', '03', '04']) {
      rmSync(at('sidestage.db'))
      await makeEarlier('old')
      await update(`2026-06-${day}T12:00:00`)
    }
    expect(names()).toEqual([copyName, before('2026-06-03T12-00-00'), before('2026-06-04T12-00-00')])
  })

  it('is what an earlier version offers for a newer one, and puts in its place', async () => {
    await makeEarlier('old')
    await update('2026-06-01T12:00:00')
    const newer = (path: string): void => {
      const database = new DatabaseSync(path)
      database.exec(`insert into kysely_migration values ('999-later', 'now')`)
      database.close()
    }
    newer(at('sidestage.db'))
    copyFileSync(at('sidestage.db'), at('copies', 'sidestage-2026-06-02T12-00-00Z.db'))
    const said = trouble()
    expect(said.copies.map(({ name }) => name)).toEqual([before('2026-06-01T12-00-00')])
    expect(said.message).toContain('restore the copy of 2026-06-01T12:00:00.000Z or begin anew')
    prepare({ copy: 'latest' })
    expect(ask(at('sidestage.db'), last)).toEqual([earlier])
  })
})

describe('a database that is not there', () => {
  it('is not missed for an empty log or for a copy that is empty', () => {
    writeFileSync(at('sidestage.db-wal'), '')
    copy('')
    expect(prepare).not.toThrow()
  })

  it('that is empty in a new folder is made without asking', () => {
    writeFileSync(at('sidestage.db'), '')
    expect(prepare).not.toThrow()
  })
})

it('a database without migrations, such as one of the first start that was cut off, is used', () => {
  const database = new DatabaseSync(at('sidestage.db'))
  database.exec('create table of_a_test (content text)')
  database.close()
  expect(prepare).not.toThrow()
})

it('a part of a restored copy that an earlier start left is made anew', async () => {
  await make('of the copy')
  copy(readFileSync(at('sidestage.db')))
  writeFileSync(at('sidestage.db.new'), 'half of one')
  writeFileSync(at('sidestage.db'), garbage)
  prepare({ copy: 'latest' })
  expect([keys(), existsSync(at('sidestage.db.new'))]).toEqual([['of the copy'], false])
})

it('a database of up to 256 MiB is checked at the start', () => {
  expect(maxCheckedAtOnce).toBe(256 * 1024 * 1024)
})
