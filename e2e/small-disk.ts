import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Data of the app whose recordings lie on a disk that a test can fill and empty. */
export interface SmallDisk {
  readonly dataDir: string
  /** `own`: a small file system that is filled to its last byte; `shared`: the disk that is there, filled until less than the reserve is free. */
  readonly kind: 'own' | 'shared'
  /** What `--recording-reserve` has to say. */
  readonly reserve: number
  /** Takes the room away; resolves when it is gone. */
  fill(): void
  /** Gives the room back. */
  empty(): void
  remove(): void
}

const mebibyte = 1024 * 1024
const ownSize = 128 * mebibyte
const ownReserve = 16 * mebibyte
/** Room above the reserve of a shared disk, and how far below it is filled: others write and delete there too. */
const headroom = 768 * mebibyte
const belowReserve = 256 * mebibyte

const freeOf = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

function writeUntilFull(path: string): void {
  const part = Buffer.alloc(mebibyte)
  const file = openSync(path, 'a')
  try {
    for (;;) writeSync(file, part)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}

function take(path: string, bytes: number): void {
  try {
    execFileSync('fallocate', ['--length', String(bytes), path], { stdio: 'ignore' })
  } catch {
    // A file system that cannot reserve room has to be written to.
    const part = Buffer.alloc(8 * mebibyte, 1)
    const file = openSync(path, 'w')
    for (let written = 0; written < bytes; written += part.length) writeSync(file, part)
    closeSync(file)
  }
}

/** Prepares the data folder before the app starts: with a disk of its own where one may be mounted, else with a reserve just under what is free. */
export function prepareSmallDisk(): SmallDisk {
  const dataDir = mkdtempSync(join(tmpdir(), 'sidestage-disk-'))
  const folder = join(dataDir, 'service', 'recordings')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let kind: SmallDisk['kind'] = 'own'
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ownSize},mode=700`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    kind = 'shared'
  }
  const reserve = kind === 'own' ? ownReserve : freeOf(folder) - headroom
  if (reserve < 0) throw new Error(`${folder} has less than ${headroom / mebibyte} MiB free`)
  const filler = (number: number): string => join(folder, `filler-${number}`)
  let fillers = 0
  const empty = (): void => {
    while (fillers > 0) rmSync(filler(--fillers), { force: true })
  }
  return {
    dataDir,
    kind,
    reserve,
    fill: () => {
      // A test that goes on after its time was up would fill the disk of this computer.
      if (kind === 'own' && freeOf(folder) > ownSize) throw new Error(`${folder} is no longer a disk of its own`)
      if (kind === 'own') return writeUntilFull(filler(fillers++))
      for (let over = freeOf(folder) - reserve + belowReserve; over > 0; over = freeOf(folder) - reserve + belowReserve)
        take(filler(fillers++), over)
    },
    empty,
    remove: () => {
      if (kind === 'own') execFileSync('umount', [folder])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
