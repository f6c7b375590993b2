import { sql, type Kysely } from 'kysely'
import type { Tables } from './schema.ts'

/** The time of a PostgreSQL, in ms since 1970. */
export async function databaseTime(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db)
  return rows[0]!.now
}
