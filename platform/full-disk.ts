/** What the system says when a disk, or the share of it that is allowed, has no room. */
const systemCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
/** SQLITE_FULL; and SQLITE_IOERR_WRITE, _SHMSIZE and _SHMMAP, by which it says that a file beside the database could not grow. */
const sqliteCodes: ReadonlySet<unknown> = new Set([13, 778, 4874, 5386])

/** Whether something failed because the disk has no room, also when the error that says so is the cause of another. */
export function isDiskFull(error: unknown): boolean {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    if ('code' in each && systemCodes.has(each.code)) return true
    if ('errcode' in each && sqliteCodes.has(each.errcode)) return true
  }
  return false
}
