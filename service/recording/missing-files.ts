import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import type { RecordingRow } from './files-store.ts'
import type { RecordingFolder } from './recording-folder.ts'

const namesIn = async (folder: string): Promise<ReadonlySet<string> | undefined> => {
  try {
    return new Set(await readdir(folder))
  } catch {
    return undefined
  }
}

/**
 * Finds listed files of a channel that somebody moved or deleted. Those of the object store and of other nodes are not
 * looked for, and none is missing while the folder of all recordings is away, as with its drive.
 */
export function missingFiles(options: {
  readonly folder: Pick<RecordingFolder, 'root' | 'of' | 'file'>
  /** Whether the file of a row belongs on the disk of this service. */
  readonly isHere: (row: RecordingRow) => boolean
}) {
  const { folder, isHere } = options
  return async (cid: string, rows: readonly RecordingRow[]): Promise<ReadonlySet<number>> => {
    const here = rows.filter(isHere)
    if (here.length === 0) return new Set()
    const names = await namesIn(folder.of(cid))
    if (!names && !(await namesIn(folder.root))) return new Set()
    return new Set(here.flatMap((row) => (names?.has(basename(folder.file(row))) ? [] : [row.vid])))
  }
}
