import { closeSync, copyFileSync, lstatSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import type { Quarantine } from './quarantine.ts'

/** Magic numbers of a write-ahead log, for both byte orders (SQLite's file format, "The Write-Ahead Log"). */
const walMagic = [0x37_7f_06_82, 0x37_7f_06_83]
const headBytes = 32
const frameHeadBytes = 24
/** A longer log is not checked at a start. */
const maxRead = 64 * 1024 * 1024

type Sums = readonly [number, number]
/** Running checksum over pairs of words. */
function add([a, b]: Sums, bytes: Buffer, isBig: boolean): Sums {
  let [first, second] = [a, b]
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    first = (first + (isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + second) >>> 0
    second = (second + (isBig ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + first) >>> 0
  }
  return [first, second]
}
const are = ([first, second]: Sums, bytes: Buffer, at: number): boolean =>
  bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second

function readLog(descriptor: number, size: number): string | undefined {
  const head = Buffer.alloc(headBytes)
  if (readSync(descriptor, head, 0, headBytes, 0) < headBytes) return undefined
  const isBig = head.readUInt32BE(0) === walMagic[1]
  let sums = add([0, 0], head.subarray(0, 24), isBig)
  if (!walMagic.includes(head.readUInt32BE(0)) || !are(sums, head, 24)) return 'its head is wrong'
  const frame = Buffer.alloc(frameHeadBytes + head.readUInt32BE(8))
  const salts = head.subarray(16, 24)
  let broken: number | undefined
  for (let at = headBytes, count = 1; at + frame.length <= Math.min(size, maxRead); at += frame.length, count++) {
    readSync(descriptor, frame, 0, frame.length, at)
    const isOfNow = frame.subarray(8, 16).equals(salts)
    // Old frames are only ever behind current ones, and a kill leaves no complete frame behind a broken one.
    if (broken !== undefined) {
      if (isOfNow) return `frame ${broken} of it is wrong`
      continue
    }
    sums = add(add(sums, frame.subarray(0, 8), isBig), frame.subarray(frameHeadBytes), isBig)
    if (!isOfNow || !are(sums, frame, 16)) broken = count
  }
  return undefined
}

/** Damage in a write-ahead log, after which SQLite silently ignores the rest; a truncated end is none. */
export function findLogDamage(log: string): string | undefined {
  const stats = lstatSync(log, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size === 0) return undefined
  const descriptor = openSync(log, 'r')
  try {
    return readLog(descriptor, stats.size)
  } finally {
    closeSync(descriptor)
  }
}

/** Quarantines a copy of a damaged log before SQLite drops the unreadable part: the last writes may be lost. */
export function keepDamagedLog(database: string, quarantine: Pick<Quarantine, 'setAside'>): void {
  const log = `${database}-wal`
  const damage = findLogDamage(log)
  if (damage === undefined) return
  const copy = `${log}.damaged`
  copyFileSync(log, copy)
  quarantine.setAside(
    [path.basename(copy)],
    'damaged',
    `the log of the database was damaged (${damage}): what was last written before the end may be lost`,
  )
}

/** Whether the user may not read and write an existing file. Throws disk errors. */
export function isDenied(file: string): boolean {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false
  try {
    closeSync(openSync(file, 'r+'))
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM') return true
    throw error
  }
}

/** A side file that the user may not access and the database needs; undefined for none. */
export const deniedBeside = (database: string): string | undefined =>
  ['-wal', '-journal'].find((end) => isDenied(`${database}${end}`))

/** Quarantines inaccessible shared memory of a database; SQLite rebuilds it from the log. */
export function clearDeniedMemory(database: string, quarantine: Pick<Quarantine, 'setAside'>): void {
  const memory = `${database}-shm`
  if (isDenied(memory))
    quarantine.setAside([path.basename(memory)], 'unreadable', 'it may not be used; it is made again')
}
