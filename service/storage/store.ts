import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './schema.ts'

/** Where the service keeps its rows: a file of its own, or a PostgreSQL that other services may share. */
export interface Store {
  /** Many rows at once are inserted by `createBulkInsert`, as its engine does it fastest. */
  readonly db: Kysely<Tables>
  /** Read-only connections for long reads: history, search, ranges. They see committed data and hold nobody up. */
  readonly reads: Kysely<Tables>
  /** A transaction that survives a power failure once it has ended. */
  durable<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Size of the rows in bytes; undefined where their disk is not the service's to watch. */
  bytes(): Promise<number | undefined>
  /** Makes the numbers that the engine gives to new rows of a table greater than `number`. */
  numberAbove(table: NumberedTable, number: number): Promise<void>
  /** A number for a new row, before it is stored: the engine gives it to no other one. */
  newNumber(table: NumberedTable): Promise<number>
  close(): Promise<void>
}

/** Tables whose engine numbers their rows, with the column that has the number. */
export const numberedTables = {
  delivery: 'place',
  recording: 'vid',
  mergeTask: 'taskId',
  marker: 'markerId',
  logInRecord: 'recordId',
  upload: 'channelid',
  namedLink: 'linkId',
  target: 'targetId',
} as const satisfies Partial<Record<keyof Tables, string>>
/** One of them. */
export type NumberedTable = keyof typeof numberedTables

/** Whether a query violated a unique constraint, in SQLite or PostgreSQL. */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  return errcode === 1555 || errcode === 2067 || code === '23505'
}
