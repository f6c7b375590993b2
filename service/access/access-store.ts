import type { Kysely, Selectable } from 'kysely'
import type { ChannelAccessTable, NamedLinkTable } from '../storage/access-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { freshAccess } from './access-changes.ts'

/** A named link as it is stored. */
export type LinkRow = Readonly<Selectable<NamedLinkTable>>

/** A change of who may watch a channel, for database and memory. */
export type AccessEdit = { readonly cid: string } & (
  | { readonly kind: 'rules'; readonly values: Partial<ChannelAccessTable> }
  | { readonly kind: 'addLink'; readonly row: LinkRow }
  | { readonly kind: 'changeLink'; readonly linkId: number; readonly values: Partial<LinkRow> }
  /** Somebody began with it, at a time in ms; `by` is what they use. */
  | { readonly kind: 'useLink'; readonly linkId: number; readonly at: number; readonly by: string }
  | { readonly kind: 'removeLink'; readonly linkId: number }
  /** The channel was deleted. */
  | { readonly kind: 'forget' }
)

/** Who may watch, in the database. */
export type AccessStore = ReturnType<typeof createAccessStore>

/** Makes the store. */
export function createAccessStore({ db, newNumber }: Pick<Store, 'db' | 'newNumber'>) {
  const changeLink = async (transaction: Kysely<Tables>, linkId: number, values: Partial<LinkRow>): Promise<void> => {
    await transaction.updateTable('namedLink').set(values).where('linkId', '=', linkId).execute()
  }
  return {
    channels: (): Promise<ChannelAccessTable[]> => db.selectFrom('channelAccess').selectAll().execute(),
    links: (): Promise<LinkRow[]> => db.selectFrom('namedLink').selectAll().orderBy('linkId').execute(),
    /** Number of a new link. */
    newLinkId: (): Promise<number> => newNumber('namedLink'),
    /** Writes a change in the caller's transaction. */
    async write(transaction: Kysely<Tables>, edit: AccessEdit): Promise<void> {
      const { cid } = edit
      switch (edit.kind) {
        case 'rules': {
          const { cid: _cid, ...values } = edit.values
          await transaction
            .insertInto('channelAccess')
            .values({ ...freshAccess(cid), ...values })
            .onConflict((conflict) => conflict.column('cid').doUpdateSet(values))
            .execute()
          return
        }
        case 'addLink':
          await transaction.insertInto('namedLink').values(edit.row).execute()
          return
        case 'changeLink':
          return changeLink(transaction, edit.linkId, edit.values)
        case 'useLink':
          return changeLink(transaction, edit.linkId, { lastUsed: edit.at, lastUsedBy: edit.by })
        case 'removeLink':
          await transaction.deleteFrom('namedLink').where('linkId', '=', edit.linkId).execute()
          return
        case 'forget':
          await transaction.deleteFrom('channelAccess').where('cid', '=', cid).execute()
          await transaction.deleteFrom('namedLink').where('cid', '=', cid).execute()
          return
      }
    },
  }
}
