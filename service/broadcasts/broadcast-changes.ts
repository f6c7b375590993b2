import type { Kysely } from 'kysely'
import type { BroadcastTable } from '../storage/broadcast-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** A change of which broadcast a channel has on air, or of its title. */
export type BroadcastChange =
  | { readonly kind: 'begin'; readonly row: BroadcastTable }
  | {
      readonly kind: 'goOn'
      readonly broadcastId: string
      readonly cid: string
      /** Absent in one of the release before. */
      readonly title?: string
      readonly at: number
      readonly node: string
      /** How the push before it ended, where that is not stored. */
      readonly before: { readonly at: number; readonly how: string } | undefined
    }
  | {
      readonly kind: 'end'
      readonly broadcastId: string
      readonly cid: string
      readonly at: number
      readonly how: string
    }
  /** Of one that is on air. */
  | { readonly kind: 'title'; readonly broadcastId: string; readonly cid: string; readonly title: string }

/** Writes the title of a broadcast. */
export async function setBroadcastTitle(
  db: Kysely<Tables>,
  { broadcastId, title }: Pick<BroadcastTable, 'broadcastId' | 'title'>,
): Promise<void> {
  await db.updateTable('broadcast').set({ title }).where('broadcastId', '=', broadcastId).execute()
}

/** Writes a change in a transaction. */
export async function writeBroadcast(transaction: Kysely<Tables>, change: BroadcastChange): Promise<void> {
  const endPush = (broadcastId: string, number: number, { at, how }: { readonly at: number; readonly how: string }) =>
    transaction
      .updateTable('broadcastPush')
      .set({ ended: at, how })
      .where('broadcastId', '=', broadcastId)
      .where('number', '=', number)
      .execute()
  const addPush = (broadcastId: string, number: number, began: number) =>
    transaction.insertInto('broadcastPush').values({ broadcastId, number, began, ended: 0, how: '' }).execute()
  if (change.kind === 'begin') {
    await transaction.insertInto('broadcast').values(change.row).execute()
    return void (await addPush(change.row.broadcastId, 1, change.row.began))
  }
  if (change.kind === 'title') return setBroadcastTitle(transaction, change)
  const { broadcastId, at } = change
  const { pushes } = await transaction
    .updateTable('broadcast')
    .set((row) =>
      change.kind === 'end'
        ? { ended: at, seen: at, how: change.how }
        : { ended: 0, seen: at, how: '', node: change.node, pushes: row('pushes', '+', 1) },
    )
    .where('broadcastId', '=', broadcastId)
    .returning('pushes')
    .executeTakeFirstOrThrow()
  if (change.kind === 'end') return void (await endPush(broadcastId, pushes, change))
  if (change.before) await endPush(broadcastId, pushes - 1, change.before)
  await addPush(broadcastId, pushes, at)
}
