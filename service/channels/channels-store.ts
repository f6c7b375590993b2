import type { Kysely } from 'kysely'
import type { ChannelTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'

/** A page of channels (1-live, Channel list). */
export interface PageRequest {
  readonly uid: number
  /** From 1. */
  readonly page: number
  readonly size: number
  readonly ascending: boolean
}

/** Recording settings of a channel (1-live, setAlwaysRecord). */
export type RecordingValues = Partial<Pick<ChannelTable, 'needRecord' | 'format' | 'duration' | 'filename'>>

/** A change of channels, for database and memory. */
export type ChannelEdit =
  | { readonly kind: 'create'; readonly row: ChannelTable }
  | { readonly kind: 'rename'; readonly cid: string; readonly name: string }
  /** `at` in ms. */
  | { readonly kind: 'remove'; readonly cid: string; readonly at: number }
  | { readonly kind: 'disable' | 'enable'; readonly cids: readonly string[] }
  /** Without a key, only its expiry. */
  | { readonly kind: 'key'; readonly cid: string; readonly channelKey?: string; readonly keyExpires: number }
  | { readonly kind: 'recording'; readonly cid: string; readonly values: RecordingValues }

/** Channels in the database; every method rejects when the store is broken. */
export type ChannelStore = ReturnType<typeof createChannelStore>

/** Ids per statement, below every database's limit of parameters. */
const batch = 500

/** A row with every column, for compiling the statement once. */
const emptyRow: ChannelTable = {
  cid: '',
  uid: 0,
  name: '',
  type: 0,
  ctime: 0,
  disabled: 0,
  needRecord: 0,
  format: 0,
  duration: 0,
  filename: '',
  channelKey: '',
  keyExpires: 0,
}
const columns = Object.keys(emptyRow) as (keyof ChannelTable)[]

/** Makes the store. */
export function createChannelStore(db: Kysely<Tables>) {
  const insertion = db.insertInto('channel').values(emptyRow).compile()
  /** Keeps its name for the file lists if it has recordings. */
  const remove = async (transaction: Kysely<Tables>, cid: string, at: number): Promise<void> => {
    await transaction
      .insertInto('formerChannel')
      .columns(['cid', 'uid', 'name', 'deleted'])
      .expression((query) =>
        query
          .selectFrom('channel')
          .select(({ val }) => ['cid', 'uid', 'name', val(at).as('deleted')])
          .where('cid', '=', cid)
          .where(({ exists, selectFrom }) =>
            exists(selectFrom('recording').select('vid').where('recording.cid', '=', cid)),
          ),
      )
      .execute()
    await transaction.deleteFrom('channel').where('cid', '=', cid).execute()
  }
  const update = async (
    transaction: Kysely<Tables>,
    cids: readonly string[],
    values: Partial<ChannelTable>,
  ): Promise<void> => {
    for (let from = 0; from < cids.length; from += batch)
      await transaction
        .updateTable('channel')
        .set(values)
        .where('cid', 'in', cids.slice(from, from + batch))
        .execute()
  }

  return {
    load: (): Promise<ChannelTable[]> => db.selectFrom('channel').selectAll().execute(),
    /** Writes a change in the caller's transaction. */
    async write(transaction: Kysely<Tables>, edit: ChannelEdit): Promise<void> {
      switch (edit.kind) {
        case 'create':
          await transaction.executeQuery({ ...insertion, parameters: columns.map((column) => edit.row[column]) })
          return
        case 'rename':
          return update(transaction, [edit.cid], { name: edit.name })
        case 'remove':
          return remove(transaction, edit.cid, edit.at)
        case 'disable':
        case 'enable':
          return update(transaction, edit.cids, { disabled: edit.kind === 'disable' ? 1 : 0 })
        case 'key': {
          const { kind: _kind, cid, ...key } = edit
          return update(transaction, [cid], key)
        }
        case 'recording':
          return update(transaction, [edit.cid], edit.values)
      }
    },
    async page({
      uid,
      page,
      size,
      ascending,
    }: PageRequest): Promise<{ readonly cids: string[]; readonly total: number }> {
      const { total } = await db
        .selectFrom('channel')
        .select((query) => query.fn.countAll<number>().as('total'))
        .where('uid', '=', uid)
        .executeTakeFirstOrThrow()
      // An offset beyond 2^53 (any page number is allowed) is past the end.
      if ((page - 1) * size >= total) return { cids: [], total }
      const order = ascending ? 'asc' : 'desc'
      const rows = await db
        .selectFrom('channel')
        .select('cid')
        .where('uid', '=', uid)
        .orderBy('ctime', order)
        .orderBy('cid', order)
        .limit(size)
        .offset((page - 1) * size)
        .execute()
      return { cids: rows.map(({ cid }) => cid), total }
    },
  }
}
