import { fsyncSync, openSync, closeSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Work on the database that may take long, on a connection of its own. */
export type DatabaseWork =
  | { readonly kind: 'check'; readonly path: string }
  /** Writes a whole copy to `target` through `temporary`. */
  | { readonly kind: 'copy'; readonly path: string; readonly temporary: string; readonly target: string }

/** Why a database cannot be used, in SQLite's words; undefined when it can. Throws what is wrong with the disk. */
export function findDamage(path: string): string | undefined {
  const database = new DatabaseSync(path)
  try {
    database.exec('pragma busy_timeout = 2000')
    const row = database.prepare('pragma quick_check(1)').get() as { quick_check?: unknown } | undefined
    return row?.quick_check === 'ok' ? undefined : typeof row?.quick_check === 'string' ? row.quick_check : 'it cannot be checked'
  } finally {
    database.close()
  }
}

/** Carries it out; the answer to a check is what is wrong. */
export function carryOut(work: DatabaseWork): string | undefined {
  if (work.kind === 'check') return findDamage(work.path)
  rmSync(work.temporary, { force: true })
  const database = new DatabaseSync(work.path)
  try {
    database.exec('pragma busy_timeout = 20000')
    database.prepare('vacuum into ?').run(work.temporary)
  } finally {
    database.close()
  }
  const descriptor = openSync(work.temporary, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(work.temporary, work.target)
  return undefined
}
