import { randomUUID } from 'node:crypto'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Tables } from '../storage/schema.ts'
import { writeReason, type Reason } from '../../contract/catalogue/reasons.ts'
import type { FilesDatabase } from './files-store.ts'
import type { MergeRow } from './merges-store.ts'

/** How long a merge is its run's without being renewed, in ms: then another service begins it again. */
export const mergeLease = 15_000

/** A merge that this run of this service has. */
export interface Lease {
  readonly taskId: number
  /** Of this run alone: one that lost it ends no other. */
  readonly run: string
  /** Of its object. */
  readonly key: string
  /** An upload that an earlier run began, or this one; empty for none. */
  uploadId: string
}

/** Says that a merge is another run's by now, or was ended. */
export class LostLease extends Error {}

/** By the database, as the clocks of services differ; ms. */
const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
const ahead = sql<number>`${now} + ${mergeLease}::bigint`

interface Change {
  readonly until: typeof ahead | number
  readonly run?: string
  readonly fileNode?: string
  readonly uploadId?: string
  readonly done?: number
}

/**
 * Merges whose file goes to the object store, of services that share a PostgreSQL. Each is the work of one run, which
 * renews its lease; another service begins it again when that has lapsed. The row of a lease stays until nothing of a
 * merge is left in the object store that is not listed.
 */
export function createMergeLeases({ db, durable, node = '' }: FilesDatabase) {
  const held = async (from: Kysely<Tables>, { taskId, run }: Lease, set: Change): Promise<boolean> => {
    const { numUpdatedRows } = await from
      .updateTable('mergeLease')
      .set(set)
      .where('taskId', '=', taskId)
      .where('run', '=', run)
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }
  return {
    /** In the transaction that adds the task; returns the lease when this service can begin it. */
    async begun(
      transaction: Transaction<Tables>,
      taskId: number,
      key: string,
      fileNode: string,
    ): Promise<Lease | undefined> {
      const isMine = fileNode === '' || fileNode === node
      const run = isMine ? randomUUID() : ''
      await transaction
        .insertInto('mergeLease')
        .values({ taskId, key, fileNode, run, until: isMine ? ahead : 0, uploadId: '', done: 0 })
        .execute()
      return isMine ? { taskId, run, key, uploadId: '' } : undefined
    },
    /** Takes a lease that has lapsed; undefined when there is none. A task that does not run is to be cleaned up. */
    claim: (): Promise<{ readonly lease: Lease; readonly task: MergeRow | undefined } | undefined> =>
      durable(async (transaction) => {
        const lapsed = transaction
          .selectFrom('mergeLease')
          .select('taskId')
          .where('until', '<', now)
          .where('fileNode', 'in', ['', node])
          .orderBy('until')
          .limit(1)
          .forUpdate()
          .skipLocked()
        const lease = await transaction
          .updateTable('mergeLease')
          .set({ run: randomUUID(), until: ahead, done: 0 })
          .where('taskId', '=', (query) => query.selectFrom(lapsed.as('lapsed')).select('taskId'))
          .returning(['taskId', 'run', 'key', 'uploadId'])
          .executeTakeFirst()
        if (!lease) return undefined
        const task = await transaction
          .updateTable('mergeTask')
          .set((set) => ({ node, attempts: set('attempts', '+', 1) }))
          .where('taskId', '=', lease.taskId)
          .where('state', '=', 'running')
          .returningAll()
          .executeTakeFirst()
        return { lease, task }
      }),
    /** Goes on with a merge; `cancelled` when it does not run any more, `lost` when it is another run's. */
    async renew(lease: Lease, done: number): Promise<'held' | 'cancelled' | 'lost'> {
      if (!(await held(db, lease, { until: ahead, done }))) return 'lost'
      const task = await db
        .selectFrom('mergeTask')
        .select('state')
        .where('taskId', '=', lease.taskId)
        .executeTakeFirst()
      return task?.state === 'running' ? 'held' : 'cancelled'
    },
    /** Notes the upload of its parts; rejects with `LostLease`. */
    async note(lease: Lease, uploadId: string): Promise<void> {
      if (!(await held(db, lease, { uploadId, until: ahead })))
        throw new LostLease('the merge is another service’s now')
      lease.uploadId = uploadId
    },
    /** Leaves a merge to whoever takes it next, or to the one service that can read its sources. */
    async release(lease: Lease, fileNode?: string): Promise<void> {
      await held(db, lease, { run: '', until: 0, ...(fileNode !== undefined && { fileNode }) })
    },
    /** Ends a task without a file, of which the object store may still have something; false when it is not ours. */
    failed: (
      lease: Lease,
      { taskId, vid }: MergeRow,
      state: 'failed' | 'cancelled',
      reason: Reason,
    ): Promise<boolean> =>
      durable(async (transaction) => {
        // In the order in which a task is done, as several services may end it at once.
        await transaction
          .deleteFrom('recording')
          .where('vid', '=', vid)
          .where('state', 'in', ['merging', 'removing'])
          .execute()
        if (!(await held(transaction, lease, { until: ahead }))) throw new LostLease()
        await transaction
          .updateTable('mergeTask')
          .set({ state, reason: writeReason(reason) })
          .where('taskId', '=', taskId)
          .where('state', '=', 'running')
          .execute()
        return true
      }).catch((error: unknown) => {
        if (error instanceof LostLease) return false
        throw error
      }),
    /** In the transaction that lists its file, or when nothing of it is left; rejects with `LostLease`. */
    async over(from: Kysely<Tables>, { taskId, run }: Lease): Promise<void> {
      const { numDeletedRows } = await from
        .deleteFrom('mergeLease')
        .where('taskId', '=', taskId)
        .where('run', '=', run)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw new LostLease('the merge is another service’s now')
    },
    /** Whether a recording has a row, in any state. */
    isKnown: async (vid: number): Promise<boolean> =>
      (await db.selectFrom('recording').select('vid').where('vid', '=', vid).executeTakeFirst()) !== undefined,
    /** Bytes that are stored, by task. */
    async progress(taskIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
      if (taskIds.length === 0) return new Map()
      const rows = await db.selectFrom('mergeLease').select(['taskId', 'done']).where('taskId', 'in', taskIds).execute()
      return new Map(rows.map(({ taskId, done }) => [taskId, done]))
    },
  }
}
