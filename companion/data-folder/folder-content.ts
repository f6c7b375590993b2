import { lstat, opendir } from 'node:fs/promises'
import path from 'node:path'

interface FolderFile {
  /** Relative, with the system's separators. */
  readonly name: string
  readonly bytes: number
}

/** The files of a data folder. */
export interface FolderContent {
  readonly files: readonly FolderFile[]
  /** Relative, parents first. */
  readonly folders: readonly string[]
  /** The first entry that is neither file nor folder, such as a link. */
  readonly strange: string | undefined
  readonly bytes: number
}

/** A folder without it holds no data of ours. */
export const databaseName = 'sidestage.db'
/** Marks the target of an unfinished move. */
export const markName = 'sidestage-move.json'
/** Made anew by the service: its lock, and SQLite's shared memory. */
const passing = /^(lock\.db(-.*)?|lock\.pid|.*\.db-shm|sidestage-move\.json(\.new)?)$/

/** Whether an entry at the top need not be copied. */
export const isPassing = (name: string): boolean => passing.test(name)

/** Reads a data folder; an absent one is empty. */
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
      // Removed meanwhile.
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
