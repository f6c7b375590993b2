import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import type { CallFailed } from './after-commit.ts'
import type { DatabaseCounts } from './database-counts.ts'
import { migrations } from './migrations.ts'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import { noCallers, readerDialect, type ReadCallers, type ReaderLimits } from './reader.ts'
import type { Tables } from './schema.ts'
import type { NumberedTable, Store } from './store.ts'

/** Opens or makes `sidestage.db` and migrates it. `callers` are those of long reads. */
export async function openSqliteStore(
  dataDir: string,
  options: {
    readonly callers?: ReadCallers
    readonly reads?: ReaderLimits
    readonly callFailed?: CallFailed
    readonly counts?: DatabaseCounts | undefined
  } = {},
): Promise<Store> {
  const path = join(dataDir, 'sidestage.db')
  // Contains channel keys: made with mode 0600, which SQLite copies to its side files.
  closeSync(openSync(path, 'a', 0o600))
  const database = new DatabaseSync(path)
  try {
    database.exec(
      'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma busy_timeout = 2000',
    )
  } catch (error) {
    database.close()
    throw error
  }
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database, undefined, options.callFailed, options.counts) })
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve({ ...migrations }) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) {
    await db.destroy()
    throw new Error(
      `the database ${path} cannot be brought up to date: ${error instanceof Error ? error.message : 'unknown reason'}`,
      { cause: error },
    )
  }
  /** Absent until the first row of the table. */
  const makeSequence = (table: NumberedTable) =>
    sql`insert into sqlite_sequence (name, seq)
      select ${table}, 0 where not exists (select 1 from sqlite_sequence where name = ${table})`.execute(db)
  const reads = new Kysely<Tables>({
    dialect: readerDialect(path, options.callers ?? noCallers, options.reads, options.counts),
  })
  return {
    db,
    reads,
    durable: (work) =>
      db.connection().execute(async (connection) => {
        // The pragma is per connection and invalid inside a transaction; nobody else has the connection now.
        await sql`pragma synchronous = full`.execute(connection)
        try {
          return await connection.transaction().execute(work)
        } finally {
          await sql`pragma synchronous = normal`.execute(connection)
        }
      }),
    async bytes() {
      // Without free pages.
      const { rows } = await sql<{
        bytes: number
      }>`select (page_count - freelist_count) * page_size as bytes
        from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(db)
      return rows[0]?.bytes ?? 0
    },
    async numberAbove(table, number) {
      await makeSequence(table)
      await sql`update sqlite_sequence set seq = max(seq, ${number}) where name = ${table}`.execute(db)
    },
    async newNumber(table) {
      await makeSequence(table)
      const { rows } = await sql<{
        seq: number
      }>`update sqlite_sequence set seq = seq + 1 where name = ${table} returning seq`.execute(db)
      return rows[0]!.seq
    },
    /** Checkpoints the write-ahead log too. */
    async close() {
      await reads.destroy()
      await db.destroy()
    },
  }
}
