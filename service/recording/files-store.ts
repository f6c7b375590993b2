import type { Kysely, Selectable, Transaction } from 'kysely'
import { createKeyedSerial } from '../../platform/serial.ts'
import type { RecordingTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { readByMerges } from './merge-turn.ts'
import type { RecordedFile } from './recorded-file.ts'

/** A row of a recorded file. */
export type RecordingRow = Omit<Selectable<RecordingTable>, 'stored' | 'clip'> & {
  readonly stored?: number
  readonly clip?: string
}

/** The database, and transactions that are synced to disk. */
export interface FilesDatabase {
  readonly db: Kysely<Tables>
  /** For long reads; by default `db`. */
  readonly reads?: Kysely<Tables>
  durable<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Name of this service in a cluster; empty, as by default, for one that is alone. Each has files of its own. */
  readonly node?: string
}

/** What else is stored with files that services bring to an object store. */
export interface FarRows {
  begun(transaction: Transaction<Tables>, vid: number): Promise<void>
  forgotten(transaction: Transaction<Tables>, vid: number): Promise<void>
  takeOver(vids: readonly number[]): Promise<void>
  watch(file: { readonly vid: number; readonly cid: string; readonly format: number }): void
  dropped(vid: number): void
}

/** A file when its recording begins. */
export type NewFile = Pick<
  RecordingRow,
  'cid' | 'uid' | 'format' | 'merged' | 'slice' | 'beginTime' | 'filename' | 'codecs'
> & {
  readonly vid?: number
  readonly node?: string
  readonly clip?: string
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
export function createFilesStore({ db, reads = db, durable, node = '' }: FilesDatabase, far?: FarRows) {
  const listed = (from = reads) => from.selectFrom('recording').selectAll().where('state', '=', 'ready')
  const ofChannel = (cid: string, order: 'completed' | 'beginTime') =>
    listed().where('cid', '=', cid).orderBy(order).orderBy('vid').limit(maxList)
  /** By channel; a store with several connections would give the number of one slice to the next. */
  const inOrder = createKeyedSerial<string>()
  const markRemoving = async (from: Kysely<Tables>, vids: readonly number[], uid: number): Promise<RecordingRow[]> => {
    const rows: RecordingRow[] = []
    for (let first = 0; first < vids.length; first += batch) {
      const removed = await from
        .updateTable('recording')
        .set((set) => ({
          state: 'removing',
          // Whoever is asked removes what is in the object store, also at its next start.
          ...(far && { node: set.case().when('stored', '=', 1).then(node).else(set.ref('node')).end() }),
        }))
        .where('vid', 'in', vids.slice(first, first + batch))
        .where('state', '=', 'ready')
        .where('uid', '=', uid)
        .returningAll()
        .execute()
      rows.push(...removed)
    }
    return rows
  }
  return {
    /** Numbers ascend within a channel, in the order of the calls. */
    begin: (file: NewFile) =>
      inOrder(file.cid, async () => {
        const vid = await durable(async (transaction) => {
          const added = await insertFile(transaction, { ...file, node })
          await far?.begun(transaction, added)
          return added
        })
        far?.watch({ ...file, vid })
        return vid
      }),
    /** Lists a file in one transaction with `also`; false if it was listed before. */
    complete: (file: RecordedFile, also: (transaction: Transaction<Tables>) => Promise<unknown>, isStored = false) =>
      durable(async (transaction) => {
        const { vid, begin, end, completed, name, key, bytes, duration, clip } = file
        const { numUpdatedRows } = await transaction
          .updateTable('recording')
          .set({ state: 'ready', beginTime: begin, endTime: end, completed, name, fileKey: key, bytes, duration })
          .$if(clip !== undefined, (query) => query.set({ clip: clip! }))
          .$if(isStored, (query) => query.set({ stored: 1, node }))
          .where('vid', '=', vid)
          .where('state', 'in', ['writing', 'merging'])
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await also(transaction)
        return true
      }),
    /** Deletes the row, and a deleted channel with its last file. */
    async forget(vid: number) {
      await db.transaction().execute(async (transaction) => {
        await far?.forgotten(transaction, vid)
        const row = await transaction.deleteFrom('recording').where('vid', '=', vid).returning('cid').executeTakeFirst()
        if (!row) return
        await transaction
          .deleteFrom('formerChannel')
          .where('cid', '=', row.cid)
          .where(({ not, exists, selectFrom }) =>
            not(exists(selectFrom('recording').select('vid').where('recording.cid', '=', row.cid))),
          )
          .execute()
      })
      far?.dropped(vid)
    },
    /** Marks listed files of an application as being deleted, but for what merges read elsewhere; returns those. */
    removing: (vids: readonly number[], uid: number): Promise<RecordingRow[]> =>
      node === '' && !far
        ? markRemoving(db, vids, uid)
        : db.transaction().execute(async (transaction) => {
            const isRead = await readByMerges(transaction, uid)
            return markRemoving(
              transaction,
              vids.filter((vid) => !isRead.has(vid)),
              uid,
            )
          }),
    /** Takes files over from another service, or from a time when this one was named otherwise. */
    async takeOver(vids: readonly number[]) {
      await far?.takeOver(vids)
      for (let first = 0; first < vids.length; first += batch)
        await db
          .updateTable('recording')
          .set({ node })
          .where('vid', 'in', vids.slice(first, first + batch))
          .execute()
    },
    /** Files of this service in a state other than `ready`. */
    unfinished: (): Promise<RecordingRow[]> =>
      db
        .selectFrom('recording')
        .selectAll()
        .where('state', 'in', ['writing', 'merging', 'removing'])
        .where('node', '=', node)
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
    /** Names a clip; false when there is none of that number. */
    async rename(vid: number, name: string) {
      const { numUpdatedRows } = await db
        .updateTable('recording')
        .set({ name, filename: name })
        .where('vid', '=', vid)
        .where('state', '=', 'ready')
        .where('clip', '!=', '')
        .executeTakeFirst()
      return numUpdatedRows > 0n
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
