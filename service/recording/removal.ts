import type { Clock } from '../../platform/clock.ts'
import { createAgeClock } from '../../platform/age-clock.ts'
import { inBackground } from '../background.ts'
import { ownJobs, type Jobs } from '../jobs/jobs.ts'
import type { FileSystem } from './file-system.ts'
import type { FilesStore, RecordingRow } from './files-store.ts'
import type { OtherNodes } from './other-nodes.ts'
import type { RecordingFolder } from './recording-folder.ts'

/** Limits of an application's recordings; 0 for none. */
export interface Retention {
  readonly uid: number
  readonly days: number
  readonly gigabytes: number
}

/** What an application's settings say of it. */
export const retentionOf = ({
  uid,
  settings: { recordingDays: days, recordingGigabytes: gigabytes },
}: {
  readonly uid: number
  readonly settings: { readonly recordingDays: number; readonly recordingGigabytes: number }
}): Retention => ({ uid, days, gigabytes })

/** Deletes recorded files: on request, and by age and size. */
export type Removal = ReturnType<typeof createRemoval>

const day = 24 * 3600 * 1000
const gigabyte = 1e9
const step = 100

/** Makes removal; sweeps regularly until `close`. */
export function createRemoval(options: {
  readonly store: FilesStore
  readonly folder: RecordingFolder
  readonly files: Pick<FileSystem, 'remove'>
  /** Removes the file of one that is in the object store. */
  readonly far?: { remove(row: RecordingRow): Promise<void> } | undefined
  readonly inUse: (vid: number) => boolean
  readonly others?: OtherNodes | undefined
  readonly jobs?: Jobs | undefined
  readonly retention: () => readonly Retention[]
  /** Called with the deleted files, at most one step at a time. */
  readonly gone: (uid: number, vids: readonly number[]) => void
  readonly clock: Clock
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  /** Interval of the sweep, which also runs after each file; ms. */
  readonly every?: number
}) {
  const { store, folder, files, far, inUse, others, retention, gone: tell, clock, log, jobs = ownJobs } = options
  const { every = 10 * 60_000 } = options
  const age = createAgeClock(clock)
  let sweeping: Promise<void> | undefined

  const remove = async (vids: readonly number[], uid: number): Promise<RecordingRow[]> => {
    // Marked first, so that a partly deleted file is never listed.
    const rows = await store.removing(
      vids.filter((vid) => !inUse(vid)),
      uid,
    )
    const gone: RecordingRow[] = []
    const elsewhere = new Set<string>()
    for (const row of rows) {
      // Whoever has the file, or the object store, deletes it and its row, also at its next start.
      if ((others ? row.node !== others.self : row.node) || (row.stored === 1 && !far)) {
        elsewhere.add(row.node)
        gone.push(row)
        continue
      }
      try {
        if (row.stored === 1) await far?.remove(row)
        else await files.remove(folder.file(row))
        await store.forget(row.vid)
      } catch (error) {
        log.warn({ err: error, vid: row.vid }, 'a recording could not be deleted now; the next start tries again')
      }
      gone.push(row)
    }
    others?.hurry(elsewhere)
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
  const sweepAll = async (): Promise<void> => {
    try {
      for (const each of retention()) await sweepOne(each)
    } catch (error) {
      log.warn({ err: error }, 'limits of recordings could not be applied')
    }
  }
  // One service at a time: two that count at once would delete twice what is too much.
  const sweep = (since = 0): Promise<void> =>
    (sweeping ??= jobs.run('recordings', since, sweepAll).finally(() => {
      sweeping = undefined
    }))
  const timer = setInterval(() => inBackground(sweep(every), log, 'removing old recordings'), every)
  timer.unref()

  return {
    /** Deletes listed files of an application; returns the deleted ones. Files that a merge reads are kept. */
    remove: async (uid: number, vids: readonly number[]): Promise<number[]> =>
      (await remove([...new Set(vids)], uid)).map(({ vid }) => vid),
    sweep: () => sweep(),
    close: () => clearInterval(timer),
  }
}
