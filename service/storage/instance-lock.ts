import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from '../../platform/lock-file.ts'
import { closeToOthers } from '../../platform/owner-only.ts'
import { clearPlace } from '../../platform/stores.ts'

/**
 * Takes a data directory for this process alone, making it (0700) when it is not there, and returns its release. The lock is SQLite's
 * own on `lock.db`, so the system frees it when the process dies, also by SIGKILL. Throws a sentence that names the holder when
 * another service has it.
 */
export function lockDataDir(dataDir: string): () => void {
  const owner = join(dataDir, 'lock.pid')
  const lock = takeLock(join(dataDir, 'lock.db'))
  if (!lock)
    throw new Error(
      `the data directory ${dataDir} is in use by another service (process ${readOwner(owner)}); stop it or choose another directory`,
    )
  try {
    closeToOthers(dataDir)
    clearPlace(owner)
    // It may be another user's, who must not keep us out by it.
    if (existsSync(owner)) unlinkSync(owner)
    writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    lock.release()
    throw error
  }
  return () => lock.release()
}

function readOwner(path: string): string {
  try {
    return /^[0-9]{1,10}/.exec(readFileSync(path, 'utf8'))?.[0] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
