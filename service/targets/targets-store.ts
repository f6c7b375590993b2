import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { TargetTable } from '../storage/target-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** A target as it is stored, without its key. */
export type TargetRow = Readonly<Selectable<TargetTable>>

/** Targets in the database. */
export type TargetsStore = ReturnType<typeof createTargetsStore>

/** Makes the store. */
export function createTargetsStore(db: Kysely<Tables>) {
  return {
    load: (): Promise<TargetRow[]> => db.selectFrom('target').selectAll().orderBy('targetId').execute(),
    add: async (row: Insertable<TargetTable>): Promise<number> =>
      (await db.insertInto('target').values(row).returning('targetId').executeTakeFirstOrThrow()).targetId,
    async change(targetId: number, values: Updateable<TargetTable>): Promise<void> {
      await db.updateTable('target').set(values).where('targetId', '=', targetId).execute()
    },
    async remove(targetId: number): Promise<void> {
      await db.deleteFrom('target').where('targetId', '=', targetId).execute()
    },
    async removeChannel(cid: string): Promise<void> {
      await db.deleteFrom('target').where('cid', '=', cid).execute()
    },
  }
}
