import { sql, type QueryExecutorProvider } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Name of a migration that takes away what the release before it does not use any more. */
const contracts = /^\d{3}-contract-/

/**
 * Migrations that a database has and this release does not know, so that a node of the release before starts again
 * while an upgrade goes on: what they add means nothing to it. Rejects where one has taken something away.
 */
export async function laterMigrations(
  db: QueryExecutorProvider,
  schema: string,
  known: Readonly<Record<string, Migration>>,
): Promise<Record<string, Migration>> {
  const { rows: found } = await sql<{ table: string | null }>`
    select to_regclass(${`"${schema}".kysely_migration`})::text as "table"`.execute(db)
  if (found[0]?.table == null) return {}
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const later = rows.map(({ name }) => name).filter((name) => !Object.hasOwn(known, name))
  const gone = later.filter((name) => contracts.test(name))
  if (gone.length > 0)
    throw new Error(`a newer Sidestage has taken away what this one uses (${gone.join(', ')}): update Sidestage`)
  return Object.fromEntries(later.map((name) => [name, { up: () => Promise.resolve() }]))
}
