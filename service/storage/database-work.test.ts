import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { carryOut, findDamage } from './database-work.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-work-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const at = (name: string): string => join(dir, name)
/** A database with these rows; left open where its log is to stay beside it. */
function make(rows: readonly string[], path = at('a.db')): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; create table item (name text)')
  const insert = database.prepare('insert into item values (?)')
  for (const row of rows) insert.run(row)
  return database
}
const rowsOf = (path: string): unknown[] => {
  const database = new DatabaseSync(path)
  const rows = database.prepare('select name from item order by rowid').all() as { name: string }[]
  database.close()
  return rows.map(({ name }) => name)
}
const damage = (): void => {
  make(Array.from({ length: 2000 }, (_, row) => `a row of a test ${row} `.repeat(10))).close()
  const content = readFileSync(at('a.db'))
  const from = content.indexOf('a row of a test', Math.floor(content.length / 2))
  content.fill(0xff, from - (from % 4096), from - (from % 4096) + 1024)
  writeFileSync(at('a.db'), content)
}
const copy = (time = 1_000_000) =>
  carryOut({ kind: 'copy', path: at('a.db'), temporary: at('copy.new'), target: at('copy.db'), time })

describe('the check of a database', () => {
  it('finds nothing in one that is intact, also while somebody else has it open', () => {
    const open = make(['one'])
    expect([findDamage(at('a.db')), carryOut({ kind: 'check', path: at('a.db') })]).toEqual([undefined, undefined])
    open.close()
  })

  it('says in the words of SQLite what is damaged', () => {
    damage()
    expect(findDamage(at('a.db'))).toMatch(/malformed|btree|Tree|invalid/)
    expect(carryOut({ kind: 'check', path: at('a.db') })).toBe(findDamage(at('a.db')))
  })

  it('says that a file is no database, which is damage and no failure of the disk', () => {
    writeFileSync(at('a.db'), Buffer.alloc(8192, 'no database '))
    expect(() => findDamage(at('a.db'))).toThrow('file is not a database')
    expect(carryOut({ kind: 'check', path: at('a.db') })).toBe('file is not a database')
  })

  it('leaves what lies beside it as it is, and nothing of its own', () => {
    make(['one']).close()
    findDamage(at('a.db'))
    expect(readdirSync(dir)).toEqual(['a.db'])
    writeFileSync(at('a.db'), Buffer.alloc(8192, 'no database '))
    writeFileSync(at('a.db-wal'), 'log')
    carryOut({ kind: 'check', path: at('a.db') })
    expect(readdirSync(dir)).toEqual(['a.db', 'a.db-wal'])
  })

  it('fails where the file cannot be opened, which says nothing of its content', () => {
    expect(() => carryOut({ kind: 'check', path: join(dir, 'gone', 'a.db') })).toThrow('unable to open database file')
  })
})

describe('a copy of a database', () => {
  it('has all that was committed, also what is in the log only, and leaves the database as it was', () => {
    const open = make(['one', 'two'])
    expect(copy()).toBeUndefined()
    expect([rowsOf(at('copy.db')), existsSync(at('copy.new'))]).toEqual([['one', 'two'], false])
    open.exec("insert into item values ('three')")
    open.close()
    expect([rowsOf(at('a.db')), rowsOf(at('copy.db'))]).toEqual([
      ['one', 'two', 'three'],
      ['one', 'two'],
    ])
  })

  it('takes the place of the one before, and of a part that an earlier one left', () => {
    make(['new']).close()
    make(['old'], at('copy.db')).close()
    writeFileSync(at('copy.new'), 'half of one')
    copy()
    expect([rowsOf(at('copy.db')), existsSync(at('copy.new'))]).toEqual([['new'], false])
  })

  it('has the time that is said, in ms', () => {
    make(['one']).close()
    copy(1_800_000_000_500)
    expect(statSync(at('copy.db')).mtimeMs).toBe(1_800_000_000_500)
  })

  it.skipIf(process.platform === 'win32')('can be read by its owner alone, however open the database is', () => {
    make(['one']).close()
    chmodSync(at('a.db'), 0o644)
    copy()
    expect(statSync(at('copy.db')).mode & 0o777).toBe(0o600)
  })

  it('that cannot be made fails, and the one before stays', () => {
    writeFileSync(at('a.db'), Buffer.alloc(8192, 'no database '))
    make(['old'], at('copy.db')).close()
    expect(() => copy()).toThrow('file is not a database')
    expect(rowsOf(at('copy.db'))).toEqual(['old'])
    make(['one'], at('b.db')).close()
    mkdirSync(at('folder'))
    expect(() =>
      carryOut({ kind: 'copy', path: at('b.db'), temporary: at('copy.new'), target: at('folder'), time: 1 }),
    ).toThrow(/EISDIR|EPERM|ENOTEMPTY/)
  })
})
