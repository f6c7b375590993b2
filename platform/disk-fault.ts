import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { deniedWords } from './denied-place.ts'
import { isDiskFull, withDiskRefusal } from './full-disk.ts'

/** Why a folder cannot be written; `broken`: I/O errors. */
export type DiskFaultKind = 'full' | 'readOnly' | 'denied' | 'broken' | 'notAFolder' | 'absent'

const otherwise = 'or choose another folder, and start again'
const sentences: Readonly<Record<DiskFaultKind, (folder: string, dataDir: string) => string>> = {
  full: (folder) => `the disk of ${folder} is full: make room on it and start again`,
  readOnly: (folder) => `the disk of ${folder} can only be read: make it writable, ${otherwise}`,
  denied: (folder, dataDir) => {
    const words = deniedWords(dataDir, folder)
    if (!words) return `this user may not write into ${folder}: give the right to, ${otherwise}`
    const { user, at, owner, command } = words
    const whose = at === folder ? `which belongs to ${owner}` : `as ${at} belongs to ${owner}`
    const remedy = command === undefined ? 'let this user into it' : `run "${command}" as root`
    return `this user (${user}) may not write into ${folder}, ${whose}: ${remedy}, ${otherwise}`
  },
  broken: (folder) => `the disk of ${folder} answers with errors: check it, ${otherwise}`,
  notAFolder: (folder) => `something on the way to ${folder} is not a folder: move it away, ${otherwise}`,
  absent: (folder) => `the folder ${folder} is not there and cannot be made: connect its disk, ${otherwise}`,
}

/** A start cannot write into a folder; the message tells the user what to do. Nothing was changed. */
export class DiskFault extends Error {
  readonly kind: DiskFaultKind
  readonly folder: string
  /** `dataDir`: the folder that a person named, where `folder` is in it. */
  constructor(kind: DiskFaultKind, folder: string, cause: unknown, dataDir = folder) {
    const said = cause instanceof Error ? cause.message : String(cause)
    super(`${sentences[kind](folder, dataDir)}; what is in it stays as it is (${said})`, { cause })
    this.kind = kind
    this.folder = folder
  }
}

const kinds: Readonly<Record<string, DiskFaultKind>> = {
  EROFS: 'readOnly',
  EACCES: 'denied',
  EPERM: 'denied',
  EIO: 'broken',
  ENOTDIR: 'notAFolder',
  EEXIST: 'notAFolder',
  ENOENT: 'absent',
}
/** SQLITE_PERM, _READONLY, _IOERR, _CANTOPEN and _AUTH. */
const sqliteCodes: ReadonlySet<number> = new Set([3, 8, 10, 14, 23])

/** Error of writing a test file; undefined on success. */
export function trialOf(folder: string): unknown {
  const file = path.join(folder, `.sidestage-trial-${process.pid}`)
  try {
    const descriptor = openSync(file, 'wx', 0o600)
    try {
      writeFileSync(descriptor, Buffer.alloc(4096))
    } finally {
      closeSync(descriptor)
      rmSync(file, { force: true })
    }
    return undefined
  } catch (error) {
    return error
  }
}

/** A `DiskFault` if a test of the folder shows one, else the error: SQLite and mkdir do not report the cause. */
export function asDiskFault(folder: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DiskFault) return error
  if (isDiskFull(withDiskRefusal(error, () => trialOf(folder)))) return new DiskFault('full', folder, error)
  const {
    code,
    errcode,
    path: place,
    syscall,
  } = error as { code?: unknown; errcode?: unknown; path?: unknown; syscall?: unknown }
  const own = typeof code === 'string' ? kinds[code] : undefined
  const bySqlite = typeof errcode === 'number' && sqliteCodes.has(errcode & 0xff)
  // rmSync gives no code on a read-only disk.
  if (own === undefined && !bySqlite && code !== '') return error
  const found = trialOf(folder)
  if (isDiskFull(found)) return new DiskFault('full', folder, error)
  if (found !== undefined) {
    const tried = kinds[String((found as NodeJS.ErrnoException).code)]
    // What may not be made is not there either.
    return new DiskFault((own === 'denied' && tried === 'absent' ? own : tried) ?? own ?? 'broken', folder, error)
  }
  if (bySqlite) return new DiskFault('broken', folder, error)
  // The folder is writable, something in it is not. Ports and programs fail with the same codes.
  const isOfFiles =
    typeof place === 'string' && path.isAbsolute(place) && !/^(?:spawn|listen|connect|bind)/.test(String(syscall))
  return own === undefined || own === 'absent' || !isOfFiles ? error : new DiskFault(own, place, error, folder)
}
