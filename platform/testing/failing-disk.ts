import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'

/** A file system of its own that turns read-only under programs that have files of it open, as ext4 does after an error. */
export interface FailingDisk {
  /** From now on every write fails with EROFS, also one into an open file; what was written before is on the disk. */
  turn(): void
  /** Mounts it anew, as after a check; nobody may have files of it open. */
  renew(): void
  remove(): void
}

/** Mounts such a disk of some MiB at a folder, whose image lies beside it; or says why none can be mounted here. */
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
    // Nothing in it but what the test makes.
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

/** Has whatever is opened below a folder from now on fail with EROFS, by a mount over it that can only be read; answers what takes it away. */
export function coverReadOnly(folder: string): () => void {
  execFileSync('mount', ['--bind', folder, folder], { stdio: 'ignore' })
  execFileSync('mount', ['-o', 'remount,bind,ro', folder], { stdio: 'ignore' })
  return () => execFileSync('umount', [folder], { stdio: 'ignore' })
}
