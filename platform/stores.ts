import { closeSync, lstatSync, openSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { writeAtomicallyNow } from './atomic-file.ts'
import { clearDeniedMemory, deniedBeside, keepDamagedLog } from './sqlite-log.ts'
import { openQuarantine } from './quarantine.ts'
import type { QuarantineReason } from './quarantine-manifest.ts'

/** Time in ms; by default the system's. */
type Now = () => number

/** Lists the stores of a folder, to notice missing ones. */
const inventoryName = 'stores.json'

const nameOf = (file: string): string => path.basename(file)

interface Inventory {
  readonly stores: readonly string[]
  /** Numbers that the file system gave to files of stores. */
  readonly files: Readonly<Record<string, string>>
}

function readInventory(folder: string, now: Now): Inventory {
  clearPlace(path.join(folder, inventoryName), now)
  try {
    const raw = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path.join(folder, inventoryName))),
    ) as unknown
    const { version, stores, files } =
      typeof raw === 'object' && raw !== null ? (raw as { version?: unknown; stores?: unknown; files?: unknown }) : {}
    if (version === 1 && Array.isArray(stores))
      return {
        stores: stores.filter((each): each is string => typeof each === 'string'),
        files: Object.fromEntries(
          Object.entries(typeof files === 'object' && files !== null ? files : {}).filter(
            (each): each is [string, string] => typeof each[1] === 'string',
          ),
        ),
      }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { stores: [], files: {} }
  }
  openQuarantine({ folder, now }).setAside(
    [inventoryName],
    'damaged',
    'the list of stores is not readable; it is made anew',
  )
  return { stores: [], files: {} }
}
const writeInventory = (folder: string, { stores, files }: Inventory): void => {
  const kept = Object.fromEntries(Object.entries(files).filter(([name]) => stores.includes(name)))
  const content = { version: 1, stores, ...(Object.keys(kept).length > 0 && { files: kept }) }
  writeAtomicallyNow(path.join(folder, inventoryName), `${JSON.stringify(content, null, 2)}\n`)
}

/** Names of the stores that a folder has had. */
export const readStores = (folder: string, now: Now = Date.now): readonly string[] => readInventory(folder, now).stores

/** Records that a store exists, so that its loss is noticed. */
export function noteStore(file: string, now: Now = Date.now): void {
  const folder = path.dirname(file)
  const { stores, files } = readInventory(folder, now)
  if (!stores.includes(nameOf(file))) writeInventory(folder, { stores: [...stores, nameOf(file)], files })
}

/** The number of a file, which a copy in its place does not have. */
const numberOf = (file: string): string | undefined =>
  statSync(file, { bigint: true, throwIfNoEntry: false })?.ino.toString()

/** Records which file a store is, for `isOtherFile`. */
export function noteFile(file: string, now: Now = Date.now): void {
  const folder = path.dirname(file)
  const { stores, files } = readInventory(folder, now)
  const number = numberOf(file)
  if (number !== undefined && files[nameOf(file)] !== number)
    writeInventory(folder, { stores, files: { ...files, [nameOf(file)]: number } })
}

/** Whether the file of a store is another one than that which was recorded: it was copied or put back. */
export function isOtherFile(file: string, now: Now = Date.now): boolean {
  const known = readInventory(path.dirname(file), now).files[nameOf(file)]
  const number = numberOf(file)
  return known !== undefined && number !== undefined && known !== number
}

/** Records that a store was removed on purpose. */
export function forgetStore(file: string, now: Now = Date.now): void {
  const folder = path.dirname(file)
  const { stores, files } = readInventory(folder, now)
  if (stores.includes(nameOf(file)))
    writeInventory(folder, { stores: stores.filter((each) => each !== nameOf(file)), files })
}

/** Whether a missing store existed before; reported once, in the quarantine. */
export function missStore(file: string, now: Now = Date.now): boolean {
  const folder = path.dirname(file)
  const { stores, files } = readInventory(folder, now)
  if (!stores.includes(nameOf(file))) return false
  setStoreAside(file, 'missing', 'it was there before and is gone', now)
  writeInventory(folder, { stores: stores.filter((each) => each !== nameOf(file)), files })
  return true
}

/** Quarantines a store with its SQLite side files. Throws the system's error. */
export function setStoreAside(file: string, reason: QuarantineReason, detail: string, now: Now = Date.now): void {
  const name = nameOf(file)
  const all = [name, `${name}-wal`, `${name}-shm`, `${name}-journal`]
  openQuarantine({ folder: path.dirname(file), now }).setAside(reason === 'missing' ? [name] : all, reason, detail)
}

/** Quarantines whatever is in a store's place but is no file; also for its side files. */
export function clearPlace(file: string, now: Now = Date.now): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`, `${file}.new`]) {
    const stats = lstatSync(each, { throwIfNoEntry: false })
    if (stats && !stats.isFile())
      openQuarantine({ folder: path.dirname(file), now }).setAside(
        [nameOf(each)],
        'notAFile',
        'something that is not a file was in its place',
      )
  }
}

/** Quarantines whatever is in a folder's place but is no folder. */
export function clearFolderPlace(folder: string, now: Now = Date.now): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats && !stats.isDirectory())
    openQuarantine({ folder: path.dirname(folder), now }).setAside(
      [nameOf(folder)],
      'notAFile',
      'something that is not a folder was in its place',
    )
}

/** SQLite codes for damaged content; other errors are of the disk or temporary and quarantine nothing. */
const passing = new Set([3, 5, 6, 7, 8, 9, 10, 13, 14, 15])
/** Whether an SQLite error means damaged content. */
export const isDamage = (error: unknown): boolean => {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? !passing.has(code & 0xff) : error instanceof DamagedStore
}

/** A store with invalid content. */
export class DamagedStore extends Error {
  readonly reason: 'damaged' | 'newer'
  constructor(reason: 'damaged' | 'newer', message: string) {
    super(message)
    this.reason = reason
  }
}

/** Throws DamagedStore if SQLite's check fails. */
export function checkDatabase(database: DatabaseSync): void {
  const row = database.prepare('pragma quick_check(1)').get() as { quick_check?: unknown } | undefined
  if (row?.quick_check !== 'ok')
    throw new DamagedStore('damaged', typeof row?.quick_check === 'string' ? row.quick_check : 'it cannot be checked')
}

/** Opens a small database (0600); a damaged or newer one is quarantined and replaced. `open` makes its tables. */
export function openDatabaseStore<T>(
  file: string,
  version: number,
  open: (database: DatabaseSync) => T,
  now: Now = Date.now,
): T {
  clearPlace(file, now)
  const quarantine = openQuarantine({ folder: path.dirname(file), now })
  clearDeniedMemory(file, quarantine)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  const denied = deniedBeside(file)
  if (stats === undefined) {
    missStore(file, now)
    // SQLite deletes the log of a missing database, or writes its pages into the new one.
    const left = ['-wal', '-shm', '-journal'].map((end) => `${nameOf(file)}${end}`)
    quarantine.setAside(left, 'damaged', `its database ${nameOf(file)} is gone`)
  } else if (denied !== undefined)
    setStoreAside(file, 'unreadable', `its log may not be used (${nameOf(file)}${denied})`, now)
  else if (stats.size === 0 && readInventory(path.dirname(file), now).stores.includes(nameOf(file)))
    setStoreAside(file, 'damaged', 'the file is empty', now)
  keepDamagedLog(file, quarantine)
  const attempt = (): T => {
    closeSync(openSync(file, 'a', 0o600))
    const database = new DatabaseSync(file)
    try {
      database.exec('pragma busy_timeout = 2000')
      const { user_version: made } = database.prepare('pragma user_version').get() as { user_version: number }
      if (made > version)
        throw new DamagedStore('newer', `it was made by a newer Sidestage (version ${made}, this one knows ${version})`)
      checkDatabase(database)
      const result = open(database)
      if (made !== version) database.exec(`pragma user_version = ${version}`)
      noteStore(file, now)
      return result
    } catch (error) {
      database.close()
      throw error
    }
  }
  try {
    return attempt()
  } catch (error) {
    const denied = ['EACCES', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))
    if (!denied && !isDamage(error)) throw error
    const detail = error instanceof Error ? error.message : String(error)
    setStoreAside(file, denied ? 'unreadable' : error instanceof DamagedStore ? error.reason : 'damaged', detail, now)
    return attempt()
  }
}
