import type { Clock } from '../platform/clock.ts'
import type { DatabaseRecovery } from '../contract/service-process.ts'
import { createUndoStack } from '../platform/undo-stack.ts'
import type { Log } from './log.ts'
import { keepTidy, openServiceQuarantine } from './quarantine/service-quarantine.ts'
import { checkInBackground, createDamageNote } from './storage/background-check.ts'
import { createDatabaseCopies } from './storage/database-copies.ts'
import type { DatabaseCounts } from './storage/database-counts.ts'
import { lockDataDir } from './storage/instance-lock.ts'
import { noteMainDatabase, prepareMainDatabase, updateMainDatabase } from './storage/main-database.ts'
import type { ReadCallers } from './storage/reader.ts'
import type { PostgresPlace } from './storage/store-postgres.ts'
import { openSqliteStore } from './storage/store-sqlite.ts'
import type { Store } from './storage/store.ts'
import { version } from './version.ts'

/**
 * Opens a data folder for this process alone, making it where it is not there. Rejects with a sentence, and leaves
 * nothing open, when it cannot.
 */
export async function openDataFolder(options: {
  readonly dataDir: string
  /** Where the rows are; in a file of the folder when absent. */
  readonly database?: PostgresPlace | undefined
  /** What a person decided about a damaged database. */
  readonly recovery?: DatabaseRecovery | undefined
  /** Whose time long reads take. */
  readonly callers: Omit<ReadCallers, 'damaged'>
  readonly counts?: DatabaseCounts | undefined
  readonly clock: Clock
  readonly log: Log
}) {
  const { dataDir, database, recovery, callers, counts, clock, log } = options
  const undo = createUndoStack((error) => log.error({ err: error }, 'a part of the data folder did not close cleanly'))
  const callFailed = (error: unknown): void => log.error({ err: error }, 'a call after a commit failed')
  try {
    undo.push(lockDataDir(dataDir))
    const quarantine = openServiceQuarantine(dataDir, clock, log)
    const openFile = async (): Promise<Store> => {
      prepareMainDatabase(dataDir, { quarantine, recovery, log })
      const opened = await updateMainDatabase(dataDir, { now: clock.now(), version, log }, () =>
        openSqliteStore(dataDir, {
          callers: { ...callers, damaged: createDamageNote(dataDir, log) },
          callFailed,
          counts,
        }),
      )
      undo.push(() => opened.close())
      noteMainDatabase(dataDir)
      const copies = createDatabaseCopies({ dataDir, clock, log })
      undo.push(() => copies.close())
      const checking = checkInBackground({ dataDir, log })
      undo.push(() => checking.close())
      return opened
    }
    const connect = async (place: PostgresPlace): Promise<Store> => {
      if (recovery)
        log.warn(
          {},
          'the rows are in PostgreSQL, which is restored by its own tools: --restore-copy and --begin-anew do nothing',
        )
      const { openPostgresStore } = await import('./storage/store-postgres.ts')
      const opened = await openPostgresStore(place, { callers, callFailed, counts, log })
      undo.push(() => opened.close())
      return opened
    }
    const store = database === undefined ? await openFile() : await connect(database)
    undo.push(keepTidy(quarantine, log))
    return {
      store,
      quarantine /** Ends daily copies and checks, closes the database and frees the folder. */,
      close: () => undo.close(),
    }
  } catch (error) {
    await undo.close()
    throw error
  }
}
