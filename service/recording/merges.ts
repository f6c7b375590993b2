import type { Clock } from '../../platform/clock.ts'
import { readReason, reasonOf, reasons, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { mergeLimits } from '../../contract/operations/recordings.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { MergeRow, MergesStore } from './merges-store.ts'
import { fileKey } from './record-names.ts'
import type { FileListener, RecordedFile } from './recorded-file.ts'
import type { RecordingFolder } from './recording-folder.ts'
import { WorkFault, type Workers } from './workers.ts'
import { createKeyedSerial } from '../../platform/serial.ts'

/** Why a merge is refused: a file is missing, the files do not fit together, or too many merges run. */
export type MergeRefusal = { readonly kind: 'missing' | 'unfit' | 'busy'; readonly reason: string }

/** A task as listed; sizes in bytes. */
export interface MergeTask {
  readonly taskId: number
  readonly outputName: string
  readonly state: string
  readonly reason?: ReasonOf<'merge'>
  readonly done: number
  readonly total: number
}

/** Merges of finished files (1-live, Rules 2; behaviour.md#merging). */
export type Merges = ReturnType<typeof createMerges>

/** Options of merges. */
export interface MergesOptions {
  readonly files: FilesStore
  readonly tasks: MergesStore
  readonly disk: Pick<FileSystem, 'size' | 'remove'>
  readonly folder: RecordingFolder
  readonly workers: Pick<Workers, 'run'>
  readonly space: () => number
  readonly clock: Clock
  readonly listener: FileListener
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
}

/** Concurrent tasks of an application (1-live Limits). */
export const mergesAtOnce = mergeLimits.atOnce
/** Total length of the sources, in ms (1-live Limits: 4 hours). */
export const maxMergeDuration = mergeLimits.duration
/** Attempts before an interrupted task fails. */
const maxAttempts = 3

const failures: Readonly<Record<string, Exclude<keyof typeof reasons.merge, 'disk'>>> = {
  ATTEMPTS: 'attempts',
  ENOSPC: 'room',
  EDQUOT: 'room',
  EROFS: 'readonly',
  EACCES: 'readonly',
  EPERM: 'readonly',
  ENOENT: 'source',
  SOURCE: 'source',
  BROKEN: 'damaged',
}

/** Failure reason of a task; details are in the log. */
function failureOf(error: unknown): ReasonOf<'merge'> {
  if (!(error instanceof WorkFault)) return reasonOf('merge', 'fault')
  const code = Object.hasOwn(failures, error.code) ? failures[error.code] : undefined
  return code === undefined ? reasonOf('merge', 'disk', { system: error.code }) : reasonOf('merge', code)
}

interface Running {
  readonly task: MergeRow
  readonly vids: readonly number[]
  readonly abort: AbortController
  cancelled: boolean
  done: number
  over: Promise<void>
}

/** Makes the merges. */
export function createMerges({ files, tasks, disk, folder, workers, space, clock, listener, log }: MergesOptions) {
  const running = new Map<number, Running>()
  /** Serializes calls of each application, so that the limit refuses the latest arrival. */
  const inTurn = createKeyedSerial<number>()
  let closing = false
  const runningOf = (uid: number): number => [...running.values()].filter(({ task }) => task.uid === uid).length

  const sourcesOf = async (uid: number, vids: readonly number[]): Promise<RecordingRow[] | MergeRefusal> => {
    const rows = new Map((await files.ready([...new Set(vids)])).map((row) => [row.vid, row]))
    const ordered: RecordingRow[] = []
    for (const vid of vids) {
      const row = rows.get(vid)
      if (!row || row.uid !== uid) return { kind: 'missing', reason: `there is no file ${vid}` }
      ordered.push(row)
    }
    for (const row of rows.values())
      if ((await disk.size(folder.file(row))) === undefined)
        return { kind: 'missing', reason: `the file ${row.vid} is not on the disk any more` }
    return ordered
  }
  const unfit = (sources: readonly RecordingRow[]): MergeRefusal | undefined => {
    const flv = sources.find(({ format }) => format === 1)
    if (flv) return { kind: 'unfit', reason: `the file ${flv.vid} is not MP4` }
    const other = sources.find(({ codecs }) => codecs !== sources[0]?.codecs)
    if (other)
      return { kind: 'unfit', reason: `the file ${other.vid} has other codecs or another format than the first one` }
    if (sources.reduce((sum, { duration }) => sum + duration, 0) > maxMergeDuration)
      return { kind: 'unfit', reason: 'the files are longer than 4 hours in all' }
    return undefined
  }

  const complete = async (
    { taskId, vid, uid, outputName }: MergeRow,
    cid: string,
    result: { readonly bytes: number; readonly duration: number },
  ): Promise<void> => {
    const completed = clock.now()
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
      ...result,
      merged: true,
    }
    const listed = await files.complete(file, async (transaction) => {
      await tasks.done(transaction, taskId)
      await listener.enqueue(transaction, file)
    })
    if (listed) listener.onFile(file, true)
  }

  const work = async (run: Running): Promise<void> => {
    const { task, vids, abort } = run
    let paths: { readonly temporary: string; readonly target: string } | undefined
    try {
      const sources = await sourcesOf(task.uid, vids)
      if (!Array.isArray(sources)) throw new WorkFault('SOURCE', (sources as MergeRefusal).reason)
      const { cid } = sources[0]!
      const place = { cid, vid: task.vid, format: 0 }
      paths = { temporary: folder.temporary(place), target: folder.file(place) }
      if (task.attempts > maxAttempts) throw new WorkFault('ATTEMPTS', 'it was interrupted too often')
      if (task.total > space()) throw new WorkFault('ENOSPC', 'there is not enough room on the disk')
      const result = await workers.run(
        { kind: 'merge', sources: sources.map((row) => folder.file(row)), ...paths },
        {
          signal: abort.signal,
          progress: (done) => {
            run.done = Math.min(done, task.total)
          },
        },
      )
      await complete(task, cid, result)
      log.info({ taskId: task.taskId, vid: task.vid, ...result }, 'files were merged')
    } catch (error) {
      // Deletes what was written. A task interrupted by closing stays for the next start.
      for (const path of paths ? [paths.temporary, paths.target] : []) await disk.remove(path).catch(() => undefined)
      if (closing && !run.cancelled) return
      const reason = run.cancelled ? reasonOf('merge', 'cancelled') : failureOf(error)
      if (!run.cancelled) log.warn({ err: error, taskId: task.taskId }, 'a merge failed')
      await tasks
        .fail(task, run.cancelled ? 'cancelled' : 'failed', reason)
        .catch((fault: unknown) => log.warn({ err: fault, taskId: task.taskId }, 'a merge task could not be ended'))
    } finally {
      running.delete(task.taskId)
    }
  }
  const launch = (task: MergeRow): void => {
    const run: Running = {
      task,
      vids: JSON.parse(task.vidList) as number[],
      abort: new AbortController(),
      cancelled: false,
      done: 0,
      over: Promise.resolve(),
    }
    running.set(task.taskId, run)
    run.over = work(run)
  }

  return {
    /** Begins a merge; undefined on success. Calls of an application are decided in order of arrival. */
    begin: (uid: number, outputName: string, vids: readonly number[]): Promise<MergeRefusal | undefined> =>
      inTurn(uid, async () => {
        const sources = await sourcesOf(uid, vids)
        if (!Array.isArray(sources)) return sources as MergeRefusal
        const misfit = unfit(sources)
        if (misfit) return misfit
        if (runningOf(uid) >= mergesAtOnce) return { kind: 'busy', reason: `${mergesAtOnce} merges are running` }
        const total = sources.reduce((sum, { bytes }) => sum + bytes, 0)
        const { cid, codecs } = sources[0]!
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
        launch(await tasks.add({ uid, outputName, total, created: now }, vids, file))
        return undefined
      }),
    async list(uid: number): Promise<MergeTask[]> {
      return (await tasks.list(uid)).map(({ taskId, outputName, state, reason: kept, total }) => {
        const reason = readReason('merge', kept)
        const done = state === 'done' ? total : (running.get(taskId)?.done ?? 0)
        return { taskId, outputName, state, ...(reason && { reason }), done, total }
      })
    },
    /** Stops a running task; `unknown` when there is none, `foreign` when it is another application's. */
    async cancel(uid: number, taskId: number): Promise<'unknown' | 'foreign' | undefined> {
      const run = running.get(taskId)
      if (!run) return 'unknown'
      if (run.task.uid !== uid) return 'foreign'
      run.cancelled = true
      run.abort.abort()
      await run.over
      return undefined
    },
    uses: (vid: number) => [...running.values()].some(({ vids }) => vids.includes(vid)),
    /** Continues the tasks of an earlier process. */
    async start() {
      for (const task of await tasks.resume()) launch(task)
    },
    /** Stops running tasks; the next start continues them. */
    async close() {
      closing = true
      await inTurn.idle()
      const all = [...running.values()]
      for (const { abort } of all) abort.abort()
      await Promise.all(all.map(({ over }) => over))
    },
  }
}
