/** Why a disk took nothing that was to be written: it has no room, it can only be read, or it answers with errors. */
export type DiskRefusal = 'full' | 'readOnly' | 'broken'

/** What the system says of a disk, or of the share of it that is allowed. */
const systemCodes: ReadonlyMap<unknown, DiskRefusal> = new Map([
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EROFS', 'readOnly'],
  ['EIO', 'broken'],
])
/** SQLITE_FULL. */
const sqliteFull = 13
/** SQLITE_READONLY, in the low byte. */
const sqliteReadOnly = 8
/** SQLITE_IOERR_WRITE, _SHMSIZE and _SHMMAP: a file beside the database could not grow, and no word why. */
const sqliteGrowth: ReadonlySet<unknown> = new Set([778, 4874, 5386])
/** SQLITE_IOERR_READ, _WRITE, _FSYNC, _DIR_FSYNC, _TRUNCATE, _FSTAT, _DELETE and _SHMOPEN: the disk itself refused. */
const sqliteFaults: ReadonlySet<unknown> = new Set([266, 778, 1034, 1290, 1546, 1802, 2570, 4618])
/** SQLITE_CANTOPEN, in the low byte: also what a disk that can only be read makes of a journal. */
const sqliteCannotOpen = 14
/** Where an error carries what a look at the disk found. */
const found = Symbol('what the disk refused')

const refusalOf = (error: Error): DiskRefusal | undefined => {
  const { code, errcode, [found]: seen } = error as { code?: unknown; errcode?: unknown; [found]?: DiskRefusal }
  const ofSystem = seen ?? systemCodes.get(code)
  if (ofSystem || typeof errcode !== 'number') return ofSystem
  if ((errcode & 0xff) === sqliteReadOnly) return 'readOnly'
  if (errcode === sqliteFull || sqliteGrowth.has(errcode)) return 'full'
  return sqliteFaults.has(errcode) ? 'broken' : undefined
}
/** An error with its causes. */
function* chain(error: unknown): Generator<Error> {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) yield each
}

/** Why the disk took nothing, where something failed because of that, also when the error that says so is the cause of another; undefined for anything else. */
export function diskRefusalOf(error: unknown): DiskRefusal | undefined {
  for (const each of chain(error)) {
    const refusal = refusalOf(each)
    if (refusal) return refusal
  }
  return undefined
}

/** Whether something failed because the disk has no room. */
export const isDiskFull = (error: unknown): boolean => diskRefusalOf(error) === 'full'

/**
 * Notes on an error of SQLite, or on the one that caused it, what `look` finds, since SQLite does not say why it cannot write: the
 * error of a trial of the disk, undefined when it can be written. Gives the error back.
 */
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
