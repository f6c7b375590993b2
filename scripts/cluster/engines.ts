import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { asPostgres, makePostgres, postgresPrograms, serverSettings } from '../../e2e/cluster/postgres.ts'
import { isRedisThere, redisProgram } from '../../e2e/cluster/redis.ts'
import { isSwiftAnswering, missingSwiftPackages, writeSwift, type SwiftPorts } from '../../e2e/cluster/swift.ts'
import type { Program } from './kept-process.ts'

const run = promisify(execFile)
const askEvery = 50
/** What an engine may take to start, in ms. */
const startPatience = 60_000
/** Program of Debian's package. */
export const haproxyProgram = '/usr/sbin/haproxy'

/** Debian packages that are missing, with or without those of an object store. */
export const missingPackages = (withStore = true): string[] => [
  ...(postgresPrograms() === undefined ? ['postgresql'] : []),
  ...(isRedisThere() ? [] : ['redis-server']),
  ...(existsSync(haproxyProgram) ? [] : ['haproxy']),
  ...(withStore ? missingSwiftPackages() : []),
]

/** Waits until what is asked says so. */
const until =
  (what: string, isSo: () => Promise<boolean>) =>
  async (_: unknown, ended: AbortSignal): Promise<void> => {
    const limit = performance.now() + startPatience
    while (!(await isSo())) {
      if (performance.now() > limit) throw new Error(`${what} did not start within ${startPatience / 1000} s`)
      await wait(askEvery, undefined, { signal: ended })
    }
  }

/** What a server on this computer answers first to some text; undefined when it cannot be reached. */
const answer = (port: number, text: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(undefined)).once('close', () => resolve(undefined))
    socket.once('connect', () => {
      if (text === '') resolve('')
      socket.end(text)
    })
    socket.once('data', (said: Buffer) => resolve(said.toString('latin1')))
  })

/** Whether a PostgreSQL of this computer takes connections. */
export async function isPostgresReady(port: number): Promise<boolean> {
  const [first, ...rest] = asPostgres('pg_isready', '-q', '-h', '127.0.0.1', '-p', String(port))
  return run(first!, rest, { cwd: '/' }).then(
    () => true,
    () => false,
  )
}

/** What an engine needs. */
export interface EngineChoice {
  /** Of the cluster; each engine has a folder in it. */
  readonly folder: string
  readonly port: number
  readonly password: string
}

const settings = {
  tcp_keepalives_idle: 5,
  tcp_keepalives_interval: 1,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 5000,
  idle_in_transaction_session_timeout: 1000,
  // After an end without a shutdown: one call, and not one for each of some thousand files.
  recovery_init_sync_method: 'syncfs',
}
/** Arguments of a PostgreSQL for several nodes. */
export const settingsOfNodes = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/**
 * PostgreSQL, which syncs what it commits. It ends the transaction of a node that stands still for a second, as others
 * wait for what it has locked, and the connections of one that is gone.
 */
export async function postgresProgram({ folder, port, password }: EngineChoice): Promise<Program<void>> {
  const place = path.join(folder, 'postgres')
  mkdirSync(place, { recursive: true })
  try {
    const [first, ...rest] = asPostgres('pg_isready', '--version')
    await run(first!, rest, { cwd: place })
  } catch (error) {
    throw new Error(`the user postgres cannot reach ${place}: choose a folder that all users may pass through`, {
      cause: error,
    })
  }
  if (!existsSync(path.join(place, 'data'))) await makePostgres(place, password)
  return {
    name: 'postgres',
    command: asPostgres(
      'postgres',
      '-D',
      path.join(place, 'data'),
      ...serverSettings({ port, sockets: '' }),
      ...settingsOfNodes,
    ),
    ready: until('PostgreSQL', () => isPostgresReady(port)),
    // Fast: it does not wait until everybody has left.
    endBy: 'SIGINT',
    patience: 30_000,
  }
}

/** Redis, which keeps nothing over its end. */
export function redisServer({ port, password }: Omit<EngineChoice, 'folder'>): Program<void> {
  const settings = [`port ${port}`, 'bind 127.0.0.1', 'save ""', 'appendonly no', `requirepass ${password}`]
  return {
    name: 'redis',
    command: [redisProgram, '-'],
    input: `${settings.join('\n')}\n`,
    ready: until('Redis', async () => (await answer(port, 'PING\r\n'))?.startsWith('-NOAUTH') === true),
    endBy: 'SIGTERM',
    patience: 5000,
  }
}

/** OpenStack Swift, which speaks S3, each of its programs in the order of their start. */
export async function swiftServers(
  folder: string,
  ports: SwiftPorts,
  secret: string,
): Promise<(Program<void> & { readonly port: number })[]> {
  const place = path.join(folder, 'swift')
  mkdirSync(place, { recursive: true, mode: 0o700 })
  return (await writeSwift(place, ports, secret)).map(({ name, command, port }) => ({
    name,
    command,
    port,
    ready: until(name, async () =>
      name === 'swift-proxy' ? isSwiftAnswering(port) : (await answer(port, '')) !== undefined,
    ),
    endBy: 'SIGTERM',
    patience: 5000,
  }))
}

/** HAProxy with a configuration. */
export const haproxyServer = ({ file, port }: { readonly file: string; readonly port: number }): Program<void> => ({
  name: 'haproxy',
  command: [haproxyProgram, '-db', '-f', file],
  ready: until('HAProxy', async () => (await answer(port, '')) !== undefined),
  endBy: 'SIGTERM',
  patience: 5000,
})
