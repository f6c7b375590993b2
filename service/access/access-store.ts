import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { ChannelAccessTable, NamedLinkTable } from '../storage/access-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** A named link as it is stored. */
export type LinkRow = Readonly<Selectable<NamedLinkTable>>

/** Who may watch, in the database. */
export type AccessStore = ReturnType<typeof createAccessStore>

/** Makes the store. */
export function createAccessStore(db: Kysely<Tables>) {
  return {
    channels: (): Promise<ChannelAccessTable[]> => db.selectFrom('channelAccess').selectAll().execute(),
    links: (): Promise<Selectable<NamedLinkTable>[]> =>
      db.selectFrom('namedLink').selectAll().orderBy('linkId').execute(),
    async save(row: ChannelAccessTable): Promise<void> {
      const { cid: _cid, ...values } = row
      await db
        .insertInto('channelAccess')
        .values(row)
        .onConflict((conflict) => conflict.column('cid').doUpdateSet(values))
        .execute()
    },
    addLink: async (row: Insertable<NamedLinkTable>): Promise<number> =>
      (await db.insertInto('namedLink').values(row).returning('linkId').executeTakeFirstOrThrow()).linkId,
    async changeLink(linkId: number, values: Updateable<NamedLinkTable>): Promise<void> {
      await db.updateTable('namedLink').set(values).where('linkId', '=', linkId).execute()
    },
    async removeLink(linkId: number): Promise<void> {
      await db.deleteFrom('namedLink').where('linkId', '=', linkId).execute()
    },
    /** Forgets a deleted channel. */
    removeChannel: (cid: string): Promise<void> =>
      db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('channelAccess').where('cid', '=', cid).execute()
        await transaction.deleteFrom('namedLink').where('cid', '=', cid).execute()
      }),
  }
}
