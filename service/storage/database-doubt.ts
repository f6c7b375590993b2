import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const doubtOf = (dataDir: string): string => join(dataDir, 'sidestage.db.doubt')

/** Whether the main database was found damaged while the service ran. */
export const isDoubted = (dataDir: string): boolean =>
  statSync(doubtOf(dataDir), { throwIfNoEntry: false }) !== undefined
/** Notes the damage; the next start checks the database whatever its size. Throws the system's error. */
export const noteDoubt = (dataDir: string, found: string): void =>
  writeFileSync(doubtOf(dataDir), `${found}\n`, { mode: 0o600 })
/** Removes the note: the database is intact or was replaced. */
export const forgetDoubt = (dataDir: string): void => rmSync(doubtOf(dataDir), { recursive: true, force: true })
