import { it } from 'vitest'
import { postgresUrl } from '../storage/testing/open-store.ts'

/** A test of what only SQLite has: its file, its statements and their plans, its triggers. */
export const itOnSqlite = it.skipIf(postgresUrl !== undefined)
