import type { Kysely } from 'kysely'
import type { ChannelTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { createWriteBatch } from '../storage/write-batch.ts'

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
  const insert = (row: ChannelTable, executor: Kysely<Tables>): Promise<unknown> =>
    executor.executeQuery({ ...insertion, parameters: columns.map((column) => row[column]) })
  const insertBatch = createWriteBatch<ChannelTable>(async (rows) => {
    if (rows.length === 1) return void (await insert(rows[0]!, db))
    await db.transaction().execute(async (transaction) => {
      for (const row of rows) await insert(row, transaction)
    })
  })

  return {
    load: (): Promise<ChannelTable[]> => db.selectFrom('channel').selectAll().execute(),
    insert: insertBatch,
    async rename(cid: string, name: string) {
      const { numUpdatedRows } = await db.updateTable('channel').set({ name }).where('cid', '=', cid).executeTakeFirst()
      return numUpdatedRows > 0n
    },
    /** Removes a channel. Keeps its name for the file lists if it has recordings; `at` in ms. */
    remove: (cid: string, at: number) =>
      db.transaction().execute(async (transaction) => {
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
        const { numDeletedRows } = await transaction.deleteFrom('channel').where('cid', '=', cid).executeTakeFirst()
        return numDeletedRows > 0n
      }),
    setDisabled: (cids: readonly string[], disabled: boolean): Promise<string[]> =>
      db.transaction().execute(async (transaction) => {
        const changed: string[] = []
        for (let from = 0; from < cids.length; from += batch) {
          const rows = await transaction
            .updateTable('channel')
            .set({ disabled: Number(disabled) })
            .where('cid', 'in', cids.slice(from, from + batch))
            .where('disabled', '=', Number(!disabled))
            .returning('cid')
            .execute()
          for (const { cid } of rows) changed.push(cid)
        }
        return changed
      }),
    async setKey(cid: string, key: { readonly channelKey?: string; readonly keyExpires: number }) {
      await db.updateTable('channel').set(key).where('cid', '=', cid).execute()
    },
    async setRecording(cid: string, values: RecordingValues) {
      const { numUpdatedRows } = await db.updateTable('channel').set(values).where('cid', '=', cid).executeTakeFirst()
      return numUpdatedRows > 0n
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
