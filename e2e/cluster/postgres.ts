import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
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

/** A PostgreSQL of its own, on a free port of this computer. */
export interface Postgres {
  readonly url: string
  readonly port: number
  /** Ends it and removes its files. */
  close(): Promise<void>
}

/** Starts it. `port` must be free. With `isSafe` false it is faster, and keeps nothing through a power failure. */
export async function startPostgres(options: { readonly port: number; readonly isSafe?: boolean }): Promise<Postgres> {
  const programs = postgresPrograms()
  if (programs === undefined) throw new Error('PostgreSQL is missing: sudo apt-get install postgresql')
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-postgres-'))
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const idOf = (what: '-u' | '-g'): number => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }))
    chownSync(folder, idOf('-u'), idOf('-g'))
    chmodSync(folder, 0o700)
  }
  const as = (program: string, ...given: string[]): Promise<unknown> => {
    const command = [join(programs, program), ...given]
    const [first, ...rest] = isRoot
      ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command]
      : command
    return run(first!, rest, { cwd: '/' })
  }
  const data = join(folder, 'data')
  const { port, isSafe = true } = options
  const settings = [
    `-p ${port}`,
    '-h 127.0.0.1',
    `-k ${folder}`,
    '-c max_connections=400',
    ...(isSafe ? [] : ['-F', ...unsafe.map((setting) => `-c ${setting}`)]),
  ]
  try {
    await as('initdb', '-D', data, '-A', 'trust', '-U', 'sidestage', '--locale=C.UTF-8', '--no-sync')
    await as('pg_ctl', '-w', '-D', data, '-l', join(folder, 'log'), '-o', settings.join(' '), 'start')
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    port,
    url: `postgres://sidestage@127.0.0.1:${port}/postgres`,
    async close() {
      await as('pg_ctl', '-w', '-D', data, '-m', 'immediate', 'stop').finally(() =>
        rmSync(folder, { recursive: true, force: true }),
      )
    },
  }
}
