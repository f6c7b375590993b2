import { CompiledQuery, type Kysely } from 'kysely'
import { isServer } from './engine.ts'
import type { Tables } from './schema.ts'

/** What becomes of a row whose key is there: it is left out, or its numbers are added to those that are there. */
export interface BulkConflict<Column> {
  readonly key: readonly Column[]
  readonly add?: readonly Column[]
}

/** A statement of SQLite for many rows would not say which of them were there. */
type BulkOptions<Column> =
  | { readonly conflict?: undefined; readonly together?: number }
  | { readonly conflict: BulkConflict<Column>; readonly together?: undefined }

/** Parameters of one statement: PostgreSQL numbers them with 16 bits. */
const maxParameters = 60_000
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/**
 * Makes what inserts rows of a table in the caller's transaction, in their order, as the engine does it fastest: with
 * SQLite a statement for each, whose text is compiled once, with PostgreSQL one for all. Resolves with whether each row
 * was inserted. `together` is for rows that come in numbers: so many are in one statement of SQLite too.
 */
export function createBulkInsert<T extends keyof Tables, Column extends keyof Tables[T] & string>(
  table: T,
  columns: readonly Column[],
  { conflict, together = 1 }: BulkOptions<Column> = {},
) {
  type Row = Readonly<Pick<Tables[T], Column>>
  const head = `insert into "${table}" (${quoted(columns)}) values `
  const added = conflict?.add?.map((name) => `"${name}" = "${table}"."${name}" + excluded."${name}"`)
  const tail = conflict
    ? ` on conflict (${quoted(conflict.key)}) do ${added ? `update set ${added.join(', ')}` : 'nothing'}`
    : ''
  const rowOfSqlite = `(${columns.map(() => '?').join(', ')})`
  const sqlite = (count: number): CompiledQuery =>
    CompiledQuery.raw(head + Array.from({ length: count }, () => rowOfSqlite).join(', ') + tail)
  const [one, some] = [sqlite(1), sqlite(together)]

  async function rowByRow(transaction: Kysely<Tables>, rows: readonly Row[]): Promise<boolean[]> {
    const inserted: boolean[] = []
    while (inserted.length < rows.length) {
      const isOne = rows.length - inserted.length < together
      const parameters: unknown[] = []
      for (let row = inserted.length; row < inserted.length + (isOne ? 1 : together); row++)
        for (const column of columns) parameters.push(rows[row]![column])
      const { numAffectedRows } = await transaction.executeQuery({ ...(isOne ? one : some), parameters })
      for (let row = 0; row < (isOne ? 1 : together); row++) inserted.push(numAffectedRows !== 0n)
    }
    return inserted
  }

  const most = Math.floor(maxParameters / columns.length)
  const keyOf = (row: Row): string => JSON.stringify(conflict!.key.map((column) => row[column]))
  const isSkipping = conflict !== undefined && !conflict.add
  const returning = isSkipping ? ` returning ${quoted(conflict.key)}` : ''
  async function manyRows(transaction: Kysely<Tables>, rows: readonly Row[]): Promise<boolean[]> {
    const inserted: boolean[] = []
    for (let at = 0; at < rows.length; at += most) {
      const part = rows.slice(at, at + most)
      let parameter = 0
      const values = part.map(() => `(${columns.map(() => `$${++parameter}`).join(', ')})`).join(', ')
      const parameters = part.flatMap((row) => columns.map((column) => row[column]))
      const statement = CompiledQuery.raw(head + values + tail + returning, parameters)
      const found = await transaction.executeQuery<Row>(statement)
      if (!isSkipping) {
        for (let row = 0; row < part.length; row++) inserted.push(true)
        continue
      }
      // Of rows with one key the first is inserted.
      const keys = new Set(found.rows.map(keyOf))
      for (const row of part) inserted.push(keys.delete(keyOf(row)))
    }
    return inserted
  }

  return (transaction: Kysely<Tables>, rows: readonly Row[]): Promise<boolean[]> =>
    isServer(transaction) ? manyRows(transaction, rows) : rowByRow(transaction, rows)
}
