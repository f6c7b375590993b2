import type { Selectable, Transaction } from 'kysely'
import { writeReason, type Reason } from '../../contract/catalogue/reasons.ts'
import type { MergeTable } from '../storage/live-tables.ts'
import type { Tables } from '../storage/schema.ts'
import type { FilesDatabase, NewFile } from './files-store.ts'

/** A row of a merge task. */
export type MergeRow = Selectable<MergeTable>

/** Merge tasks in the database. */
export interface MergesStore {
  /** Stores a task with its future file. */
  add(
    task: {
      readonly uid: number
      readonly outputName: string
      readonly vids: readonly number[]
      readonly total: number
      readonly created: number
    },
    file: NewFile,
  ): Promise<MergeRow>
  /** Ends a task without a file and deletes the file's row. */
  fail(task: MergeRow, state: 'failed' | 'cancelled', reason: Reason): Promise<void>
  /** Ends a task in the transaction that lists its file. */
  done(transaction: Transaction<Tables>, taskId: number): Promise<void>
  /** Tasks interrupted by the end of the process, each with its attempts raised by one. */
  resume(): Promise<MergeRow[]>
  /** Tasks of an application, newest first. */
  list(uid: number): Promise<MergeRow[]>
}

/** Tasks kept per application. */
const keptTasks = 100

/** Makes the store. */
export function createMergesStore({ db, durable }: FilesDatabase): MergesStore {
  return {
    add: ({ uid, outputName, vids, total, created }, file) =>
      durable(async (transaction) => {
        const { vid } = await transaction
          .insertInto('recording')
          .values({ endTime: 0, completed: 0, name: '', fileKey: '', bytes: 0, duration: 0, ...file })
          .returning('vid')
          .executeTakeFirstOrThrow()
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
          .values({
            uid,
            vid,
            outputName,
            vidList: JSON.stringify(vids),
            state: 'running',
            reason: '',
            attempts: 1,
            created,
            total,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
      }),
    fail: ({ taskId, vid }, state, reason) =>
      durable(async (transaction) => {
        await transaction
          .updateTable('mergeTask')
          .set({ state, reason: writeReason(reason) })
          .where('taskId', '=', taskId)
          .execute()
        await transaction.deleteFrom('recording').where('vid', '=', vid).where('state', '=', 'merging').execute()
      }),
    async done(transaction, taskId) {
      await transaction.updateTable('mergeTask').set({ state: 'done' }).where('taskId', '=', taskId).execute()
    },
    resume: () =>
      db
        .updateTable('mergeTask')
        .set((set) => ({ attempts: set('attempts', '+', 1) }))
        .where('state', '=', 'running')
        .returningAll()
        .execute(),
    list: (uid) =>
      db
        .selectFrom('mergeTask')
        .selectAll()
        .where('uid', '=', uid)
        .orderBy('taskId', 'desc')
        .limit(keptTasks)
        .execute(),
  }
}
