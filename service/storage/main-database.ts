import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { DatabaseFaultKind, DatabaseRecovery, DatabaseReport } from '../../contract/service-process.ts'
import { syncFolderNow } from '../../platform/atomic-file.ts'
import { deniedWords } from '../../platform/denied-place.ts'
import type { Quarantine } from '../../platform/quarantine.ts'
import { clearDeniedMemory, deniedBeside, isDenied, keepDamagedLog } from '../../platform/sqlite-log.ts'
import { forgetStore, isDamage, isOtherFile, noteFile, noteStore, readStores } from '../../platform/stores.ts'
import { copiesFolder, copyBeforeUpdate, listCopies } from './database-copies.ts'
import { clearSuspect, isSuspect } from './database-suspect.ts'
import { findDamage, lookInto } from './database-work.ts'
import { migrations } from './migrations.ts'

/** The main database is unusable and unchanged; the user must decide. */
export class DatabaseFault extends Error {
  readonly trouble: DatabaseReport
  constructor(dataDir: string, kind: DatabaseFaultKind, detail: string, hint?: string) {
    const copies = listCopies(dataDir).filter(({ name }) => kind !== 'newer' || !isNewer(dataDir, name))
    const choice = copies[0]
      ? `restore the copy of ${new Date(copies[0].at).toISOString()} or begin anew`
      : 'there is no copy of it; begin anew'
    super(`${sentences[kind](join(dataDir, databaseName), detail)}; ${hint ?? choice}`)
    this.trouble = {
      kind,
      detail: detail.slice(0, 300),
      copies: copies.map(({ name, at, bytes }) => ({ name, at, bytes })),
    }
  }
}

const databaseName = 'sidestage.db'
const sentences: Readonly<Record<DatabaseFaultKind, (path: string, detail: string) => string>> = {
  missing: (path) => `the database ${path} was there before and is gone`,
  damaged: (path, detail) => `the database ${path} is damaged (${detail})`,
  newer: (path, detail) => `the database ${path} was made by a newer Sidestage (${detail}): update Sidestage to use it`,
  notAFile: (path) => `in the place of the database ${path} is something that is not a file`,
  unreadable(path, detail) {
    const dataDir = dirname(path)
    const { owner, command } = deniedWords(dataDir, join(dataDir, detail)) ?? {}
    const remedy = command === undefined ? '' : `: it belongs to ${owner}; run "${command}" as root and start again`
    return `the database ${path} may not be read (${detail})${remedy}`
  },
}

/** A larger database is checked while the service runs (`background-check.ts`), in bytes. */
export const maxCheckedAtOnce = 256 * 1024 * 1024

/** Whether a data folder was used, so that a missing database was lost. */
function wasUsed(dataDir: string): boolean {
  if (readStores(dataDir).includes(databaseName) || listCopies(dataDir).length > 0) return true
  // SQLite would delete the write-ahead log of a missing database.
  if ((lstatSync(join(dataDir, `${databaseName}-wal`), { throwIfNoEntry: false })?.size ?? 0) > 0) return true
  const names = (folder: string): string[] =>
    lstatSync(join(dataDir, folder), { throwIfNoEntry: false })?.isDirectory() ? readdirSync(join(dataDir, folder)) : []
  return (
    names('recordings').some((name) => /^[0-9a-f]{32}$/.test(name)) ||
    names('files').some((name) => /^[0-9a-f]{2}$/.test(name))
  )
}

/** Migrations that a database had, in order. */
function migrationsOf(database: DatabaseSync): string[] {
  const there = database.prepare(`select 1 from sqlite_master where name = 'kysely_migration'`).get()
  if (!there) return []
  const rows = database.prepare('select name from kysely_migration order by name').all() as { name: string }[]
  return rows.map(({ name }) => name)
}
const newerMigrations = (path: string): string[] =>
  lookInto(path, migrationsOf).filter((name) => !Object.hasOwn(migrations, name))

/** Whether a copy was made by a newer version; one that cannot be read was not found to be. */
function isNewer(dataDir: string, copy: string): boolean {
  try {
    return newerMigrations(join(dataDir, copiesFolder, copy)).length > 0
  } catch {
    return false
  }
}

/**
 * Brings the main database up to date by `update`, which opens it. One of an earlier version is copied before: on a
 * disk without room for that the update goes on, as a full disk must not keep the service from starting.
 */
export async function updateMainDatabase<T>(
  dataDir: string,
  options: {
    readonly now: number
    readonly version: string
    readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
    readonly free?: (folder: string) => Promise<number>
  },
  update: () => Promise<T>,
): Promise<T> {
  const { now, version, log, free } = options
  const from = statSync(join(dataDir, databaseName), { throwIfNoEntry: false })?.size
    ? lookInto(join(dataDir, databaseName), migrationsOf).at(-1)
    : undefined
  const to = Object.keys(migrations).at(-1)
  if (from === undefined || from === to) return update()
  try {
    const copy = await copyBeforeUpdate(dataDir, now, free)
    log.info({ copy }, 'a copy of the database was made before the update')
  } catch (error) {
    log.warn({ err: error }, 'no copy of the database could be made before the update, which goes on')
  }
  const updated = await update()
  log.info({ from, to, version }, 'the database was brought up to date')
  return updated
}

/**
 * What is wrong with a data folder's database; undefined for nothing or a new folder. A thorough look also checks one
 * that is otherwise checked while the service runs. Throws disk errors.
 */
function findFault(dataDir: string, isThorough: boolean): DatabaseFault | undefined {
  const path = join(dataDir, databaseName)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  const denied = isDenied(path) ? '' : deniedBeside(path)
  if (denied !== undefined) return new DatabaseFault(dataDir, 'unreadable', `${databaseName}${denied}`)
  if (stats && !stats.isFile()) return new DatabaseFault(dataDir, 'notAFile', '')
  if (!stats || stats.size === 0)
    return wasUsed(dataDir) ? new DatabaseFault(dataDir, stats ? 'damaged' : 'missing', 'the file is empty') : undefined
  try {
    const newer = newerMigrations(path)
    if (newer.length > 0) return new DatabaseFault(dataDir, 'newer', newer.join(', '))
    const isLate = stats.size > maxCheckedAtOnce && !isThorough && !isSuspect(dataDir)
    const damage = isLate ? undefined : findDamage(path)
    if (damage === undefined) clearSuspect(dataDir)
    return damage === undefined ? undefined : new DatabaseFault(dataDir, 'damaged', damage)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EACCES' || code === 'EPERM') return new DatabaseFault(dataDir, 'unreadable', code)
    if (isDamage(error))
      return new DatabaseFault(dataDir, 'damaged', error instanceof Error ? error.message : 'it cannot be read')
    throw error
  }
}

/** What an older database means for viewers. */
const watchAsThen =
  'Who may watch is as it was then: what was closed, revoked or given a passphrase since is open again until it is ' +
  'done again'

const leftAlone = 'the database can be used and was left as it is: --restore-copy and --begin-anew may be removed'
const copyNames = (dataDir: string): string[] => listCopies(dataDir).map(({ name }) => name)
/** Says that a decision names a copy that is not there; '' otherwise. */
function unknownCopy(dataDir: string, { copy }: DatabaseRecovery): string {
  const names = copyNames(dataDir)
  if (copy === null || copy === 'latest' || names.includes(copy)) return ''
  const others = names.length === 0 ? 'is none' : `are ${names.join(', ')}`
  return `there is no such copy as ${copy} (--restore-copy): there ${others}; `
}

/** Files that SQLite keeps beside the database. */
const beside = ['-wal', '-shm', '-journal'] as const

/**
 * Prepares the main database for opening. Throws `DatabaseFault` when the user must decide; a decision replaces an
 * unusable database alone.
 */
export function prepareMainDatabase(
  dataDir: string,
  options: {
    readonly quarantine: Pick<Quarantine, 'setAside'>
    readonly recovery?: DatabaseRecovery | undefined
    readonly log: { warn(details: object, message: string): void }
  },
): void {
  const { quarantine, recovery, log } = options
  const path = join(dataDir, databaseName)
  for (const end of beside) {
    const stats = lstatSync(`${path}${end}`, { throwIfNoEntry: false })
    if (stats && !stats.isFile())
      quarantine.setAside([`${databaseName}${end}`], 'notAFile', 'something that is not a file was beside the database')
  }
  clearDeniedMemory(path, quarantine)
  // While the user must decide, nothing is changed.
  if (
    (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0 &&
    !isDenied(path) &&
    deniedBeside(path) === undefined
  )
    keepDamagedLog(path, quarantine)
  const fault = findFault(dataDir, recovery !== undefined)
  if (!fault) {
    if (isOtherFile(path))
      log.warn(
        {},
        `the database is another file than at the last start: a copy or a backup was put back. ${watchAsThen}`,
      )
    // A switch that stays on the command line must not replace what came since.
    if (recovery) log.warn({}, `${unknownCopy(dataDir, recovery)}${leftAlone}`)
    return
  }
  if (recovery === undefined) throw fault
  const all = [databaseName, ...beside.map((end) => `${databaseName}${end}`)]
  if (recovery.copy === null) {
    const wasThere = all.some((name) => lstatSync(join(dataDir, name), { throwIfNoEntry: false }) !== undefined)
    quarantine.setAside(all, 'replaced', 'a new database was begun in its place')
    forgetStore(path)
    clearSuspect(dataDir)
    log.warn({}, `a new database was created${wasThere ? '; the old one is in the quarantine' : ''}`)
    return
  }
  // Copies of a newer version are not among those of the fault.
  const copy =
    recovery.copy === 'latest'
      ? fault.trouble.copies[0]
      : listCopies(dataDir).find(({ name }) => name === recovery.copy)
  if (!copy) {
    const names = copyNames(dataDir)
    const others = names.length === 0 ? 'there is no copy of it; begin anew' : `there are ${names.join(', ')}`
    throw new DatabaseFault(
      dataDir,
      fault.trouble.kind,
      fault.trouble.detail,
      `there is no such copy as ${recovery.copy}: ${others}`,
    )
  }
  const from = join(dataDir, copiesFolder, copy.name)
  const damage = damageOf(from)
  if (damage !== undefined)
    throw new DatabaseFault(dataDir, 'damaged', `the copy ${copy.name} is damaged too: ${damage}`)
  // Complete and synced before the old file is moved: a crash leaves one or the other.
  const fresh = `${path}.new`
  rmSync(fresh, { force: true })
  copyFileSync(from, fresh)
  // An older copy may be readable by other users.
  chmodSync(fresh, 0o600)
  const descriptor = openSync(fresh, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  quarantine.setAside(all, 'replaced', `the copy ${copy.name} was put in its place`)
  renameSync(fresh, path)
  clearSuspect(dataDir)
  syncFolderNow(dataDir)
  log.warn(
    { copy: copy.name, made: new Date(copy.at).toISOString() },
    `the database was replaced by a copy; the old one is in the quarantine. ${watchAsThen}`,
  )
}

function damageOf(path: string): string | undefined {
  try {
    const newer = newerMigrations(path)
    return newer.length > 0 ? `it was made by a newer Sidestage (${newer.join(', ')})` : findDamage(path)
  } catch (error) {
    return error instanceof Error ? error.message : 'it cannot be read'
  }
}

/** Notes that the database exists, and which file it is, so that its loss and its replacement are noticed. */
export function noteMainDatabase(dataDir: string): void {
  const path = join(dataDir, databaseName)
  noteStore(path)
  try {
    noteFile(path)
  } catch (error) {
    // Without room the next start says it once more.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
