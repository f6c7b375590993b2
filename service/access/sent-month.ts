import type { Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** Adds to what was sent in a month, which several services may do; the sum. */
export async function addSent(db: Kysely<Tables>, row: Tables['sentMonth']): Promise<number> {
  const { bytes } = await db
    .insertInto('sentMonth')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['uid', 'month']).doUpdateSet(({ eb }) => ({ bytes: eb('sentMonth.bytes', '+', row.bytes) })),
    )
    .returning('bytes')
    .executeTakeFirstOrThrow()
  return bytes
}
