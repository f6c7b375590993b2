import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { openPostgresStore, type PostgresPlace } from '../store-postgres.ts'
import { openSqliteStore } from '../store-sqlite.ts'
import type { Store } from '../store.ts'

/** URL of the PostgreSQL on which tests run (`scripts/on-postgres.ts`); undefined for SQLite. */
export const postgresUrl: string | undefined = process.env['SIDESTAGE_TEST_POSTGRES']

const schema = 'sidestage'
const template = 'sidestage_template'
const placeOf = (name: string): PostgresPlace => ({
  url: new URL(`/${name}`, postgresUrl).href,
  schema,
  connections: 4,
  // Processes of tests share the processors: each may wait for its turn within a transaction.
  maxIdle: 60_000,
})
/** PostgreSQL's codes: the database is there already; somebody else is copying the template. */
const exists = '42P04'
const busy = '55006'

/** Those of the test file that runs. */
const made = new Set<string>()

async function create(statement: string): Promise<void> {
  const { Client } = (await import('pg')).default
  for (;;) {
    const client = new Client({ connectionString: postgresUrl })
    await client.connect()
    try {
      return void (await client.query(statement))
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === exists) return
      if (code !== busy) throw error
    } finally {
      await client.end()
    }
  }
}

/** Makes the database that those of tests are copies of, as copying is much faster than the migrations. */
export async function makeTemplate(): Promise<void> {
  await create(`create database ${template}`)
  await (await openPostgresStore(placeOf(template))).close()
}

/** The database of a folder, which is made where it is not there; undefined when tests run on SQLite. */
export async function testDatabase(folder: string): Promise<PostgresPlace | undefined> {
  if (postgresUrl === undefined) return undefined
  const name = `d${hash('sha256', folder, 'hex').slice(0, 16)}`
  await create(`create database ${name} template ${template} strategy file_copy`)
  made.add(name)
  return placeOf(name)
}

/** Removes the databases of a test file: all together take gigabytes. */
export async function dropTestDatabases(): Promise<void> {
  if (made.size === 0) return
  const { Client } = (await import('pg')).default
  const client = new Client({ connectionString: postgresUrl })
  await client.connect()
  for (const name of made) await client.query(`drop database ${name} with (force)`)
  made.clear()
  await client.end()
}

/** Opens the store of a folder on the engine under test. */
export async function openStore(folder: string, options?: Parameters<typeof openSqliteStore>[1]): Promise<Store> {
  const place = await testDatabase(folder)
  return place === undefined ? openSqliteStore(folder, options) : openPostgresStore(place, options)
}

/** Lets rows stand without those that they name, for tests of one table. */
export async function dropForeignKeys({ db }: Pick<Store, 'db'>): Promise<void> {
  if (postgresUrl === undefined) return void (await sql`pragma foreign_keys = off`.execute(db))
  const { rows } = await sql<{ place: string; name: string }>`select conrelid::regclass::text as place, conname as name
    from pg_constraint where contype = 'f'`.execute(db)
  for (const { place, name } of rows) await sql.raw(`alter table ${place} drop constraint "${name}"`).execute(db)
}
