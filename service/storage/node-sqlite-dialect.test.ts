import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'

interface Tables {
  readonly item: { readonly name: string; readonly here: boolean | number | null }
}
let dir: string
let database: DatabaseSync
let db: Kysely<Tables>
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-dialect-'))
  database = new DatabaseSync(join(dir, 'a.db'))
  database.exec('create table item (name text unique, here integer)')
  db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })
})
afterEach(async () => {
  vi.restoreAllMocks()
  await db.destroy()
  rmSync(dir, { recursive: true, force: true })
})
const rows = async (): Promise<unknown[]> =>
  (await db.selectFrom('item').selectAll().orderBy('name').execute()).map((row) => ({ ...row }))

describe('a statement', () => {
  it('stores true as 1, false as 0 and nothing as null', async () => {
    await db
      .insertInto('item')
      .values([
        { name: 'a', here: true },
        { name: 'b', here: false },
        { name: 'c', here: null },
      ])
      .execute()
    expect(await rows()).toEqual([
      { name: 'a', here: 1 },
      { name: 'b', here: 0 },
      { name: 'c', here: null },
    ])
  })

  it('that changes rows says how many, and one that reads gives them', async () => {
    for (const name of ['a', 'b', 'c']) await db.insertInto('item').values({ name, here: 0 }).execute()
    const { numUpdatedRows } = await db.updateTable('item').set({ here: 1 }).where('name', '>', 'a').executeTakeFirst()
    expect(numUpdatedRows).toBe(2n)
    const { numDeletedRows } = await db.deleteFrom('item').where('name', '=', 'none').executeTakeFirst()
    expect(numDeletedRows).toBe(0n)
    expect(await db.deleteFrom('item').where('name', '=', 'a').returning('name').execute()).toEqual([{ name: 'a' }])
  })

  it('is prepared once for its text, of which the last 256 are kept', async () => {
    const prepared = vi.spyOn(database, 'prepare')
    const read = (number: number) => sql.raw(`select ${number}`).execute(db)
    for (let number = 0; number < 256; number++) await read(number)
    for (let number = 0; number < 256; number++) await read(number)
    expect(prepared).toHaveBeenCalledTimes(256)
    await read(256)
    await read(1)
    expect(prepared).toHaveBeenCalledTimes(257)
    await read(0)
    expect(prepared).toHaveBeenCalledTimes(258)
  })
})

describe('a transaction', () => {
  it('has the right to write from its begin', async () => {
    const other = new DatabaseSync(join(dir, 'a.db'))
    await db.transaction().execute(async () => {
      expect(() => other.exec(`insert into item values ('x', 1)`)).toThrow('database is locked')
      await Promise.resolve()
    })
    other.exec(`insert into item values ('x', 1)`)
    other.close()
  })

  it('that SQLite itself has rolled back fails with its first error', async () => {
    const failing = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('item').values({ name: 'a', here: 1 }).execute()
      database.exec('rollback')
      throw new Error('disk full')
    })
    await expect(failing).rejects.toThrow('disk full')
    await db.insertInto('item').values({ name: 'b', here: 1 }).execute()
    expect(await rows()).toEqual([{ name: 'b', here: 1 }])
  })

  it('that fails to commit fails, and the next one begins', async () => {
    database.exec(
      'pragma foreign_keys = on; create table child (name text references item (name) deferrable initially deferred)',
    )
    const failing = db
      .transaction()
      .execute((transaction) => sql`insert into child values ('nobody')`.execute(transaction))
    await expect(failing).rejects.toThrow('FOREIGN KEY')
    await db
      .transaction()
      .execute((transaction) => transaction.insertInto('item').values({ name: 'a', here: 1 }).execute())
    expect(await rows()).toHaveLength(1)
  })
})

it('a database that is destroyed is closed', async () => {
  await sql`select 1`.execute(db)
  expect(database.isOpen).toBe(true)
  await db.destroy()
  expect(database.isOpen).toBe(false)
  database = new DatabaseSync(join(dir, 'a.db'))
  db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })
})
