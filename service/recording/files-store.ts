import type { Kysely, Selectable, Transaction } from 'kysely'
import { createKeyedSerial } from '../../platform/serial.ts'
import type { RecordingTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { RecordedFile } from './recorded-file.ts'

/** A row of a recorded file. */
export type RecordingRow = Selectable<RecordingTable>

/** The database, and transactions that are synced to disk. */
export interface FilesDatabase {
  readonly db: Kysely<Tables>
  /** For long reads; by default `db`. */
  readonly reads?: Kysely<Tables>
  durable<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>
}

/** A file when its recording begins. */
export type NewFile = Pick<
  RecordingRow,
  'cid' | 'uid' | 'format' | 'merged' | 'slice' | 'beginTime' | 'filename' | 'codecs'
> & {
  readonly vid?: number
  readonly state: 'writing' | 'merging'
}

/** Recordings in the database; every method rejects when the store is broken. */
export type FilesStore = ReturnType<typeof createFilesStore>

/** Ids per statement, below every database's limit of parameters. */
const batch = 500
/** Files in one list; a channel makes at most 2,016 slices of 5 minutes in a week. */
const maxList = 10_000

/** Adds the row of a file that is being written; returns its number. */
export async function insertFile(db: Kysely<Tables>, file: NewFile): Promise<number> {
  const unknownYet = { endTime: 0, completed: 0, name: '', fileKey: '', bytes: 0, duration: 0 }
  const values = { ...unknownYet, ...file }
  return (await db.insertInto('recording').values(values).returning('vid').executeTakeFirstOrThrow()).vid
}

/** Makes the store. */
export function createFilesStore({ db, reads = db, durable }: FilesDatabase) {
  const listed = (from = reads) => from.selectFrom('recording').selectAll().where('state', '=', 'ready')
  const ofChannel = (cid: string, order: 'completed' | 'beginTime') =>
    listed().where('cid', '=', cid).orderBy(order).orderBy('vid').limit(maxList)
  /** By channel; a store with several connections would give the number of one slice to the next. */
  const inOrder = createKeyedSerial<string>()
  return {
    /** Numbers ascend within a channel, in the order of the calls. */
    begin: (file: NewFile) => inOrder(file.cid, () => durable((transaction) => insertFile(transaction, file))),
    /** Lists a file in one transaction with `also`; false if it was listed before. */
    complete: (file: RecordedFile, also: (transaction: Transaction<Tables>) => Promise<unknown>) =>
      durable(async (transaction) => {
        const { vid, begin, end, completed, name, key, bytes, duration } = file
        const { numUpdatedRows } = await transaction
          .updateTable('recording')
          .set({ state: 'ready', beginTime: begin, endTime: end, completed, name, fileKey: key, bytes, duration })
          .where('vid', '=', vid)
          .where('state', 'in', ['writing', 'merging'])
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await also(transaction)
        return true
      }),
    /** Deletes the row, and a deleted channel with its last file. */
    forget: (vid: number) =>
      db.transaction().execute(async (transaction) => {
        const row = await transaction.deleteFrom('recording').where('vid', '=', vid).returning('cid').executeTakeFirst()
        if (!row) return
        await transaction
          .deleteFrom('formerChannel')
          .where('cid', '=', row.cid)
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('recording').select('vid').where('recording.cid', '=', row.cid))),
          )
          .execute()
      }),
    /** Marks listed files of an application as being deleted; returns those. */
    async removing(vids: readonly number[], uid: number): Promise<RecordingRow[]> {
      const rows: RecordingRow[] = []
      for (let from = 0; from < vids.length; from += batch) {
        const removed = await db
          .updateTable('recording')
          .set({ state: 'removing' })
          .where('vid', 'in', vids.slice(from, from + batch))
          .where('state', '=', 'ready')
          .where('uid', '=', uid)
          .returningAll()
          .execute()
        rows.push(...removed)
      }
      return rows
    },
    /** Files in a state other than `ready`. */
    unfinished: (): Promise<RecordingRow[]> =>
      db
        .selectFrom('recording')
        .selectAll()
        .where('state', 'in', ['writing', 'merging', 'removing'])
        .orderBy('vid')
        .execute(),
    /** Those that are listed, in any order. */
    async ready(vids: readonly number[]): Promise<RecordingRow[]> {
      const rows: RecordingRow[] = []
      for (let from = 0; from < vids.length; from += batch) {
        const some = vids.slice(from, from + batch)
        rows.push(...(await listed(db).where('vid', 'in', some).execute()))
      }
      return rows
    },
    completedSince: (cid: string, from: number): Promise<RecordingRow[]> =>
      ofChannel(cid, 'completed').where('completed', '>=', from).execute(),
    /** Files of a channel that began within a range (inclusive), oldest first. */
    begunWithin: (cid: string, from: number, to: number): Promise<RecordingRow[]> =>
      ofChannel(cid, 'beginTime').where('beginTime', '>=', from).where('beginTime', '<=', to).execute(),
    /** Files of a channel whose recording overlaps a range, oldest first. */
    recordedWithin: (cid: string, from: number, to: number): Promise<RecordingRow[]> =>
      ofChannel(cid, 'beginTime').where('endTime', '>=', from).where('beginTime', '<=', to).execute(),
    completedBefore: (uid: number, before: number): Promise<RecordingRow[]> =>
      listed().where('uid', '=', uid).where('completed', '<', before).orderBy('completed').limit(maxList).execute(),
    /** Bytes of all listed files of an application, and its oldest ones. */
    async filled(uid: number) {
      const { total } = await reads
        .selectFrom('recording')
        .select((query) => query.fn.sum<number | null>('bytes').as('total'))
        .where('uid', '=', uid)
        .where('state', '=', 'ready')
        .executeTakeFirstOrThrow()
      return total ?? 0
    },
    oldest: (uid: number, count: number): Promise<RecordingRow[]> =>
      listed().where('uid', '=', uid).orderBy('completed').orderBy('vid').limit(count).execute(),
  }
}
