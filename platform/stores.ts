import { closeSync, lstatSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { writeAtomicallyNow } from './atomic-file.ts'
import { clearDeniedMemory, deniedBeside, keepDamagedLog } from './sqlite-log.ts'
import { openQuarantine, type QuarantineReason } from './quarantine.ts'

/** Time in ms; the system's where nothing else is given. */
type Now = () => number

/** Which stores a folder has had, so that one that is gone is missed. */
const inventoryName = 'stores.json'

const nameOf = (file: string): string => path.basename(file)

function readInventory(folder: string, now: Now): string[] {
  clearPlace(path.join(folder, inventoryName), now)
  try {
    const raw = JSON.parse(
      new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path.join(folder, inventoryName))),
    ) as unknown
    const { version, stores } =
      typeof raw === 'object' && raw !== null ? (raw as { version?: unknown; stores?: unknown }) : {}
    if (version === 1 && Array.isArray(stores)) return stores.filter((each): each is string => typeof each === 'string')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
  }
  openQuarantine({ folder, now }).setAside(
    [inventoryName],
    'damaged',
    'the list of stores is not readable; it is made anew',
  )
  return []
}
const writeInventory = (folder: string, stores: readonly string[]): void => {
  writeAtomicallyNow(path.join(folder, inventoryName), `${JSON.stringify({ version: 1, stores }, null, 2)}\n`)
}

/** Names of the stores that a folder has had. */
export const readStores = (folder: string, now: Now = Date.now): readonly string[] => readInventory(folder, now)

/** Notes that a store of a folder is there, so that it is missed when it is gone. */
export function noteStore(file: string, now: Now = Date.now): void {
  const folder = path.dirname(file)
  const stores = readInventory(folder, now)
  if (!stores.includes(nameOf(file))) writeInventory(folder, [...stores, nameOf(file)])
}

/** Notes that a store was taken away because it has served its purpose. */
export function forgetStore(file: string, now: Now = Date.now): void {
  const folder = path.dirname(file)
  const stores = readInventory(folder, now)
  if (stores.includes(nameOf(file)))
    writeInventory(
      folder,
      stores.filter((each) => each !== nameOf(file)),
    )
}

/** Whether a store that is not there was there before; told once, and noted in the quarantine. */
export function missStore(file: string, now: Now = Date.now): boolean {
  const folder = path.dirname(file)
  const stores = readInventory(folder, now)
  if (!stores.includes(nameOf(file))) return false
  setStoreAside(file, 'missing', 'it was there before and is gone', now)
  writeInventory(
    folder,
    stores.filter((each) => each !== nameOf(file)),
  )
  return true
}

/** Sets a store aside with the files that SQLite keeps beside it. Throws the system's error when it cannot be moved. */
export function setStoreAside(file: string, reason: QuarantineReason, detail: string, now: Now = Date.now): void {
  const name = nameOf(file)
  const all = [name, `${name}-wal`, `${name}-shm`, `${name}-journal`]
  openQuarantine({ folder: path.dirname(file), now }).setAside(reason === 'missing' ? [name] : all, reason, detail)
}

/** Something in the place of a store that is not a file, a folder for instance, is set aside; also in the place of what SQLite keeps beside it. */
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

/** Something in the place of a folder that is not one is set aside. */
export function clearFolderPlace(folder: string, now: Now = Date.now): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats && !stats.isDirectory())
    openQuarantine({ folder: path.dirname(folder), now }).setAside(
      [nameOf(folder)],
      'notAFile',
      'something that is not a folder was in its place',
    )
}

/** SQLite's words for a content that is wrong; any other error is of the disk or of the moment, and nothing is set aside for it. */
const passing = new Set([3, 5, 6, 7, 8, 9, 10, 13, 14, 15])
/** Whether an error of SQLite tells of the file's content. */
export const isDamage = (error: unknown): boolean => {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? !passing.has(code & 0xff) : error instanceof DamagedStore
}

/** A store whose content is wrong. */
export class DamagedStore extends Error {
  readonly reason: 'damaged' | 'newer'
  constructor(reason: 'damaged' | 'newer', message: string) {
    super(message)
    this.reason = reason
  }
}

/** Throws DamagedStore where SQLite finds the database broken. */
export function checkDatabase(database: DatabaseSync): void {
  const row = database.prepare('pragma quick_check(1)').get() as { quick_check?: unknown } | undefined
  if (row?.quick_check !== 'ok')
    throw new DamagedStore('damaged', typeof row?.quick_check === 'string' ? row.quick_check : 'it cannot be checked')
}

/**
 * Opens a small database of the app at `file`, readable by its owner only. One that is damaged, made by a newer version, or something
 * else in its place is set aside beside it in `quarantine/`, and an empty one is begun; so is one that was there before and is gone.
 * `open` makes the tables of `version`. Throws what is wrong with the disk.
 */
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
    // SQLite deletes the log of a database that is not there, or writes its pages into the new one.
    const left = ['-wal', '-shm', '-journal'].map((end) => `${nameOf(file)}${end}`)
    quarantine.setAside(left, 'damaged', `its database ${nameOf(file)} is gone`)
  } else if (denied !== undefined)
    setStoreAside(file, 'unreadable', `its log may not be used (${nameOf(file)}${denied})`, now)
  else if (stats.size === 0 && readInventory(path.dirname(file), now).includes(nameOf(file)))
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
