import { closeSync, fdatasync, fsyncSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { syncFolderNow } from '../../platform/atomic-file.ts'
import { moveFile } from '../../platform/moved-file.ts'
import { readMergePart } from '../media/mp4-merge.ts'
import { writeAll, writePiece } from './work-finish.ts'
import { planOf } from './work-plan.ts'
import { openSource, type SourceFile, type Work, type WorkResult } from './work.ts'

/** Bytes per copy: large for the disk, small for the processor's caches. */
const copyLength = 1024 * 1024
/** Bytes synced while the next are copied, so that no long sync at the end delays ingest. */
const syncLength = 16 * 1024 * 1024

const putOnDisk = promisify(fdatasync)

/** Merges finished MP4 files (behaviour.md#merging), or a range of them: synced, then renamed, so never partial. */
export async function mergeFiles(
  options: Pick<Extract<Work, { kind: 'merge' }>, 'sources' | 'temporary' | 'target' | 'range'>,
  progress: (done: number) => void,
): Promise<WorkResult> {
  const { sources, temporary, target, range } = options
  // A repeated source is opened once.
  const open = new Map<string, SourceFile>()
  const file = (path: string): SourceFile => {
    const known = open.get(path) ?? openSource(path)
    open.set(path, known)
    return known
  }
  let output: number | undefined
  let syncing: Promise<void> = Promise.resolve()
  try {
    const plan = planOf(
      sources.map((path) => readMergePart(file(path))),
      range,
    )
    output = openSync(temporary, 'w', 0o600)
    writeAll(output, plan.head, 0)
    let at = plan.head.length
    let unsynced = 0
    const block = Buffer.allocUnsafe(copyLength)
    for (const { part, from, length } of plan.copies) {
      const { descriptor } = file(sources[part]!)
      for (let done = 0; done < length;) {
        const got = readSync(descriptor, block, 0, Math.min(copyLength, length - done), from + done)
        if (got === 0) throw Object.assign(new Error('a source became shorter while it was read'), { code: 'SOURCE' })
        writeAll(output, got === copyLength ? block : block.subarray(0, got), at)
        done += got
        at += got
        unsynced += got
        if (unsynced >= syncLength) {
          await syncing
          syncing = putOnDisk(output)
          // Errors surface at the next await, or at the end.
          syncing.catch(() => undefined)
          unsynced = 0
          progress(at)
        }
      }
    }
    const end = writePiece(output, plan.moov, at)
    await syncing
    fsyncSync(output)
    closeSync(output)
    output = undefined
    await moveFile(temporary, target)
    syncFolderNow(dirname(target))
    progress(end)
    return { bytes: end, duration: plan.duration, ...plan.cut }
  } catch (error) {
    await syncing.catch(() => undefined)
    rmSync(temporary, { force: true })
    throw error
  } finally {
    if (output !== undefined) closeSync(output)
    for (const source of open.values()) source.close()
  }
}
