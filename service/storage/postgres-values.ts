import type { CompiledQuery, DatabaseConnection, Driver } from 'kysely'
import type { types } from 'pg'

/** Types whose values `pg` gives as text, as they may be beyond 2^53: `bigint`, and `numeric`, which sums have. Ours are below. */
const numbers = new Set([20, 1700])
/** `text` and `varchar`. */
const texts = new Set([25, 1043])

/** Stands for U+0000, which PostgreSQL does not store: a code point that no text has, as it is not for interchange. */
const nul = '\uffff'

const toPostgres = (value: unknown): unknown => {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', nul) : value
}
const textOf = (text: string): string => (text.includes(nul) ? text.replaceAll(nul, '\0') : text)

/** Parameters as PostgreSQL takes them. */
export const parametersOf = ({ parameters }: CompiledQuery): unknown[] => parameters.map(toPostgres)

/** Parsers of values, as SQLite gives them. */
export const parsersAs = ({ getTypeParser }: typeof types): { getTypeParser: typeof getTypeParser } => ({
  getTypeParser: ((...given: Parameters<typeof getTypeParser>) => {
    const type: number = given[0]
    return numbers.has(type) ? Number : texts.has(type) ? textOf : getTypeParser(...given)
  }) as typeof getTypeParser,
})

/** Makes a driver take the values that SQLite takes. */
export function withValues(driver: Driver): Driver {
  const { acquireConnection } = driver
  const known = new WeakSet<DatabaseConnection>()
  return Object.assign(driver, {
    async acquireConnection(...given: Parameters<typeof acquireConnection>) {
      const connection = await acquireConnection.apply(driver, given)
      if (known.has(connection)) return connection
      known.add(connection)
      const { executeQuery } = connection
      return Object.assign(connection, {
        executeQuery: (query: CompiledQuery, ...rest: []) =>
          executeQuery.call(connection, { ...query, parameters: parametersOf(query) }, ...rest),
      })
    },
  } satisfies Partial<Driver>)
}
