import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import path from 'node:path'

/** A separate file system that a test fills completely. */
export interface SmallDisk {
  fill(): void
  /** Frees the space. */
  empty(): void
  remove(): void
}

/** Mounts a disk of some MiB at a folder; needs root. */
export function smallDisk(folder: string, mebibytes: number): SmallDisk {
  mkdirSync(folder, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder], { stdio: 'ignore' })
  const filler = path.join(folder, 'filler')
  return {
    fill: () => {
      const { bsize, blocks } = statfsSync(folder)
      // A test that timed out would fill the disk of this computer.
      if (bsize * blocks > mebibytes * 1_048_576) throw new Error(`${folder} is no longer a disk of its own`)
      const file = openSync(filler, 'a')
      try {
        for (let part = 1_048_576; part >= 1; part = part > 1 ? Math.floor(part / 16) : 0) {
          try {
            for (;;) writeSync(file, Buffer.alloc(part))
          } catch (error) {
            if ((error as { code?: unknown }).code !== 'ENOSPC') throw error
          }
        }
      } finally {
        closeSync(file)
      }
    },
    empty: () => rmSync(filler, { force: true }),
    remove: () => execFileSync('umount', [folder]),
  }
}

/** The same, or why not. */
export function trySmallDisk(folder: string, mebibytes: number): SmallDisk | string {
  if (process.platform !== 'linux') return 'no small disk on this system'
  try {
    return smallDisk(folder, mebibytes)
  } catch {
    return 'no small disk can be mounted here'
  }
}
