import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** A folder whose disk fails for a program with open files, and recovers. */
export interface FailingWrites {
  /** Runs the program instead of Node. */
  readonly execPath: string
  /** Its writes below the folder fail from now on. */
  fail(code: 'EIO' | 'EROFS'): void
  /** Ends it. */
  heal(): void
  remove(): void
}

/** Compiles the interposed library beside the folder; or returns why not. */
export function tryFailingWrites(folder: string): FailingWrites | string {
  if (process.platform !== 'linux') return 'only on Linux is a library loaded before others'
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 })
  const [library, fault, execPath] = [`${folder}.so`, `${folder}.fault`, `${folder}.sh`]
  try {
    const source = fileURLToPath(new URL('failing-writes.c', import.meta.url))
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { stdio: 'ignore' })
  } catch {
    return 'there is no C compiler here'
  }
  const set = (errno: number): void => writeFileSync(fault, String(errno))
  set(0)
  const names = { LD_PRELOAD: library, FAILING_FOLDER: `${folder}${path.sep}`, FAILING_WITH: fault }
  const exported = Object.entries(names).map(([name, value]) => `export ${name}='${value}'\n`)
  writeFileSync(execPath, `#!/bin/sh\n${exported.join('')}exec '${process.execPath}' "$@"\n`)
  chmodSync(execPath, 0o700)
  return {
    execPath,
    fail: (code) => set(os.constants.errno[code]),
    heal: () => set(0),
    remove: () => {
      for (const file of [library, fault, execPath]) rmSync(file, { force: true })
    },
  }
}
