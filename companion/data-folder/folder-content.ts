import { lstat, opendir } from 'node:fs/promises'
import path from 'node:path'

/** One file of the data folder. */
export interface FolderFile {
  /** Relative, with the system's separators. */
  readonly name: string
  readonly bytes: number
}

/** What lies in a data folder and belongs to it. */
export interface FolderContent {
  readonly files: readonly FolderFile[]
  /** Relative, each after the one that holds it. */
  readonly folders: readonly string[]
  /** The first thing that is neither file nor folder, for example a link; undefined for none. */
  readonly strange: string | undefined
  readonly bytes: number
}

/** The service's database; a folder without it holds no data of ours. */
export const databaseName = 'sidestage.db'
/** Marks a folder that is being filled by a move. */
export const markName = 'sidestage-move.json'
/** What is made anew wherever the service runs: its lock, and SQLite's shared memory. */
const passing = /^(lock\.db(-.*)?|lock\.pid|.*\.db-shm|sidestage-move\.json(\.new)?)$/

/** Whether something at the top of a data folder is of the moment only, so that a copy does without it. */
export const isPassing = (name: string): boolean => passing.test(name)

/** Reads what lies in a data folder; an absent one is empty. Rejects when it cannot be read. */
export async function readContent(folder: string): Promise<FolderContent> {
  const files: FolderFile[] = []
  const folders: string[] = []
  let strange: string | undefined
  let bytes = 0
  const walk = async (within: string): Promise<void> => {
    for await (const entry of await opendir(path.join(folder, within))) {
      const name = path.join(within, entry.name)
      if (within === '' && isPassing(entry.name)) continue
      if (entry.isDirectory()) {
        folders.push(name)
        await walk(name)
        continue
      }
      // What is removed while we look is not there.
      const found = await lstat(path.join(folder, name)).catch(() => undefined)
      if (!found) continue
      if (!found.isFile()) strange ??= name
      else {
        files.push({ name, bytes: found.size })
        bytes += found.size
      }
    }
  }
  try {
    await walk('')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || files.length + folders.length > 0) throw error
  }
  return { files, folders, strange, bytes }
}
