import { systemClock, type Clock } from '../../platform/clock.ts'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync, type SQLInputValue } from 'node:sqlite'
import {
  CompiledQuery,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from 'kysely'
import { trialOf } from '../../platform/disk-fault.ts'
import { withDiskRefusal } from '../../platform/full-disk.ts'
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

class NodeSqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync
  readonly #statements = createLru<Prepared>(statementLimit)
  readonly #turns: StatementTurns

  constructor(database: DatabaseSync, turns: StatementTurns) {
    this.#database = database
    this.#turns = turns
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const prepared = { statement, reads: statement.columns().length > 0 }
    this.#statements.set(sql, prepared)
    return prepared
  }

  // async: node:sqlite throws where a rejection is expected.
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#turns.isDue()) await this.#turns.turn()
    return told(this.#database, () => {
      const { statement, reads } = this.#prepare(sql)
      const values = parameters.map(toSqlite)
      if (reads) return { rows: statement.all(...values) as R[] }
      const { changes } = statement.run(...values)
      return { numAffectedRows: BigInt(changes), rows: [] }
    })
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.#prepare(sql).statement.iterate(...parameters.map(toSqlite))) yield { rows: [row as R] }
  }
}

class NodeSqliteDriver implements Driver {
  readonly #database: DatabaseSync
  readonly #connection: NodeSqliteConnection
  readonly #lock = createTurnLock()

  constructor(database: DatabaseSync, turns: StatementTurns) {
    this.#database = database
    this.#connection = new NodeSqliteConnection(database, turns)
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    await this.#lock.take()
    return this.#connection
  }
  async beginTransaction(): Promise<void> {
    told(this.#database, () => this.#database.exec('begin immediate'))
  }
  async commitTransaction(): Promise<void> {
    told(this.#database, () => this.#database.exec('commit'))
  }
  async rollbackTransaction(): Promise<void> {
    // On a full disk SQLite has already rolled back; an error here would hide the first one.
    if (this.#database.isTransaction) this.#database.exec('rollback')
  }
  async releaseConnection(): Promise<void> {
    this.#lock.give()
  }
  async destroy(): Promise<void> {
    this.#database.close()
  }
}

/** Uses the driver's lock for the one connection: Kysely's wakes every waiter each time. */
class NodeSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Kysely over node:sqlite, with a statement cache and turns; one caller at a time has the connection. */
export const nodeSqliteDialect = (database: DatabaseSync, clock: Pick<Clock, 'monotonic'> = systemClock): Dialect => ({
  createAdapter: () => new NodeSqliteAdapter(),
  createDriver: () => new NodeSqliteDriver(database, createStatementTurns(clock)),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})
