import type { Transaction } from 'kysely'
import { reasonOf, writeReason } from '../../contract/catalogue/reasons.ts'
import { mergeLimits } from '../../contract/operations/recordings.ts'
import type { Tables } from '../storage/schema.ts'
import type { FilesDatabase, NewFile } from './files-store.ts'
import { insertTask, type MergeRow, type NewTask } from './merges-store.ts'
import { mergeTurn, runningMerges } from './merge-turn.ts'

/**
 * Merge tasks that services of a PostgreSQL give each other: each merges the files on its own disk. Those whose file
 * goes to an object store have a lease besides (`merge-leases.ts`).
 */
export type SharedMerges = ReturnType<typeof createSharedMerges>

/** Makes them; `node` is the name of this service. */
export function createSharedMerges({ db, durable, node }: FilesDatabase & { readonly node: string }) {
  return {
    /** Adds a task for a service; `busy` at the limit over all of them, `missing` when a file was deleted meanwhile. */
    add: (
      owner: string,
      task: NewTask,
      vids: readonly number[],
      file: NewFile,
      also: (transaction: Transaction<Tables>, task: MergeRow) => Promise<void>,
    ): Promise<MergeRow | 'busy' | 'missing'> =>
      durable(async (transaction) => {
        await mergeTurn(transaction, task.uid)
        if ((await runningMerges(transaction, task.uid)).length >= mergeLimits.atOnce) return 'busy'
        const different = [...new Set(vids)]
        const { there } = await transaction
          .selectFrom('recording')
          .select((query) => query.fn.countAll<number>().as('there'))
          .where('vid', 'in', different)
          .where('state', '=', 'ready')
          .executeTakeFirstOrThrow()
        if (there !== different.length) return 'missing'
        // Another service counts its own start.
        const attempts = owner === node ? 1 : 0
        const added = await insertTask(transaction, task, vids, { ...file, node: owner }, { node: owner, attempts })
        await also(transaction, added)
        return added
      }),
    /** Cancels a task of another service; returns that one's name: it deletes what it wrote, also when back. */
    cancel: (uid: number, taskId: number): Promise<Pick<MergeRow, 'node'> | 'unknown' | 'foreign'> =>
      durable(async (transaction) => {
        const task = await transaction
          .selectFrom('mergeTask')
          .selectAll()
          .where('taskId', '=', taskId)
          .executeTakeFirst()
        if (task?.state !== 'running') return 'unknown'
        if (task.uid !== uid) return 'foreign'
        // It may have been listed meanwhile.
        const { numUpdatedRows } = await transaction
          .updateTable('recording')
          .set({ state: 'removing' })
          .where('vid', '=', task.vid)
          .where('state', '=', 'merging')
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return 'unknown'
        // Of one with a lease the object store is cleaned up, by whoever has that or takes it.
        await transaction
          .deleteFrom('recording')
          .where('vid', '=', task.vid)
          .where(({ exists, selectFrom }) =>
            exists(selectFrom('mergeLease').select('taskId').where('taskId', '=', taskId)),
          )
          .execute()
        await transaction
          .updateTable('mergeTask')
          .set({ state: 'cancelled', reason: writeReason(reasonOf('merge', 'cancelled')) })
          .where('taskId', '=', taskId)
          .execute()
        return task
      }),
    /** Those of some tasks that do not run any more. */
    async ended(taskIds: readonly number[]): Promise<number[]> {
      if (taskIds.length === 0) return []
      const rows = await db
        .selectFrom('mergeTask')
        .select('taskId')
        .where('taskId', 'in', taskIds)
        .where('state', '!=', 'running')
        .execute()
      return rows.map(({ taskId }) => taskId)
    },
  }
}
