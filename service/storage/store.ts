import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import { migrations } from './migrations.ts'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import { readerDialect, type ReadCallers, type ReaderLimits } from './reader.ts'
import type { Tables } from './schema.ts'

/** The service's database. */
export interface Store {
  readonly db: Kysely<Tables>
  /** Read-only connection in a thread, for long reads: history, search, ranges. Sees committed data. */
  readonly reads: Kysely<Tables>
  /** A transaction that is synced to disk (synchronous=FULL), for what must survive a power failure. */
  durable<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Checkpoints the write-ahead log and closes. */
  close(): Promise<void>
}

const noCallers: ReadCallers = { spent: () => undefined, isStranger: () => false }

/** Opens or makes `sidestage.db` and migrates it. `callers` are those of long reads. */
export async function openStore(
  dataDir: string,
  options: { readonly callers?: ReadCallers; readonly reads?: ReaderLimits } = {},
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
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(database) })
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve({ ...migrations }) } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) {
    await db.destroy()
    throw new Error(
      `the database ${path} cannot be brought up to date: ${error instanceof Error ? error.message : 'unknown reason'}`,
      { cause: error },
    )
  }
  const reads = new Kysely<Tables>({ dialect: readerDialect(path, options.callers ?? noCallers, options.reads) })
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
    async close() {
      await reads.destroy()
      await db.destroy()
    },
  }
}

/** Whether a query violated a unique constraint, in SQLite or PostgreSQL. */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  return errcode === 1555 || errcode === 2067 || code === '23505'
}
