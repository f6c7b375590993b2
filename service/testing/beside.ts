import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, PostgresDialect, sql, type Dialect } from 'kysely'
import { nodeSqliteDialect } from '../storage/node-sqlite-dialect.ts'
import { parsersAs } from '../storage/postgres-values.ts'
import type { DeliveryTable, Tables } from '../storage/schema.ts'
import { numberedTables, type NumberedTable } from '../storage/store.ts'
import { postgresUrl, testDatabase } from '../storage/testing/open-store.ts'

async function dialectOf(folder: string): Promise<Dialect> {
  const place = await testDatabase(folder)
  if (place === undefined) {
    const database = new DatabaseSync(join(folder, 'sidestage.db'))
    database.exec('pragma busy_timeout = 20000; pragma foreign_keys = off')
    return nodeSqliteDialect(database)
  }
  const { Pool, types } = (await import('pg')).default
  return new PostgresDialect({
    pool: new Pool({
      connectionString: place.url,
      max: 1,
      options: `-c search_path=${place.schema}`,
      types: parsersAs(types),
    }),
  })
}

/** Works on the database of a folder as another program would, beside the service that may have it open. */
export async function beside<T>(folder: string, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const db = new Kysely<Tables>({ dialect: await dialectOf(folder) })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

/** Takes tables away, so that whoever needs them fails. */
export const breakTables = (folder: string, ...tables: (keyof Tables)[]): Promise<void> =>
  beside(folder, async (db) => {
    for (const table of tables)
      await sql`alter table ${sql.table(table)} rename to ${sql.table(`${table}Away`)}`.execute(db)
  })

/** Brings back what `breakTables` took away. */
export const mendTables = (folder: string, ...tables: (keyof Tables)[]): Promise<void> =>
  beside(folder, async (db) => {
    for (const table of tables)
      await sql`alter table ${sql.table(`${table}Away`)} rename to ${sql.table(table)}`.execute(db)
  })

/** Makes a table refuse new rows, as a full disk would. */
export async function refuseRows(db: Kysely<Tables>, table: keyof Tables): Promise<void> {
  await (
    postgresUrl === undefined
      ? sql`create trigger "full" before insert on ${sql.table(table)} begin select raise(abort, 'disk is full'); end`
      : sql`alter table ${sql.table(table)} add constraint "full" check (false) not valid`
  ).execute(db)
}

/** Ends what `refuseRows` began. */
export async function takeRows(db: Kysely<Tables>, table: keyof Tables): Promise<void> {
  await (
    postgresUrl === undefined ? sql`drop trigger "full"` : sql`alter table ${sql.table(table)} drop constraint "full"`
  ).execute(db)
}

/** Writes an entry of the delivery log, as an earlier start would have left it. */
export const leaveDelivery = (
  folder: string,
  entry: Pick<DeliveryTable, 'nId' | 'uid' | 'body'> & Partial<DeliveryTable>,
): Promise<unknown> =>
  beside(folder, (db) =>
    db
      .insertInto('delivery')
      .values({
        kind: 'recording',
        url: 'http://127.0.0.1:9/',
        target: 'http://127.0.0.1:9',
        state: 'failed',
        attempts: 9,
        step: 8,
        due: 0,
        created: 1,
        result: 'HTTP 500',
        ...entry,
      })
      .execute(),
  )

/** Empties a table and forgets the numbers of its rows, as a database that is begun anew. */
export async function forgetNumbers(db: Kysely<Tables>, table: NumberedTable): Promise<void> {
  await sql`delete from ${sql.table(table)}`.execute(db)
  await (
    postgresUrl === undefined
      ? sql`delete from sqlite_sequence where name = ${table}`
      : sql`alter table ${sql.table(table)} alter column ${sql.ref(numberedTables[table])} restart`
  ).execute(db)
}
