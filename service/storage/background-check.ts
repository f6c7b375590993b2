import { statSync } from 'node:fs'
import { join } from 'node:path'
import { inThread } from './database-copies.ts'
import { noteDoubt } from './database-doubt.ts'
import { maxCheckedAtOnce } from './main-database.ts'

/** A check while the service runs. */
export interface BackgroundCheck {
  /** The result; `none` when the start has checked. Never rejects. */
  readonly done: Promise<'none' | 'sound' | 'damaged' | 'failed'>
  close(): Promise<void>
}

/**
 * Reports a damaged database once: in the log, and in a note beside it that makes the next start check it and ask the
 * user. The service continues: it may be on air.
 */
export function createDamageNote(
  dataDir: string,
  log: { error(details: object, message: string): void },
): (found: string) => void {
  let isTold = false
  return (found) => {
    if (isTold) return
    isTold = true
    log.error(
      { found },
      'the database is damaged; restart the service to restore a copy: no more copies are made of it',
    )
    try {
      noteDoubt(dataDir, found)
    } catch (error) {
      log.error({ err: error }, 'the damage could not be noted beside the database')
    }
  }
}

/** Checks a database that was too large for the start, in a thread. Reports damage as {@link createDamageNote} does. */
export function checkInBackground(options: {
  readonly dataDir: string
  readonly log: {
    info(details: object, message: string): void
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
}): BackgroundCheck {
  const { dataDir, log } = options
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
    done,
    async close() {
      closing.abort()
      await done
    },
  }
}
