import type { Clock } from '../../platform/clock.ts'
import type { Transaction } from 'kysely'
import { readReason, reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { mergeLimits } from '../../contract/operations/recordings.ts'
import { readCut, writeClip } from './clip.ts'
import type { FileSystem } from './file-system.ts'
import type { FarMerges } from './far-merges.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { Lease } from './merge-leases.ts'
import { maxAttempts, mergeFailureOf, type MergeRun } from './merge-run.ts'
import { createMergeSources, cutBytes, uncuttable, type MergeRefusal } from './merge-sources.ts'
import type { MergeRow, MergesStore } from './merges-store.ts'
import { fileKey } from './record-names.ts'
import type { FileListener, RecordedFile } from './recorded-file.ts'
import type { OtherNodes } from './other-nodes.ts'
import type { SharedMerges } from './shared-merges.ts'
import type { RecordingFolder } from './recording-folder.ts'
import type { Spans } from '../tracing/spans.ts'
import type { CutRange, WorkResult } from './work.ts'
import { WorkFault, type Workers } from './workers.ts'
import type { Tables } from '../storage/schema.ts'
import { objectKey } from './storing.ts'
import { createKeyedSerial } from '../../platform/serial.ts'

/** A task as listed; sizes in bytes. */
export interface MergeTask {
  readonly taskId: number
  readonly vid: number
  readonly outputName: string
  readonly state: string
  readonly reason?: ReasonOf<'merge'>
  readonly done: number
  readonly total: number
  /** A part is cut out. */
  readonly clip: boolean
}

/** Merges of finished files (1-live, Rules 2; behaviour.md#merging). */
export type Merges = ReturnType<typeof createMerges>

/** Options of merges. */
export interface MergesOptions {
  readonly files: FilesStore
  readonly tasks: Omit<MergesStore, 'takeOver'>
  readonly disk: Pick<FileSystem, 'size' | 'remove'>
  /** Of a cluster; absent for a service that is alone. */
  readonly others?: OtherNodes | undefined
  /** Of services that share a PostgreSQL with others, or an object store. */
  readonly shared?: SharedMerges | undefined
  /** Where merged files go; to the disk when absent. */
  readonly far?: FarMerges | undefined
  readonly folder: RecordingFolder
  readonly workers: Pick<Workers, 'run'>
  readonly space: () => number
  readonly clock: Clock
  readonly listener: FileListener
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  /** Follows each merge. */
  readonly spans?: Spans | undefined
}

/** Concurrent tasks of an application (1-live Limits). */
export const mergesAtOnce = mergeLimits.atOnce
/** Makes the merges. */
export function createMerges(options: MergesOptions) {
  const { files, tasks, disk, folder, workers, space, clock, listener, log, others, shared, far, spans } = options
  const sourceFiles = createMergeSources({ files, disk, folder, self: others?.self, isFar: far !== undefined })
  const running = new Map<number, MergeRun>()
  /** Serializes calls of each application, so that the limit refuses the latest arrival. */
  const inTurn = createKeyedSerial<number>()
  let closing = false
  const runningOf = (uid: number): number => [...running.values()].filter(({ task }) => task.uid === uid).length

  const complete = async (
    { taskId, vid, uid, outputName, cut }: MergeRow,
    sources: readonly RecordingRow[],
    result: WorkResult,
    lease?: Lease,
  ): Promise<void> => {
    const completed = clock.now()
    const { cid, beginTime, merged } = sources[0]!
    const range = readCut(cut)
    const { from = 0, early = 0 } = result
    const file: RecordedFile = {
      vid,
      cid,
      uid,
      name: outputName,
      key: fileKey({ cid, begin: completed, end: completed, vid, slice: 0, format: 'mp4' }),
      begin: completed,
      end: completed,
      completed,
      format: 'mp4',
      bytes: result.bytes,
      duration: result.duration,
      merged: true,
      ...(range && {
        clip: writeClip({
          vids: sources.map((source) => source.vid),
          from,
          to: sources.length === 1 ? from + result.duration : Math.min(range.to, sources.at(-1)!.duration),
          early,
          ...(merged === 0 && { begin: beginTime + from }),
        }),
      }),
    }
    const also = async (transaction: Transaction<Tables>): Promise<void> => {
      if (lease) await far?.over(transaction, lease)
      await tasks.done(transaction, taskId)
      await listener.enqueue(transaction, file)
    }
    const listed = await files.complete(file, also, lease !== undefined)
    if (listed) listener.onFile(file, true)
    // Cancelled by another service; one that is listed already stays.
    else if (shared && (await files.ready([vid])).length === 0) throw new WorkFault('CANCELLED', 'it was cancelled')
  }

  const work = async (run: MergeRun): Promise<void> => {
    const { task, vids, abort } = run
    let paths: { readonly temporary: string; readonly target: string } | undefined
    try {
      const sources = await sourceFiles.find(task.uid, vids)
      if (!Array.isArray(sources)) throw new WorkFault('SOURCE', (sources as MergeRefusal).reason)
      const { cid } = sources[0]!
      const place = { cid, vid: task.vid, format: 0 }
      paths = { temporary: folder.temporary(place), target: folder.file(place) }
      if (task.attempts > maxAttempts) throw new WorkFault('ATTEMPTS', 'it was interrupted too often')
      if (task.total > space()) throw new WorkFault('ENOSPC', 'there is not enough room on the disk')
      const result = await workers.run(
        { kind: 'merge', sources: sources.map((row) => folder.file(row)), ...paths, range: readCut(task.cut) },
        {
          signal: abort.signal,
          progress: (done) => {
            run.done = Math.min(done, task.total)
          },
        },
      )
      await complete(task, sources, result)
      log.info({ taskId: task.taskId, vid: task.vid, ...result }, 'files were merged')
    } catch (error) {
      // Deletes what was written. A task interrupted by closing stays for the next start.
      for (const path of paths ? [paths.temporary, paths.target] : []) await disk.remove(path).catch(() => undefined)
      if (error instanceof WorkFault && error.code === 'CANCELLED') run.cancelled = true
      if (closing && !run.cancelled) return
      const reason = run.cancelled ? reasonOf('merge', 'cancelled') : mergeFailureOf(error)
      run.fault = reason.code
      if (!run.cancelled) log.warn({ err: error, taskId: task.taskId }, 'a merge failed')
      await tasks
        .fail(task, run.cancelled ? 'cancelled' : 'failed', reason)
        .catch((fault: unknown) => log.warn({ err: fault, taskId: task.taskId }, 'a merge task could not be ended'))
    }
  }
  const workFar = (run: MergeRun, lease: Lease): Promise<void> =>
    far!.work(run, lease, {
      find: (uid, vids) => sourceFiles.find(uid, vids),
      complete: (sources, result) => complete(run.task, sources, result, lease),
      isClosing: () => closing,
    })
  const launch = (task: MergeRow, lease?: Lease): void => {
    if (running.has(task.taskId)) return
    const run: MergeRun = {
      task,
      vids: JSON.parse(task.vidList) as number[],
      abort: new AbortController(),
      cancelled: false,
      done: 0,
      over: Promise.resolve(),
    }
    running.set(task.taskId, run)
    const working = (): Promise<void> =>
      (lease ? workFar(run, lease) : work(run)).finally(() => running.delete(task.taskId))
    run.over = spans
      ? spans.within(
          {
            name: 'merge',
            kind: 'internal',
            attributes: { 'sidestage.merge.id': task.taskId, 'sidestage.merge.files': run.vids.length },
          },
          working,
          () => ({ attributes: { 'sidestage.merge.bytes': run.done }, fault: run.fault }),
        )
      : working()
  }

  /** Adds a task and begins it. Calls of an application are decided in order of arrival. */
  const add = (
    uid: number,
    outputName: string,
    vids: readonly number[],
    range?: CutRange,
  ): Promise<MergeRefusal | MergeRow> =>
    inTurn(uid, async () => {
      const sources = await sourceFiles.find(uid, vids)
      if (!Array.isArray(sources)) return sources as MergeRefusal
      const misfit = sourceFiles.unfit(sources) ?? (range && uncuttable(sources, range))
      if (misfit) return misfit
      const busy = { kind: 'busy', reason: `${mergesAtOnce} merges are running` } as const
      if (!shared && runningOf(uid) >= mergesAtOnce) return busy
      const total = range ? cutBytes(sources, range) : sources.reduce((sum, { bytes }) => sum + bytes, 0)
      const { cid, codecs } = sources[0]!
      const onDisk = sources.find(({ stored }) => stored !== 1)
      const node = onDisk?.node ?? others?.self ?? ''
      const now = clock.now()
      const file = {
        cid,
        uid,
        state: 'merging' as const,
        format: 0,
        merged: 1,
        slice: 0,
        beginTime: now,
        filename: outputName,
        codecs,
      }
      const given = { uid, outputName, total, created: now, ...(range && { cut: JSON.stringify(range) }) }
      let lease: Lease | undefined
      const leased = async (transaction: Transaction<Tables>, added: MergeRow): Promise<void> => {
        const key = objectKey({ cid, vid: added.vid, format: 0 })
        lease = await far?.begun(transaction, added.taskId, key, onDisk?.node ?? '')
      }
      const task = shared ? await shared.add(node, given, vids, file, leased) : await tasks.add(given, vids, file)
      if (task === 'busy') return busy
      if (task === 'missing') return { kind: 'missing', reason: 'a file was deleted meanwhile' }
      if (far ? lease : !onDisk || sourceFiles.isHere(onDisk)) launch(task, lease)
      else others?.hurry([node])
      return task
    })

  return {
    /** Begins a merge; undefined on success. */
    async begin(uid: number, outputName: string, vids: readonly number[]): Promise<MergeRefusal | undefined> {
      const added = await add(uid, outputName, vids)
      return 'kind' in added ? added : undefined
    },
    /** Begins to cut a range out of files of one channel, which makes a clip. */
    trim: add,
    async list(uid: number): Promise<MergeTask[]> {
      const rows = await tasks.list(uid)
      const elsewhere = rows.filter(({ taskId, state }) => state === 'running' && !running.has(taskId))
      const stored = await far?.progress(elsewhere.map(({ taskId }) => taskId))
      return rows.map(({ taskId, vid, outputName, state, reason: kept, total, cut }) => {
        const reason = readReason('merge', kept)
        const known = running.get(taskId)?.done ?? stored?.get(taskId) ?? 0
        const done = state === 'done' ? total : Math.min(known, total)
        return { taskId, vid, outputName, state, ...(reason && { reason }), done, total, clip: cut !== '' }
      })
    },
    /** Stops a running task; `unknown` when there is none, `foreign` when it is another application's. */
    async cancel(uid: number, taskId: number): Promise<'unknown' | 'foreign' | undefined> {
      const run = running.get(taskId)
      if (!run) {
        const elsewhere = shared ? await shared.cancel(uid, taskId) : 'unknown'
        if (typeof elsewhere === 'string') return elsewhere
        others?.hurry([elsewhere.node])
        return undefined
      }
      if (run.task.uid !== uid) return 'foreign'
      run.cancelled = true
      run.abort.abort()
      await run.over
      return undefined
    },
    /** Those that run. */
    count: (): number => running.size,
    uses: (vid: number) => [...running.values()].some(({ vids }) => vids.includes(vid)),
    /** Continues the tasks of an earlier process. */
    async start() {
      for (const task of await tasks.resume()) launch(task)
      far?.start(() => running.size, launch)
    },
    /** Begins what other services added for this one, and stops what they cancelled. */
    async look() {
      for (const taskId of (await shared?.ended([...running.keys()])) ?? []) {
        const run = running.get(taskId)
        if (!run) continue
        run.cancelled = true
        run.abort.abort()
      }
      for (const task of await tasks.resume([...running.keys()])) if (!closing) launch(task)
      far?.look()
    },
    /** Stops running tasks; the next start continues them. */
    async close() {
      closing = true
      far?.close()
      await inTurn.idle()
      const all = [...running.values()]
      for (const { abort } of all) abort.abort()
      await Promise.all(all.map(({ over }) => over))
    },
  }
}
