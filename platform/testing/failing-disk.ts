import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'

/** A file system that turns read-only under open files, as ext4 does after an error. */
export interface FailingDisk {
  /** Every write fails with EROFS from now on, also to open files; earlier writes are on disk. */
  turn(): void
  /** Mounts it again, as after a check; no open files allowed. */
  renew(): void
  remove(): void
}

/** Mounts such a disk at a folder, with its image beside it; or returns why not. */
export function tryFailingDisk(folder: string, mebibytes: number): FailingDisk | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount a disk'
  const image = `${folder}.img`
  const run = (program: string, ...options: string[]): void => void execFileSync(program, options, { stdio: 'ignore' })
  const mount = (): void => run('mount', '-o', 'loop,errors=remount-ro', image, folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(image, '')
  truncateSync(image, mebibytes * 1_048_576)
  try {
    run('mkfs.ext4', '-q', '-O', '^has_journal', image)
    mount()
    // Only files of the test.
    rmSync(`${folder}/lost+found`, { recursive: true, force: true })
  } catch {
    return 'no loop device with ext4 can be mounted here'
  }
  return {
    turn: () => {
      run('sync', '-f', folder)
      run('mount', '-o', 'remount,abort', folder)
    },
    renew: () => {
      run('umount', folder)
      mount()
    },
    remove: () => {
      run('umount', folder)
      rmSync(image, { force: true })
    },
  }
}

/** Makes new opens below a folder fail with EROFS, by a read-only mount over it; returns its end. */
export function coverReadOnly(folder: string): () => void {
  execFileSync('mount', ['--bind', folder, folder], { stdio: 'ignore' })
  execFileSync('mount', ['-o', 'remount,bind,ro', folder], { stdio: 'ignore' })
  return () => execFileSync('umount', [folder], { stdio: 'ignore' })
}
