import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../storage/schema.ts'
import type { FilesDatabase, RecordingRow } from './files-store.ts'
import type { RecordedFile } from './recorded-file.ts'

/** A recording on its way to the object store, and the upload of its parts; empty before the first one. */
export type UploadingFile = RecordingRow & { readonly uploadId: string }

/** Ids per statement. */
const batch = 500

/** Which service brings which recording to the object store. */
export type UploadRows = ReturnType<typeof createUploadRows>

/** By the database, as the clocks of services differ; ms. */
const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/**
 * Recordings that services of a PostgreSQL bring to an object store, each the work of one of them (`node`), which says
 * every few seconds that it is there. What a service does to a recording that is another's by now has no effect.
 * Until it is there, a recording and its row here are of the same service.
 */
export function createUploadRows({ db, durable, node = '' }: FilesDatabase) {
  const isMine = async (transaction: Kysely<Tables>, vid: number): Promise<boolean> => {
    const row = await transaction
      .selectFrom('recordingUpload')
      .select('node')
      .where('vid', '=', vid)
      .forUpdate()
      .executeTakeFirst()
    return row?.node === node
  }
  return {
    /** In the transaction that begins the recording. */
    async begun(transaction: Kysely<Tables>, vid: number): Promise<void> {
      await transaction.insertInto('recordingUpload').values({ vid, node, uploadId: '', seen: now }).execute()
    },
    /** In the transaction that forgets the recording. */
    async forgotten(transaction: Kysely<Tables>, vid: number): Promise<void> {
      await transaction.deleteFrom('recordingUpload').where('vid', '=', vid).execute()
    },
    /** Notes the upload of its parts; false when the recording is not this service's any more. */
    async note(vid: number, uploadId: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('recordingUpload')
        .set({ uploadId, seen: now })
        .where('vid', '=', vid)
        .where('node', '=', node)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    /** The file is whole on this computer; false when the recording is not this service's any more. */
    finished: ({ vid, begin, end, name, key, bytes, duration }: RecordedFile): Promise<boolean> =>
      durable(async (transaction) => {
        // One from the quarantine had no upload yet.
        await transaction
          .insertInto('recordingUpload')
          .values({ vid, node, uploadId: '', seen: now })
          .onConflict((conflict) => conflict.doNothing())
          .execute()
        if (!(await isMine(transaction, vid))) return false
        const { numUpdatedRows } = await transaction
          .updateTable('recording')
          .set({ state: 'storing', beginTime: begin, endTime: end, name, fileKey: key, bytes, duration })
          .where('vid', '=', vid)
          .where('state', 'in', ['writing', 'storing'])
          .executeTakeFirst()
        if (numUpdatedRows > 0n) return true
        await transaction.deleteFrom('recordingUpload').where('vid', '=', vid).execute()
        return false
      }),
    /** Lists a file that is in the object store, in one transaction with `also`; false as above. */
    stored: (
      { vid, completed }: RecordedFile,
      also: (transaction: Transaction<Tables>) => Promise<unknown>,
    ): Promise<boolean> =>
      durable(async (transaction) => {
        if (!(await isMine(transaction, vid))) return false
        await transaction.deleteFrom('recordingUpload').where('vid', '=', vid).execute()
        const { numUpdatedRows } = await transaction
          .updateTable('recording')
          .set({ state: 'ready', stored: 1, completed })
          .where('vid', '=', vid)
          .where('state', '=', 'storing')
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await also(transaction)
        return true
      }),
    /** Recordings that are this service's now, as their files are on its disk. */
    async takeOver(vids: readonly number[]): Promise<void> {
      for (let first = 0; first < vids.length; first += batch)
        await db
          .updateTable('recordingUpload')
          .set({ node, seen: now })
          .where('vid', 'in', vids.slice(first, first + batch))
          .execute()
    },
    /** Says that this service is there. */
    async alive(): Promise<void> {
      await db.updateTable('recordingUpload').set({ seen: now }).where('node', '=', node).execute()
    },
    /** All of this service. */
    own: (): Promise<UploadingFile[]> =>
      db
        .selectFrom('recordingUpload')
        .innerJoin('recording', 'recording.vid', 'recordingUpload.vid')
        .selectAll('recording')
        .select('uploadId')
        .where('recordingUpload.node', '=', node)
        .orderBy('recording.vid')
        .execute(),
    /** Makes one its own whose service has said nothing for `after` ms; undefined when there is none. */
    takeLost: (after: number): Promise<UploadingFile | undefined> =>
      db.transaction().execute(async (transaction) => {
        const lost = transaction
          .selectFrom('recordingUpload')
          .select('vid')
          .where('seen', '<', sql<number>`${now} - ${after}::bigint`)
          .where('node', '<>', node)
          .orderBy('seen')
          .limit(1)
          .forUpdate()
          .skipLocked()
        const taken = await transaction
          .updateTable('recordingUpload')
          .set({ node, seen: now })
          .where('vid', '=', (query) => query.selectFrom(lost.as('lost')).select('vid'))
          .returning(['vid', 'uploadId'])
          .executeTakeFirst()
        if (!taken) return undefined
        // One that is listed already has its file where it was.
        await transaction
          .updateTable('recording')
          .set({ node })
          .where('vid', '=', taken.vid)
          .where('state', 'in', ['writing', 'storing'])
          .execute()
        const row = await transaction
          .selectFrom('recording')
          .selectAll()
          .where('vid', '=', taken.vid)
          .executeTakeFirst()
        return row && { ...row, uploadId: taken.uploadId }
      }),
    /** Uploads that some service is about to complete. */
    async uploads(): Promise<Set<string>> {
      const recordings = await db.selectFrom('recordingUpload').select('uploadId').execute()
      const merges = await db.selectFrom('mergeLease').select('uploadId').execute()
      return new Set([...recordings, ...merges].map(({ uploadId }) => uploadId))
    },
  }
}
