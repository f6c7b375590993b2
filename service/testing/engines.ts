import { describe, it } from 'vitest'
import { postgresUrl } from '../storage/testing/open-store.ts'

const isPostgres = postgresUrl !== undefined

/**
 * A test of what only SQLite has: its file, its statements and their plans, its triggers. `scripts/engines.test.ts`
 * lists the files that have one, with the reason.
 */
export const itOnSqlite = it.skipIf(isPostgres)
/** The same of several tests. */
export const describeOnSqlite = describe.skipIf(isPostgres)
/** A test of what only PostgreSQL has. */
export const describeOnPostgres = describe.runIf(isPostgres)
