import type { Kysely } from 'kysely'
import type { Tables } from './schema.ts'

/** What the adapter of an engine says of itself. */
export interface Engine {
  readonly isServer?: boolean
}

/**
 * Whether the rows are on a server, where other processes write too and each statement is a round trip; otherwise they
 * are in a file of this process.
 */
export const isServer = (db: Kysely<Tables>): boolean => (db.getExecutor().adapter as Engine).isServer === true
