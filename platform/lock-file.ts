import { closeSync, copyFileSync, lstatSync, openSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openQuarantine } from './quarantine.ts'
import { makeFolder } from './make-folder.ts'
import { clearPlace, isDamage } from './stores.ts'

/** SQLITE_BUSY: another connection holds the lock. */
const busy = 5

/** Takes SQLite's lock on a file; undefined if taken. A damaged file is copied aside and emptied in place. */
export function takeLock(file: string): { release(): void } | undefined {
  makeFolder(path.dirname(file))
  clearPlace(file)
  const attempt = (): DatabaseSync | undefined => {
    const database = new DatabaseSync(file)
    try {
      database.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
      return database
    } catch (error) {
      database.close()
      if ((error as { errcode?: unknown }).errcode === busy) return undefined
      throw error
    }
  }
  let database: DatabaseSync | undefined
  try {
    database = attempt()
  } catch (error) {
    // SQLite does not report missing permission.
    if (!isDamage(error)) {
      closeSync(openSync(file, 'r+'))
      throw error
    }
    keepCopy(file, error instanceof Error ? error.message : 'it is not a database')
    truncateSync(file)
    database = attempt()
  }
  return database && { release: () => database.close() }
}

/** Keeps the file and quarantines a copy. */
function keepCopy(file: string, detail: string): void {
  const folder = path.dirname(file)
  const copy = `${file}.damaged`
  if (lstatSync(copy, { throwIfNoEntry: false }) === undefined) copyFileSync(file, copy)
  openQuarantine({ folder, now: Date.now }).setAside([path.basename(copy)], 'damaged', detail)
}
