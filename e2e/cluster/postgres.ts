import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const installed = '/usr/lib/postgresql'

/** Folder of the newest PostgreSQL's programs; undefined where Debian's package is not installed. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(installed)) return undefined
  const versions = readdirSync(installed).filter((name) => existsSync(join(installed, name, 'bin/initdb')))
  const newest = versions.toSorted((one, other) => Number(other) - Number(one))[0]
  return newest === undefined ? undefined : join(installed, newest, 'bin')
}

/** Settings beside `-F` of one that is faster: nothing is kept through a power failure, and nothing is tidied up. */
const unsafe = [
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
  'jit=off',
]

/** Command that runs a program of PostgreSQL. It refuses to run as root, so that it is another user's then. */
export function asPostgres(program: string, ...given: readonly string[]): string[] {
  const programs = postgresPrograms()
  if (programs === undefined) throw new Error('PostgreSQL is missing: sudo apt-get install postgresql')
  const as = isRoot() ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  return [...as, join(programs, program), ...given]
}
const isRoot = (): boolean => process.getuid?.() === 0

/**
 * Makes the database of a server in `data` of a folder, which exists. With a password every connection must give it;
 * without one it is for tests.
 */
export async function makePostgres(folder: string, password?: string): Promise<void> {
  const give = (path: string): void => {
    if (!isRoot()) return
    const idOf = (what: '-u' | '-g'): number => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
    chownSync(path, idOf('-u'), idOf('-g'))
  }
  give(folder)
  chmodSync(folder, 0o700)
  const secret = join(folder, 'password')
  const access = password === undefined ? ['-A', 'trust', '--no-sync'] : ['-A', 'scram-sha-256', '--pwfile', secret]
  // Renamed when it is whole.
  const fresh = join(folder, 'data.new')
  rmSync(fresh, { recursive: true, force: true })
  try {
    if (password !== undefined) {
      writeFileSync(secret, `${password}\n`, { mode: 0o600 })
      give(secret)
    }
    const given = ['-D', fresh, '-U', 'sidestage', '--locale=C.UTF-8', ...access]
    const [first, ...rest] = asPostgres('initdb', ...given)
    await run(first!, rest, { cwd: '/' })
  } finally {
    rmSync(secret, { force: true })
  }
  renameSync(fresh, join(folder, 'data'))
}

/** Arguments of a server on this computer; `sockets` is the folder of its socket, '' for none. */
export const serverSettings = ({ port, sockets }: { readonly port: number; readonly sockets: string }): string[] => [
  '-p',
  String(port),
  '-h',
  '127.0.0.1',
  '-k',
  sockets,
  '-c',
  'max_connections=400',
]

/** A PostgreSQL of its own, on a free port of this computer. */
export interface Postgres {
  readonly url: string
  readonly port: number
  /** Of the process that the others are children of. */
  readonly pid: number
  /** Ends it and removes its files. */
  close(): Promise<void>
}

/** Starts it. `port` must be free. With `isSafe` false it is faster, and keeps nothing through a power failure. */
export async function startPostgres(options: { readonly port: number; readonly isSafe?: boolean }): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-postgres-'))
  const { port, isSafe = true } = options
  const settings = [
    ...serverSettings({ port, sockets: folder }),
    ...(isSafe ? [] : ['-F', ...unsafe.map((setting) => `-c ${setting}`)]),
  ]
  const data = join(folder, 'data')
  const as = (...given: string[]): Promise<unknown> => {
    const [first, ...rest] = asPostgres('pg_ctl', '-w', '-D', data, ...given)
    return run(first!, rest, { cwd: '/' })
  }
  try {
    await makePostgres(folder)
    await as('-l', join(folder, 'log'), '-o', settings.join(' '), 'start')
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    port,
    pid: Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]),
    url: `postgres://sidestage@127.0.0.1:${port}/postgres`,
    async close() {
      await as('-m', 'immediate', 'stop').finally(() => rmSync(folder, { recursive: true, force: true }))
    },
  }
}
