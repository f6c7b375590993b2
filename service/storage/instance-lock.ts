import { existsSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from '../../platform/lock-file.ts'
import { closeToOthers } from '../../platform/owner-only.ts'
import { clearPlace } from '../../platform/stores.ts'

/** Another service uses the data directory; the message is for the operator. */
export class DataDirInUse extends Error {}

/**
 * Locks a data directory for this process, making it (0700) if missing; returns the release. The lock is SQLite's on
 * `lock.db`, so the system frees it even after SIGKILL. Throws a message with the holder when it is locked.
 */
export function lockDataDir(dataDir: string): () => void {
  const owner = join(dataDir, 'lock.pid')
  const lock = takeLock(join(dataDir, 'lock.db'))
  if (!lock)
    throw new DataDirInUse(
      `the data directory ${dataDir} is in use by another service (process ${readOwner(owner)}); stop it or choose another directory`,
    )
  try {
    closeToOthers(dataDir)
    clearPlace(owner)
    // Possibly another user's; must not lock us out.
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
