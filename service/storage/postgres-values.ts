import { noteStored, noteUnchanged } from './unchanged.ts'
import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'
import type { types } from 'pg'

/** Types whose values `pg` gives as text, as they may be beyond 2^53: `bigint`, and `numeric`, which sums have. Ours are below. */
const numbers = new Set([20, 1700])
/** `text` and `varchar`. */
const texts = new Set([25, 1043])

/**
 * PostgreSQL does not store U+0000. It is kept as U+FFFF with a 0 behind it, and U+FFFF, which anybody may send, with
 * a 1, so that every text comes back as it was.
 */
const escape = '\uffff'

/** A text as PostgreSQL keeps it; parameters are made so by themselves. */
export const storedText = (text: string): string => text.replaceAll(escape, `${escape}1`).replaceAll('\0', `${escape}0`)
const toPostgres = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toPostgres)
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' ? storedText(value) : value
}
const textOf = (text: string): string =>
  text.includes(escape) ? text.replaceAll(/\uffff([01])/g, (_, kind) => (kind === '0' ? '\0' : escape)) : text

/** Parameters as PostgreSQL takes them. */
export const parametersOf = ({ parameters }: CompiledQuery): unknown[] => parameters.map(toPostgres)

/** Parsers of values, as SQLite gives them. */
export const parsersAs = ({ getTypeParser }: typeof types): { getTypeParser: typeof getTypeParser } => ({
  getTypeParser: ((...given: Parameters<typeof getTypeParser>) => {
    const type: number = given[0]
    return numbers.has(type) ? Number : texts.has(type) ? textOf : getTypeParser(...given)
  }) as typeof getTypeParser,
})

const writing = /^\s*(?:insert|update|delete|with)\b/i

/**
 * Makes a driver take the values that SQLite takes. An error by which nothing can have been changed is noted as such,
 * and what was stored, for those who tell callers what became of their call.
 */
export function withValues(driver: Driver): Driver {
  const { acquireConnection, beginTransaction, commitTransaction, rollbackTransaction } = driver
  const known = new WeakSet<DatabaseConnection>()
  const inTransaction = new WeakSet<DatabaseConnection>()
  /** With a transaction that wrote something. */
  const wrote = new WeakSet<DatabaseConnection>()
  return Object.assign(driver, {
    async acquireConnection(...given: Parameters<typeof acquireConnection>) {
      const connection = await acquireConnection.apply(driver, given).catch((error: unknown) => {
        noteUnchanged(error)
        throw error
      })
      if (known.has(connection)) return connection
      known.add(connection)
      const { executeQuery } = connection
      return Object.assign(connection, {
        async executeQuery(query: CompiledQuery, ...rest: []) {
          try {
            const answer = await executeQuery.call(connection, { ...query, parameters: parametersOf(query) }, ...rest)
            if (writing.test(query.sql)) {
              if (inTransaction.has(connection)) wrote.add(connection)
              else noteStored()
            }
            return answer
          } catch (error) {
            // What a transaction did is undone, unless its commit was sent.
            if (query.sql.startsWith('select ') || (inTransaction.has(connection) && query.sql !== 'commit'))
              noteUnchanged(error)
            throw error
          }
        },
      })
    },
    async beginTransaction(...given: Parameters<typeof beginTransaction>) {
      inTransaction.add(given[0])
      await beginTransaction.apply(driver, given)
    },
    async commitTransaction(connection: DatabaseConnection) {
      await commitTransaction.call(driver, connection)
      inTransaction.delete(connection)
      if (wrote.delete(connection)) noteStored()
    },
    async rollbackTransaction(connection: DatabaseConnection) {
      inTransaction.delete(connection)
      wrote.delete(connection)
      await rollbackTransaction.call(driver, connection)
    },
  } satisfies Partial<Driver>)
}
