import type { Kysely, Transaction } from 'kysely'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { Clock } from '../../platform/clock.ts'
import { repeated } from '../../platform/repeated.ts'
import { inBackground } from '../background.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Tables } from '../storage/schema.ts'
import { readCut } from './clip.ts'
import type { FilesDatabase, RecordingRow } from './files-store.ts'
import { createMergeLeases, mergeLease, type Lease } from './merge-leases.ts'
import { maxAttempts, mergeFailureOf, type MergeRun } from './merge-run.ts'
import type { MergeRefusal } from './merge-sources.ts'
import type { MergeRow } from './merges-store.ts'
import type { OtherNodes } from './other-nodes.ts'
import type { RecordingFolder } from './recording-folder.ts'
import { mergeIntoStore } from './store-merge.ts'
import type { WorkResult } from './work.ts'
import { WorkFault, type Workers } from './workers.ts'

/** Merges into an object store. */
export type FarMerges = ReturnType<typeof createFarMerges>

/** How often a lease is renewed with the progress, and lapsed ones are looked for, in ms. */
const renewEvery = 2000
const lookEvery = 5000
/** With so many running here, those that others left are left to others. */
const mostHere = 8

/**
 * Runs merges whose file goes to an object store, of services that share it. Whoever is asked begins, unless a source
 * is on the disk of another one; when its lease lapses, another service begins again, with an upload of its own.
 */
export function createFarMerges(
  options: FilesDatabase & {
    readonly blobs: Blobs
    readonly folder: RecordingFolder
    readonly workers: Pick<Workers, 'run'>
    readonly others: OtherNodes | undefined
    readonly clock: Clock
    readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  },
) {
  const { blobs, folder, workers, others, clock, log, db, node = '' } = options
  const leases = createMergeLeases(options)
  let looking: Promise<void> | undefined
  let stop = (): void => {}
  let closed = false

  /** Removes what there may be of a merge that has no file. */
  const clean = async (lease: Lease): Promise<void> => {
    if (lease.uploadId !== '') await blobs.abort(lease.key, lease.uploadId)
    await blobs.remove(lease.key)
    await leases.over(db, lease)
  }
  /** Ends a run without a file, if it is still this run's. */
  const failed = async (run: MergeRun, lease: Lease, error: unknown, isMade: boolean): Promise<void> => {
    const { task } = run
    if (error instanceof WorkFault && error.code === 'CANCELLED') run.cancelled = true
    const reason = run.cancelled ? reasonOf('merge', 'cancelled') : mergeFailureOf(error)
    run.fault = reason.code
    if (await leases.failed(lease, task, run.cancelled ? 'cancelled' : 'failed', reason)) {
      if (!run.cancelled) log.warn({ err: error, taskId: task.taskId }, 'a merge failed')
      inBackground(clean(lease), log, 'removing what was stored of a merge')
      return
    }
    log.warn({ taskId: task.taskId }, 'another service has this merge now')
    if (lease.uploadId !== '') await blobs.abort(lease.key, lease.uploadId)
    // It may have been listed and deleted meanwhile.
    if (isMade && !(await leases.isKnown(task.vid))) await blobs.remove(lease.key)
  }

  const work = async (
    run: MergeRun,
    lease: Lease,
    merges: {
      readonly find: (uid: number, vids: readonly number[]) => Promise<RecordingRow[] | MergeRefusal>
      readonly complete: (sources: readonly RecordingRow[], result: WorkResult) => Promise<void>
      readonly isClosing: () => boolean
    },
  ): Promise<void> => {
    const { task, vids, abort } = run
    const { signal } = abort
    let held = clock.monotonic()
    const renew = async (): Promise<void> => {
      const asked = clock.monotonic()
      const state = await leases.renew(lease, run.done)
      if (state === 'held') held = asked
      else {
        run.cancelled ||= state === 'cancelled'
        abort.abort()
      }
    }
    const stopRenewing = repeated(clock, renewEvery, () => {
      if (clock.monotonic() - held > mergeLease) abort.abort()
      else inBackground(renew(), log, 'renewing a merge')
    })
    let isMade = false
    try {
      if (lease.uploadId !== '')
        inBackground(blobs.abort(lease.key, lease.uploadId), log, 'ending the upload of an earlier run')
      const sources = await merges.find(task.uid, vids)
      if (!Array.isArray(sources)) throw new WorkFault('SOURCE', (sources as MergeRefusal).reason)
      if (task.attempts > maxAttempts) throw new WorkFault('ATTEMPTS', 'it was interrupted too often')
      const elsewhere = sources.find((row) => row.stored !== 1 && row.node !== node)
      if (elsewhere) {
        await leases.release(lease, elsewhere.node)
        others?.hurry([elsewhere.node])
        return
      }
      const result = await mergeIntoStore({
        blobs,
        folder,
        workers,
        clock,
        key: lease.key,
        sources,
        range: readCut(task.cut),
        begun: (upload) => leases.note(lease, upload),
        async completing() {
          await renew()
          if (signal.aborted) throw new WorkFault('ABORT_ERR', 'stopped')
          isMade = true
        },
        progress: (done) => {
          run.done = done
        },
        signal,
      })
      await merges.complete(sources, result)
      log.info({ taskId: task.taskId, vid: task.vid, bytes: result.bytes }, 'files were merged in the object store')
    } catch (error) {
      const ended = merges.isClosing() && !run.cancelled ? leases.release(lease) : failed(run, lease, error, isMade)
      // The lease lapses then.
      await ended.catch((fault: unknown) => log.warn({ err: fault, taskId: task.taskId }, 'a merge could not be ended'))
    } finally {
      stopRenewing()
    }
  }

  const takeLapsed = async (running: () => number, launch: (task: MergeRow, lease: Lease) => void): Promise<void> => {
    while (!closed && running() < mostHere) {
      const claimed = await leases.claim()
      if (!claimed) return
      const { lease, task } = claimed
      if (task) launch(task, lease)
      else inBackground(clean(lease), log, 'removing what was stored of a merge')
    }
  }
  let look = (): void => {}

  return {
    /** In the transaction that adds a task; returns the lease when it is this service's to begin. */
    begun: (transaction: Transaction<Tables>, taskId: number, key: string, fileNode: string) =>
      leases.begun(transaction, taskId, key, fileNode),
    /** In the transaction that lists its file. */
    over: (transaction: Kysely<Tables>, lease: Lease) => leases.over(transaction, lease),
    /** Bytes that are stored, by task. */
    progress: leases.progress,
    work,
    /** From now on takes what other services left. */
    start(running: () => number, launch: (task: MergeRow, lease: Lease) => void) {
      look = () => {
        if (closed) return
        looking ??= takeLapsed(running, launch).finally(() => {
          looking = undefined
        })
        inBackground(looking, log, 'looking for merges that were left')
      }
      stop = repeated(clock, lookEvery, () => look())
      look()
    },
    look: () => look(),
    close() {
      closed = true
      stop()
    },
  }
}
