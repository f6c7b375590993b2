import type { Kysely } from 'kysely'
import type { FriendRequestTable, FriendTable, RelationTable } from '../storage/messaging-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** A change of friendships. */
export interface FriendChange {
  /** New sides. */
  readonly friends?: readonly FriendTable[]
  /** Values of sides that are there; absent ones stay. */
  readonly renamed?: readonly (Pick<FriendTable, 'uid' | 'accid' | 'friend'> & Partial<FriendTable>)[]
  /** Ended sides. */
  readonly ended?: readonly Pick<FriendTable, 'uid' | 'accid' | 'friend'>[]
  readonly requests?: readonly FriendRequestTable[]
  /** Answered or obsolete requests. */
  readonly settled?: readonly Pick<FriendRequestTable, 'uid' | 'accid' | 'friend'>[]
}

/** Reads everything, oldest request first. */
export const loadRelations = async (db: Kysely<Tables>) => ({
  friends: await db.selectFrom('friend').selectAll().execute(),
  requests: await db.selectFrom('friendRequest').selectAll().orderBy('at').execute(),
  relations: await db.selectFrom('relation').selectAll().execute(),
})

/** Everything stored. */
export type StoredRelations = Awaited<ReturnType<typeof loadRelations>>

/** Writes a change; new sides that are there already stay as they are. */
export async function writeFriends(
  executor: Kysely<Tables>,
  { friends = [], renamed = [], ended = [], requests = [], settled = [] }: FriendChange,
): Promise<void> {
  for (const { uid, accid, friend } of ended)
    await executor
      .deleteFrom('friend')
      .where((row) => row.and({ uid, accid, friend }))
      .execute()
  for (const { uid, accid, friend } of settled)
    await executor
      .deleteFrom('friendRequest')
      .where((row) => row.and({ uid, accid, friend }))
      .execute()
  if (friends.length > 0)
    await executor
      .insertInto('friend')
      .values([...friends])
      .onConflict((conflict) => conflict.columns(['uid', 'accid', 'friend']).doNothing())
      .execute()
  for (const { uid, accid, friend, ...values } of renamed)
    await executor
      .updateTable('friend')
      .set(values)
      .where((row) => row.and({ uid, accid, friend }))
      .execute()
  for (const request of requests)
    await executor
      .insertInto('friendRequest')
      .values(request)
      .onConflict((conflict) => conflict.columns(['uid', 'accid', 'friend']).doUpdateSet({ at: request.at }))
      .execute()
}

/** Adds an entry to a list, or removes it. */
export async function writeRelation(executor: Kysely<Tables>, row: RelationTable, on: boolean): Promise<void> {
  const { uid, accid, target, kind } = row
  if (on)
    await executor
      .insertInto('relation')
      .values(row)
      .onConflict((conflict) => conflict.columns(['uid', 'accid', 'target', 'kind']).doNothing())
      .execute()
  else
    await executor
      .deleteFrom('relation')
      .where((row) => row.and({ uid, accid, target, kind }))
      .execute()
}
