import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Credentials, ServiceReady } from '../contract/service-process.ts'
import { startPostgres } from '../e2e/cluster/postgres.ts'
import { startRedis } from '../e2e/cluster/redis.ts'
import { ensureBuilt } from '../scripts/launch-build.ts'
import { freePort, jsonLines, processFamily, processFigures, stopChild, temporaryFolder } from './measurement.ts'

/** A service in a process of its own. */
interface BenchNode {
  readonly pid: number
  readonly ready: ServiceReady
}
/** CPU in s so far by kind of process. */
export interface ClusterCpu {
  readonly nodes: number
  readonly postgres: number
  readonly redis: number
}
/** Nodes on a PostgreSQL and a Redis of their own, reached without a proxy. */
export interface BenchCluster {
  readonly nodes: readonly BenchNode[]
  readonly credentials: Credentials
  /** To look at its tables, which are in the schema `sidestage`. */
  readonly databaseUrl: string
  cpu(): ClusterCpu
  close(): Promise<void>
}

const root = join(import.meta.dirname, '..')

/** CPU of a process and of all that it started, with what has ended, in s. */
function familyCpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  const ended = (Number(fields[13]) + Number(fields[14])) / 100
  let sum = ended
  for (const each of processFamily(pid))
    try {
      sum += processFigures(each).cpu
    } catch {
      // It ended meanwhile; the next look counts it.
    }
  return sum
}

/** Starts them, as `npm run cluster` does. `flags` go to Node, `switches` to the service. */
export async function startBenchCluster(options: {
  readonly nodes: number
  readonly flags?: readonly string[]
  readonly switches?: readonly string[]
}): Promise<BenchCluster> {
  await ensureBuilt(root, ['main'], () => undefined)
  const credentials = { appKey: 'bench', appSecret: randomBytes(16).toString('hex') }
  const folder = temporaryFolder()
  const children: ChildProcess[] = []
  const postgres = await startPostgres({ port: await freePort() })
  const redis = await startRedis()
  const close = async (): Promise<void> => {
    await Promise.all(children.map((child) => stopChild(child)))
    await redis.close()
    await postgres.close()
    folder.remove()
  }
  const start = async (index: number): Promise<BenchNode> => {
    const name = `node-${index + 1}`
    const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
    const args = [
      '--max-semi-space-size=16',
      ...(options.flags ?? []),
      'out/main/service-alone.js',
      '--node',
      name,
      '--data',
      join(folder.path, name),
      ...ports,
      ...(options.switches ?? []),
    ]
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {
        ...process.env,
        SIDESTAGE_APP_KEY: credentials.appKey,
        SIDESTAGE_APP_SECRET: credentials.appSecret,
        SIDESTAGE_DATABASE_URL: postgres.url,
        SIDESTAGE_REDIS_URL: redis.url,
      },
    })
    children.push(child)
    for await (const line of jsonLines(child))
      if (line['event'] === 'ready') return { pid: child.pid!, ready: line as unknown as ServiceReady }
    throw new Error(`${name} did not start`)
  }
  try {
    // One after the other: the address of copies is a setting of the application, which the first one makes.
    const nodes: BenchNode[] = []
    for (let index = 0; index < options.nodes; index++) nodes.push(await start(index))
    return {
      nodes,
      credentials,
      databaseUrl: postgres.url,
      cpu: () => ({
        nodes: nodes.reduce((sum, { pid }) => sum + processFigures(pid).cpu, 0),
        postgres: familyCpu(postgres.pid),
        redis: processFigures(redis.pid()).cpu,
      }),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
