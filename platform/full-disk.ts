/** Why a write failed: disk full, read-only, or I/O errors. */
export type DiskRefusal = 'full' | 'readOnly' | 'broken'

/** Codes of the system, with those of quotas. */
const systemCodes: ReadonlyMap<unknown, DiskRefusal> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'readOnly'],
  ['EIO', 'broken'],
])
/** SQLSTATEs of PostgreSQL: disk_full, read_only_sql_transaction and io_error. */
const postgresCodes: ReadonlyMap<unknown, DiskRefusal> = new Map([
  ['53100', 'full'],
  ['25006', 'readOnly'],
  ['58030', 'broken'],
])
/** SQLITE_FULL. */
const sqliteFull = 13
/** SQLITE_READONLY, in the low byte. */
const sqliteReadOnly = 8
/** SQLITE_IOERR_WRITE, _SHMSIZE and _SHMMAP: a side file could not grow, for an unknown reason. */
const sqliteGrowth: ReadonlySet<unknown> = new Set([778, 4874, 5386])
/** SQLITE_IOERR_READ, _WRITE, _FSYNC, _DIR_FSYNC, _TRUNCATE, _FSTAT, _DELETE and _SHMOPEN: I/O error. */
const sqliteFaults: ReadonlySet<unknown> = new Set([266, 778, 1034, 1290, 1546, 1802, 2570, 4618])
/** SQLITE_CANTOPEN, in the low byte: also for a journal on a read-only disk. */
const sqliteCannotOpen = 14
/** Key of the disk's state in an error. */
const found = Symbol('what the disk refused')

const refusalOf = (error: Error): DiskRefusal | undefined => {
  const { code, errcode, [found]: seen } = error as { code?: unknown; errcode?: unknown; [found]?: DiskRefusal }
  const ofSystem = seen ?? systemCodes.get(code) ?? postgresCodes.get(code)
  if (ofSystem || typeof errcode !== 'number') return ofSystem
  if ((errcode & 0xff) === sqliteReadOnly) return 'readOnly'
  if (errcode === sqliteFull || sqliteGrowth.has(errcode)) return 'full'
  return sqliteFaults.has(errcode) ? 'broken' : undefined
}
/** An error with its causes. */
function* chain(error: unknown): Generator<Error> {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) yield each
}

/** Why a write failed, also from the causes of an error; undefined if not because of the disk. */
export function diskRefusalOf(error: unknown): DiskRefusal | undefined {
  for (const each of chain(error)) {
    const refusal = refusalOf(each)
    if (refusal) return refusal
  }
  return undefined
}

/** Whether the disk is full. */
export const isDiskFull = (error: unknown): boolean => diskRefusalOf(error) === 'full'

/** Adds to an SQLite error what `look` found, the error of a test write: SQLite does not say why it cannot write. */
export function withDiskRefusal(error: unknown, look: () => unknown): unknown {
  for (const each of chain(error)) {
    const { errcode } = each as { errcode?: unknown }
    if (typeof errcode !== 'number') continue
    if (!sqliteGrowth.has(errcode) && !sqliteFaults.has(errcode) && (errcode & 0xff) !== sqliteCannotOpen) continue
    const refusal = diskRefusalOf(look()) ?? (sqliteFaults.has(errcode) ? 'broken' : undefined)
    if (refusal) Object.assign(each, { [found]: refusal })
  }
  return error
}
