import { existsSync, fsyncSync, futimesSync, openSync, closeSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isDamage } from '../../platform/stores.ts'

/** Long work on the database, on its own connection. */
export type DatabaseWork =
  | { readonly kind: 'check'; readonly path: string }
  /** Writes a full copy to `target` through `temporary`; `time` in ms becomes the file's time. */
  | {
      readonly kind: 'copy'
      readonly path: string
      readonly temporary: string
      readonly target: string
      readonly time: number
    }

/**
 * Reads a database and leaves its log as it is: opened for writing, SQLite would delete that of one that it cannot
 * use. Only an interrupted rollback is completed.
 */
export function lookInto<T>(path: string, read: (database: DatabaseSync) => T): T {
  const made = [`${path}-wal`, `${path}-shm`].filter((file) => !existsSync(file))
  const database = new DatabaseSync(path, { readOnly: !existsSync(`${path}-journal`) })
  try {
    return read(database)
  } finally {
    database.close()
    for (const file of made) rmSync(file, { force: true })
  }
}

/** SQLite's message for a damaged database; undefined if intact. Throws disk errors. */
export const findDamage = (path: string): string | undefined =>
  lookInto(path, (database) => {
    database.exec('pragma busy_timeout = 2000')
    const row = database.prepare('pragma quick_check(1)').get() as { quick_check?: unknown } | undefined
    return row?.quick_check === 'ok'
      ? undefined
      : typeof row?.quick_check === 'string'
        ? row.quick_check
        : 'it cannot be checked'
  })

/** Does the work; returns the result of a check. Throws disk errors. */
export function carryOut(work: DatabaseWork): string | undefined {
  if (work.kind === 'check') {
    try {
      return findDamage(work.path)
    } catch (error) {
      // SQLite's code is lost when the error leaves the thread.
      if (isDamage(error)) return error instanceof Error ? error.message : 'it cannot be read'
      throw error
    }
  }
  rmSync(work.temporary, { force: true })
  // Made here with mode 0600: SQLite would make it readable for all users.
  closeSync(openSync(work.temporary, 'wx', 0o600))
  const database = new DatabaseSync(work.path)
  try {
    database.exec('pragma busy_timeout = 20000')
    database.prepare('vacuum into ?').run(work.temporary)
  } finally {
    database.close()
  }
  const descriptor = openSync(work.temporary, 'r+')
  try {
    futimesSync(descriptor, work.time / 1000, work.time / 1000)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(work.temporary, work.target)
  return undefined
}
