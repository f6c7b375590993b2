import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'

const databases = 'app-lock|lock|actions|receivers|copies|room-copies|sidestage'
const documents =
  'profiles|settings|import|window|pop-out|computer|computer-copy|stores|obs|rooms|accounts|seats|joined|credentials|target-keys|sidestage-move'
const beside = String.raw`-(?:wal|shm|journal)|\.doubt|\.damaged|(?:\.\d+)?\.new`
/** State files in the app's and the service's folder. */
const state = new RegExp(
  String.raw`^(?:(?:(?:${databases})\.db|(?:${documents})\.json)(?:${beside})?|lock\.pid|revoked-seats)$`,
)
/** Folders beside them; closed folders protect their files. */
const folders: ReadonlySet<string> = new Set(['recordings', 'files', 'copies', 'delay', 'quarantine'])
/** Another user's file, a missing one, or a read-only disk, which the start reports itself. */
const left: ReadonlySet<unknown> = new Set(['EPERM', 'ENOENT', 'EROFS'])

/** Removes permissions of group and others from known state files, which an older version may have made. */
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
