import { fsyncSync, futimesSync, openSync, closeSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isDamage } from '../../platform/stores.ts'

/** Work on the database that may take long, on a connection of its own. */
export type DatabaseWork =
  | { readonly kind: 'check'; readonly path: string }
  /** Writes a whole copy to `target` through `temporary`; `time`, in ms, becomes the time of the file. */
  | {
      readonly kind: 'copy'
      readonly path: string
      readonly temporary: string
      readonly target: string
      readonly time: number
    }

/** Why a database cannot be used, in SQLite's words; undefined when it can. Throws what is wrong with the disk. */
export function findDamage(path: string): string | undefined {
  const database = new DatabaseSync(path)
  try {
    database.exec('pragma busy_timeout = 2000')
    const row = database.prepare('pragma quick_check(1)').get() as { quick_check?: unknown } | undefined
    return row?.quick_check === 'ok'
      ? undefined
      : typeof row?.quick_check === 'string'
        ? row.quick_check
        : 'it cannot be checked'
  } finally {
    database.close()
  }
}

/** Carries it out; the answer to a check is what is wrong. Throws what is wrong with the disk. */
export function carryOut(work: DatabaseWork): string | undefined {
  if (work.kind === 'check') {
    try {
      return findDamage(work.path)
    } catch (error) {
      // An error loses SQLite's number on its way out of the thread.
      if (isDamage(error)) return error instanceof Error ? error.message : 'it cannot be read'
      throw error
    }
  }
  rmSync(work.temporary, { force: true })
  // SQLite writes into an empty file; one that it makes itself could be read by every user of the computer.
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
