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

/** A task as it is asked for. */
export type NewTask = Pick<MergeRow, 'uid' | 'outputName' | 'total' | 'created'> & Partial<Pick<MergeRow, 'cut'>>

/** Adds a task with the row of its file, and removes the oldest that ended. */
export async function insertTask(
  transaction: Transaction<Tables>,
  task: NewTask,
  vids: readonly number[],
  file: NewFile,
  more: Partial<Pick<MergeRow, 'attempts' | 'node'>> = {},
): Promise<MergeRow> {
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
    .values({ ...task, vid, vidList: JSON.stringify(vids), state: 'running', reason: '', attempts: 1, ...more })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Makes the store. */
export function createMergesStore({ db, durable, node = '' }: FilesDatabase) {
  /** Those are of whoever has the lease (`merge-leases.ts`). */
  const leased = () => db.selectFrom('mergeLease').select('taskId')
  return {
    add: (task: NewTask, vids: readonly number[], file: NewFile): Promise<MergeRow> =>
      durable((transaction) => insertTask(transaction, task, vids, file)),
    /** Takes over tasks whose files this service has, from when it, or who had them then, was named otherwise. */
    async takeOver() {
      const others = await db
        .selectFrom('mergeTask')
        .select(['taskId', 'vid', 'vidList'])
        .where('state', '=', 'running')
        .where('node', node === '' ? '!=' : '=', '')
        .where('taskId', 'not in', leased())
        .execute()
      for (const { taskId, vid, vidList } of others) {
        const [first] = JSON.parse(vidList) as number[]
        const own = db.selectFrom('recording').select('vid').where('node', '=', node).where('vid', '=', first!)
        if (!(await own.executeTakeFirst())) continue
        await db.updateTable('recording').set({ node }).where('vid', '=', vid).execute()
        await db.updateTable('mergeTask').set({ node }).where('taskId', '=', taskId).execute()
      }
    },
    fail: ({ taskId, vid }: MergeRow, state: 'failed' | 'cancelled', reason: Reason) =>
      durable(async (transaction) => {
        // In the order in which a task is done, as several services may end it at once.
        await transaction
          .deleteFrom('recording')
          .where('vid', '=', vid)
          .where('state', 'in', ['merging', 'removing'])
          .execute()
        await transaction
          .updateTable('mergeTask')
          .set({ state, reason: writeReason(reason) })
          .where('taskId', '=', taskId)
          .where('state', '=', 'running')
          .execute()
      }),
    /** Ends a task in the transaction that lists its file. */
    async done(transaction: Transaction<Tables>, taskId: number) {
      await transaction.updateTable('mergeTask').set({ state: 'done' }).where('taskId', '=', taskId).execute()
    },
    /** Tasks of this service that do not run here, each with its attempts raised by one. */
    resume: (running: readonly number[] = []): Promise<MergeRow[]> =>
      db
        .updateTable('mergeTask')
        .set((set) => ({ attempts: set('attempts', '+', 1) }))
        .where('state', '=', 'running')
        .where('node', '=', node)
        .where('taskId', 'not in', leased())
        .$if(running.length > 0, (query) => query.where('taskId', 'not in', running))
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
