import { inBackground } from '../background.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { Finisher, Unfinished } from './finisher.ts'
import type { RecordingFolder } from './recording-folder.ts'

/** Finishes what a crash or a full disk left behind. */
export interface Recovery {
  /** What an earlier process left (rows read before anything new was begun): finishes and lists slices, and removes what was being deleted. */
  start(left: readonly RecordingRow[]): Promise<void>
  /** A file of this process that could not be finished: it is tried again after a while, a few times, and by the next start. */
  later(file: Unfinished): void
  /** Tries those again now: the disk has room again. */
  retry(): Promise<void>
  close(): void
}

/** What recovery works with. */
export interface RecoveryOptions {
  readonly store: Pick<FilesStore, 'forget'>
  readonly folder: RecordingFolder
  readonly files: Pick<FileSystem, 'size' | 'remove'>
  readonly finisher: Finisher
  /** Whether the disk allows writing now. */
  readonly allowed: () => boolean
  /** How long a file waits for another try, in ms. */
  readonly retryAfter: number
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
}

/** Files remembered for another try; more are left for the next start. */
const rememberedMax = 1000

/** Tries in one process. */
const triesMax = 5
/** A file under this that does not even have a whole head holds no media; bytes. */
const smallest = 16 * 1024

/** Makes recovery; nothing is done before it is asked for. */
export function createRecovery({
  store,
  folder,
  files,
  finisher,
  allowed,
  retryAfter,
  log,
}: RecoveryOptions): Recovery {
  let waiting: Unfinished[] = []
  const tries = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const remove = async (file: Unfinished): Promise<void> => {
    await files.remove(folder.file(file))
    await files.remove(folder.index(file))
    await store.forget(file.vid)
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
      log.warn({ err: error, cid, vid }, 'a recording that was left unfinished cannot be finished')
      return false
    }
  }

  const later = (file: Unfinished): void => {
    const count = (tries.get(file.vid) ?? 0) + 1
    if (closed || count > triesMax || waiting.length >= rememberedMax) return void tries.delete(file.vid)
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
    async start(left) {
      for (const row of left) {
        if (row.state === 'removing')
          await remove(row).catch((error: unknown) =>
            log.warn({ err: error, vid: row.vid }, 'a recording could not be deleted'),
          )
        else if (row.state === 'writing') await finish(row)
      }
    },
    later,
    retry,
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}
