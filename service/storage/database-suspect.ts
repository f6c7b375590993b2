import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const markOf = (dataDir: string): string => join(dataDir, 'sidestage.db.doubt')

/** Whether the main database was found damaged while the service ran. */
export const isSuspect = (dataDir: string): boolean =>
  statSync(markOf(dataDir), { throwIfNoEntry: false }) !== undefined
/** Notes the damage; the next start checks the database whatever its size. Throws the system's error. */
export const markSuspect = (dataDir: string, found: string): void =>
  writeFileSync(markOf(dataDir), `${found}\n`, { mode: 0o600 })
/** Removes the note: the database is intact or was replaced. */
export const clearSuspect = (dataDir: string): void => rmSync(markOf(dataDir), { recursive: true, force: true })
