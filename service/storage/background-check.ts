import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { inThread } from './database-copies.ts'
import { markSuspect } from './database-suspect.ts'
import { maxCheckedAtOnce } from './main-database.ts'

/**
 * Reports a damaged database once: in the log, and in a note beside it that makes the next start check it and ask the
 * user. The service continues: it may be on air.
 */
export function createDamageNote(dataDir: string, log: Pick<Log, 'error'>): (found: string) => void {
  let isTold = false
  return (found) => {
    if (isTold) return
    isTold = true
    log.error(
      { found },
      'the database is damaged; restart the service to restore a copy: no more copies are made of it',
    )
    try {
      markSuspect(dataDir, found)
    } catch (error) {
      log.error({ err: error }, 'the damage could not be noted beside the database')
    }
  }
}

/** Checks a database that was too large for the start, in a thread. Reports damage as {@link createDamageNote} does. */
export function checkInBackground({
  dataDir,
  log,
}: {
  readonly dataDir: string
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}) {
  const path = join(dataDir, 'sidestage.db')
  const closing = new AbortController()
  const check = async (): Promise<'none' | 'sound' | 'damaged' | 'failed'> => {
    try {
      const bytes = statSync(path).size
      if (bytes <= maxCheckedAtOnce) return 'none'
      const found = await inThread({ kind: 'check', path }, closing.signal)
      if (found === undefined) {
        log.info({ bytes }, 'the database was checked and is sound')
        return 'sound'
      }
      createDamageNote(dataDir, log)(found)
      return 'damaged'
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, 'the database could not be checked')
      return 'failed'
    }
  }
  const done = check()
  return {
    /** The result; `none` when the start has checked. Never rejects. */
    done,
    async close(): Promise<void> {
      closing.abort()
      await done
    },
  }
}
