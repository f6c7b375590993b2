import { systemClock, type Clock } from '../../platform/clock.ts'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync, type SQLInputValue } from 'node:sqlite'
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely'
import { trialOf } from '../../platform/disk-fault.ts'
import { withDiskRefusal } from '../../platform/full-disk.ts'
import { warnOfCall, withCommitCalls, type CallFailed } from './after-commit.ts'
import type { DatabaseCounts } from './database-counts.ts'
import { createStatementTurns, type StatementTurns } from './statement-turns.ts'
import { createTurnLock } from './turn-lock.ts'
import { createLru } from '../../platform/lru.ts'

/** Cached prepared statements: bounded, as texts of varying length (`in (…)`) would pile up. */
const statementLimit = 256

interface Prepared {
  readonly statement: StatementSync
  /** Whether the statement returns rows; node:sqlite does not say. */
  readonly reads: boolean
}

const toSqlite = (value: unknown): SQLInputValue =>
  typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)

/** Adds the state of the disk to errors, as SQLite does not say why a write failed. */
function told<T>(database: DatabaseSync, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const file = database.location()
    throw file ? withDiskRefusal(error, () => trialOf(dirname(file))) : error
  }
}

/** Whose time a statement takes, where that is counted. */
interface StatementTime {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly counts: Pick<DatabaseCounts, 'statements'> | undefined
}

function nodeSqliteConnection(
  database: DatabaseSync,
  turns: StatementTurns,
  { clock, counts }: StatementTime,
): DatabaseConnection {
  const statements = createLru<Prepared>(statementLimit)
  const prepare = (sql: string): Prepared => {
    const known = statements.get(sql)
    if (known) return known
    const statement = database.prepare(sql)
    const prepared = { statement, reads: statement.columns().length > 0 }
    statements.set(sql, prepared)
    return prepared
  }
  const run = <R>({ sql, parameters }: CompiledQuery): QueryResult<R> => {
    const { statement, reads } = prepare(sql)
    const values = parameters.map(toSqlite)
    if (reads) return { rows: statement.all(...values) as R[] }
    const { changes } = statement.run(...values)
    return { numAffectedRows: BigInt(changes), rows: [] }
  }
  return {
    // async: node:sqlite throws where a rejection is expected.
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (turns.isDue()) await turns.turn()
      if (!counts) return told(database, () => run<R>(query))
      const begun = clock.monotonic()
      const result = told(database, () => run<R>(query))
      counts.statements.add(clock.monotonic() - begun)
      return result
    },
    async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      for (const row of prepare(sql).statement.iterate(...parameters.map(toSqlite))) yield { rows: [row as R] }
    },
  }
}

/** SQLite with a driver that orders its callers itself: Kysely's lock wakes every waiter each time. */
export const sqliteDialect = (createDriver: () => Driver): Dialect => ({
  createAdapter: () => new OrderedAdapter(),
  createDriver,
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

class OrderedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

function nodeSqliteDriver(database: DatabaseSync, turns: StatementTurns, time: StatementTime): Driver {
  const connection = nodeSqliteConnection(database, turns, time)
  const lock = createTurnLock()
  return {
    async init() {},
    async acquireConnection() {
      await lock.take()
      return connection
    },
    async beginTransaction() {
      told(database, () => database.exec('begin immediate'))
    },
    async commitTransaction() {
      told(database, () => database.exec('commit'))
    },
    async rollbackTransaction() {
      // On a full disk SQLite has already rolled back; an error here would hide the first one.
      if (database.isTransaction) database.exec('rollback')
    },
    async releaseConnection() {
      lock.give()
    },
    async destroy() {
      database.close()
    },
  }
}

/** Kysely over node:sqlite, with a statement cache and turns; one caller at a time has the connection. */
export const nodeSqliteDialect = (
  database: DatabaseSync,
  clock: Pick<Clock, 'monotonic'> = systemClock,
  callFailed: CallFailed = warnOfCall,
  counts?: Pick<DatabaseCounts, 'statements'>,
): Dialect =>
  sqliteDialect(() =>
    withCommitCalls(nodeSqliteDriver(database, createStatementTurns(clock), { clock, counts }), callFailed),
  )
