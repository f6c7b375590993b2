import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'

const databases = 'app-lock|lock|actions|receivers|copies|room-copies|sidestage'
const documents =
  'profiles|settings|import|window|pop-out|computer|computer-copy|stores|obs|rooms|accounts|seats|joined|credentials|sidestage-move'
const beside = String.raw`-(?:wal|shm|journal)|\.doubt|\.damaged|(?:\.\d+)?\.new`
/** Names of the files of state at the top of the app's folder and of the service's. */
const state = new RegExp(
  String.raw`^(?:(?:(?:${databases})\.db|(?:${documents})\.json)(?:${beside})?|lock\.pid|revoked-seats)$`,
)
/** Folders beside them; nobody reads a file in a folder that is closed. */
const folders: ReadonlySet<string> = new Set(['recordings', 'files', 'copies', 'quarantine'])
/** The file is another user's, is gone, or lies on a disk that can only be read, which the start says by itself. */
const left: ReadonlySet<unknown> = new Set(['EPERM', 'ENOENT', 'EROFS'])

/**
 * Takes what group and others may do with the files of state in a data folder, which may be an older one that was made for everybody;
 * what is not the product's stays as it is, and so does what a link leads to.
 */
export function closeToOthers(folder: string): void {
  // Windows has no such modes.
  if (process.platform === 'win32') return
  for (const name of readdirSync(folder)) {
    if (!state.test(name) && !folders.has(name)) continue
    const file = path.join(folder, name)
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats || !(folders.has(name) ? stats.isDirectory() : stats.isFile()) || (stats.mode & 0o077) === 0) continue
    try {
      chmodSync(file, stats.mode & 0o700)
    } catch (error) {
      if (!left.has((error as NodeJS.ErrnoException).code)) throw error
    }
  }
}
