import type { Selectable, Transaction } from 'kysely'
import { writeReason, type Reason } from '../../contract/catalogue/reasons.ts'
import type { MergeTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'
import { insertFile, type FilesDatabase, type NewFile } from './files-store.ts'

/** A row of a merge task. */
export type MergeRow = Selectable<MergeTable>

/** Merge tasks in the database. */
export type MergesStore = ReturnType<typeof createMergesStore>

/** Tasks kept per application. */
const keptTasks = 100

/** Makes the store. */
export function createMergesStore({ db, durable }: FilesDatabase) {
  return {
    add: (
      task: Pick<MergeRow, 'uid' | 'outputName' | 'total' | 'created'>,
      vids: readonly number[],
      file: NewFile,
    ): Promise<MergeRow> =>
      durable(async (transaction) => {
        const { uid } = task
        const vid = await insertFile(transaction, file)
        const old = await transaction
          .selectFrom('mergeTask')
          .select('taskId')
          .where('uid', '=', uid)
          .orderBy('taskId', 'desc')
          .offset(keptTasks - 1)
          .limit(1)
          .executeTakeFirst()
        if (old)
          await transaction
            .deleteFrom('mergeTask')
            .where('uid', '=', uid)
            .where('taskId', '<=', old.taskId)
            .where('state', '!=', 'running')
            .execute()
        return transaction
          .insertInto('mergeTask')
          .values({ ...task, vid, vidList: JSON.stringify(vids), state: 'running', reason: '', attempts: 1 })
          .returningAll()
          .executeTakeFirstOrThrow()
      }),
    fail: ({ taskId, vid }: MergeRow, state: 'failed' | 'cancelled', reason: Reason) =>
      durable(async (transaction) => {
        await transaction
          .updateTable('mergeTask')
          .set({ state, reason: writeReason(reason) })
          .where('taskId', '=', taskId)
          .execute()
        await transaction.deleteFrom('recording').where('vid', '=', vid).where('state', '=', 'merging').execute()
      }),
    /** Ends a task in the transaction that lists its file. */
    async done(transaction: Transaction<Tables>, taskId: number) {
      await transaction.updateTable('mergeTask').set({ state: 'done' }).where('taskId', '=', taskId).execute()
    },
    /** Tasks interrupted by the end of the process, each with its attempts raised by one. */
    resume: (): Promise<MergeRow[]> =>
      db
        .updateTable('mergeTask')
        .set((set) => ({ attempts: set('attempts', '+', 1) }))
        .where('state', '=', 'running')
        .returningAll()
        .execute(),
    list: (uid: number): Promise<MergeRow[]> =>
      db
        .selectFrom('mergeTask')
        .selectAll()
        .where('uid', '=', uid)
        .orderBy('taskId', 'desc')
        .limit(keptTasks)
        .execute(),
  }
}
