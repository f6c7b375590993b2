import { createAgeClock } from '../../platform/age-clock.ts'
import { inBackground } from '../background.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { RecordingFolder } from './recording-folder.ts'

/** An application's limits on what is kept; 0 without a limit. */
export interface Retention {
  readonly uid: number
  readonly days: number
  readonly gigabytes: number
}

/** Deletes recorded files: on request, and by age and size. */
export interface Removal {
  /** Deletes listed files of an application; returns those that it deleted. Files that a merge reads stay. */
  remove(uid: number, vids: readonly number[]): Promise<number[]>
  /** Deletes what is beyond the limits. */
  sweep(): Promise<void>
  close(): void
}

/** What removal works with. */
export interface RemovalOptions {
  readonly store: FilesStore
  readonly folder: RecordingFolder
  readonly files: Pick<FileSystem, 'remove'>
  readonly inUse: (vid: number) => boolean
  readonly retention: () => readonly Retention[]
  /** Hears of files that are gone, at most as many at once as are deleted in one step. */
  readonly gone: (uid: number, vids: readonly number[]) => void
  readonly clock: () => number
  /** A clock in ms that never jumps. */
  readonly monotonic: () => number
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  /** How often limits are looked at besides after each file; ms. */
  readonly every?: number
}

const day = 24 * 3600 * 1000
const gigabyte = 1e9
/** Files deleted in one step. */
const step = 100

/** Makes removal; the limits are looked at regularly until `close`. */
export function createRemoval({
  store,
  folder,
  files,
  inUse,
  retention,
  gone: tell,
  clock,
  monotonic,
  log,
  every = 10 * 60_000,
}: RemovalOptions): Removal {
  const age = createAgeClock(clock, monotonic)
  let sweeping: Promise<void> | undefined

  const remove = async (vids: readonly number[], uid: number): Promise<RecordingRow[]> => {
    // Marked first, so that a file is never listed that is half gone.
    const rows = await store.removing(
      vids.filter((vid) => !inUse(vid)),
      uid,
    )
    const gone: RecordingRow[] = []
    for (const row of rows) {
      try {
        await files.remove(folder.file(row))
        await store.forget(row.vid)
      } catch (error) {
        log.warn({ err: error, vid: row.vid }, 'a recording could not be deleted now; the next start tries again')
      }
      gone.push(row)
    }
    for (let from = 0; from < gone.length; from += step)
      tell(
        uid,
        gone.slice(from, from + step).map(({ vid }) => vid),
      )
    return gone
  }
  const sweepOne = async ({ uid, days, gigabytes }: Retention): Promise<void> => {
    let count = 0
    if (days > 0)
      count += (
        await remove(
          (await store.completedBefore(uid, age() - days * day)).map(({ vid }) => vid),
          uid,
        )
      ).length
    if (gigabytes > 0) {
      let over = (await store.filled(uid)) - gigabytes * gigabyte
      while (over > 0) {
        const chosen: number[] = []
        for (const { vid, bytes } of await store.oldest(uid, step)) {
          if (over <= 0) break
          if (inUse(vid)) continue
          chosen.push(vid)
          over -= bytes
        }
        const gone = await remove(chosen, uid)
        count += gone.length
        if (gone.length === 0) break
      }
    }
    if (count > 0) log.info({ uid, count }, 'recordings beyond the limits were deleted')
  }
  const sweep = (): Promise<void> =>
    (sweeping ??= (async () => {
      try {
        for (const each of retention()) await sweepOne(each)
      } catch (error) {
        log.warn({ err: error }, 'limits on recordings could not be applied')
      }
      sweeping = undefined
    })())
  const timer = setInterval(() => inBackground(sweep(), log, 'removing old recordings'), every)
  timer.unref()

  return {
    remove: async (uid, vids) => (await remove([...new Set(vids)], uid)).map(({ vid }) => vid),
    sweep,
    close: () => clearInterval(timer),
  }
}
