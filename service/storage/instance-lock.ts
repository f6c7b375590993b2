import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** SQLITE_BUSY: another connection holds the lock. */
const busy = 5

/**
 * Takes a data directory for this process alone, making it (0700) when it is not there, and returns its release. The lock is SQLite's
 * own on `lock.db`, so the system frees it when the process dies, also by SIGKILL. Throws a sentence that names the holder when
 * another service has it.
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const owner = join(dataDir, 'lock.pid')
  const database = new DatabaseSync(join(dataDir, 'lock.db'))
  try {
    database.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    database.close()
    if ((error as { errcode?: unknown }).errcode !== busy) throw error
    throw new Error(`the data directory ${dataDir} is in use by another service (process ${readOwner(owner)}); stop it or choose another directory`, {
      cause: error,
    })
  }
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
  return () => database.close()
}

function readOwner(path: string): string {
  try {
    return /^[0-9]{1,10}/.exec(readFileSync(path, 'utf8'))?.[0] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
