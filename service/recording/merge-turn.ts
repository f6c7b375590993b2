import { sql, type Kysely } from 'kysely'
import type { Tables } from '../storage/schema.ts'

/** Until its transaction ends, no other service of the cluster begins merges of an application or deletes its files. */
export const mergeTurn = (transaction: Kysely<Tables>, uid: number) =>
  sql`select pg_advisory_xact_lock(hashtextextended(current_schema() || ' merges ' || ${String(uid)}, 0))`.execute(
    transaction,
  )

/** Sources of the merges of an application that run. */
export const runningMerges = (transaction: Kysely<Tables>, uid: number) =>
  transaction.selectFrom('mergeTask').select('vidList').where('uid', '=', uid).where('state', '=', 'running').execute()

/** Files that merges of an application read, on any service of the cluster; they stay so until the transaction ends. */
export async function readByMerges(transaction: Kysely<Tables>, uid: number): Promise<ReadonlySet<number>> {
  await mergeTurn(transaction, uid)
  return new Set((await runningMerges(transaction, uid)).flatMap(({ vidList }) => JSON.parse(vidList) as number[]))
}
