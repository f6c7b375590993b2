import { inBackground } from '../background.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { Finisher, Unfinished } from './finisher.ts'
import type { RecordingFolder } from './recording-folder.ts'

/** Files remembered for a retry; the next start finishes the others. */
const maxRemembered = 1000

/** Attempts per process. */
const maxTries = 5
/** A smaller file with an incomplete head has no media; bytes. */
const smallest = 16 * 1024

/** Makes what finishes files after a crash or a full disk. */
export function createRecovery(options: {
  readonly store: Pick<FilesStore, 'forget'>
  readonly folder: RecordingFolder
  readonly files: Pick<FileSystem, 'size' | 'remove'>
  readonly finisher: Finisher
  /** Removes the file of one that is in the object store. */
  readonly far?: { remove(row: RecordingRow): Promise<void> } | undefined
  readonly allowed: () => boolean
  /** Delay of a retry, in ms. */
  readonly retryAfter: number
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
}) {
  const { store, folder, files, finisher, far, allowed, retryAfter, log } = options
  let waiting: Unfinished[] = []
  const tries = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const remove = async (file: Unfinished & { readonly merged?: number }): Promise<void> => {
    await files.remove(folder.file(file))
    await files.remove(folder.index(file))
    if (file.merged === 1) await files.remove(folder.temporary(file))
    await store.forget(file.vid)
  }
  const removeFar = async (row: RecordingRow): Promise<void> => {
    if (!far) throw new Error('the file is in an object store, which this service does not have')
    await far.remove(row)
    await store.forget(row.vid)
  }
  const finish = async (file: Unfinished): Promise<boolean> => {
    const { cid, vid } = file
    try {
      const size = await files.size(folder.file(file))
      if (size === undefined || size === 0) {
        await remove(file)
        return true
      }
      const listed = await finisher.finish(file, { recover: true })
      if (listed)
        log.info(
          { cid, vid, bytes: listed.bytes, duration: listed.duration },
          'a recording that was left unfinished is listed now',
        )
      return true
    } catch (error) {
      if (
        (error as { code?: unknown }).code === 'BROKEN' &&
        ((await files.size(folder.file(file)).catch(() => undefined)) ?? Infinity) < smallest
      ) {
        await remove(file).catch(() => undefined)
        return true
      }
      log.warn({ err: error, cid, vid }, 'an unfinished recording cannot be finished')
      return false
    }
  }

  const later = (file: Unfinished): void => {
    const count = (tries.get(file.vid) ?? 0) + 1
    if (closed || count > maxTries || waiting.length >= maxRemembered) return void tries.delete(file.vid)
    tries.set(file.vid, count)
    waiting.push(file)
    timer ??= setTimeout(() => {
      timer = undefined
      if (allowed()) inBackground(retry(), log, 'finishing recordings of before')
    }, retryAfter).unref()
  }
  const retry = async (): Promise<void> => {
    const now = waiting
    waiting = []
    for (const file of now)
      if (await finish(file)) tries.delete(file.vid)
      else later(file)
  }

  return {
    /** Finishes, lists or removes files of an earlier process; `left` was read before recording began. */
    async start(left: readonly RecordingRow[]) {
      for (const row of left) {
        if (row.state === 'removing')
          await (row.stored === 1 ? removeFar(row) : remove(row)).catch((error: unknown) =>
            log.warn({ err: error, vid: row.vid }, 'a recording could not be deleted'),
          )
        else if (row.state === 'writing') await finish(row)
      }
    },
    /** Retries a file of this process a few times; then the next start does. */
    later,
    /** Retries now: there is space again. */
    retry,
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
