import type { Kysely, Selectable } from 'kysely'
import type { TargetTable } from '../storage/target-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'

/** A target as it is stored, without its key. */
export type TargetRow = Readonly<Selectable<TargetTable>>

/** A new row; the release before this one tells no version of its key. */
type NewTarget = Omit<TargetRow, 'keyVersion'> & Partial<Pick<TargetRow, 'keyVersion'>>

/** A change of targets, for database and memory. */
export type TargetEdit = { readonly cid: string } & (
  | { readonly kind: 'add'; readonly row: NewTarget }
  | { readonly kind: 'change'; readonly targetId: number; readonly values: Partial<TargetRow> }
  | { readonly kind: 'remove'; readonly targetId: number }
  /** The channel was deleted. */
  | { readonly kind: 'forget' }
)

/** Targets in the database. */
export type TargetsStore = ReturnType<typeof createTargetsStore>

/** Makes the store. */
export function createTargetsStore({ db, newNumber }: Pick<Store, 'db' | 'newNumber'>) {
  return {
    load: (): Promise<TargetRow[]> => db.selectFrom('target').selectAll().orderBy('targetId').execute(),
    /** Number of a new target. */
    newTargetId: (): Promise<number> => newNumber('target'),
    /** Writes a change in the caller's transaction. */
    async write(transaction: Kysely<Tables>, edit: TargetEdit): Promise<void> {
      switch (edit.kind) {
        case 'add':
          await transaction.insertInto('target').values(edit.row).execute()
          return
        case 'change':
          await transaction.updateTable('target').set(edit.values).where('targetId', '=', edit.targetId).execute()
          return
        case 'remove':
          await transaction.deleteFrom('target').where('targetId', '=', edit.targetId).execute()
          return
        case 'forget':
          await transaction.deleteFrom('target').where('cid', '=', edit.cid).execute()
      }
    },
  }
}
