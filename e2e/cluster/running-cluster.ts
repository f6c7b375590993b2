import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Credentials } from '../../contract/service-process.ts'
import type { ClusterReady } from '../../scripts/cluster/cluster.ts'
import { until } from '../../service/testing/condition.ts'
import { httpRequest } from '../../service/testing/http-request.ts'
import { signedClient, type SignedClient } from '../../service/testing/signed-client.ts'
import { startCommand, type ReadyCommand } from '../command.ts'

/** A node of a running cluster. */
export interface RunningNode {
  readonly name: string
  /** Calls it at its own address, not by the proxy. */
  readonly client: SignedClient
  readonly linkUrl: string
  /** Of its newest process. */
  pid(): number
  /** Status of `/readyz`; 0 when nothing answers. */
  readiness(): Promise<number>
  /** Sends a signal to its process; resolves when another process has taken its place and is ready. */
  replace(signal: NodeJS.Signals): Promise<void>
}

/** `npm run cluster` in a folder of its own. */
export interface RunningCluster {
  readonly ready: ClusterReady
  readonly nodes: readonly RunningNode[]
  readonly credentials: Credentials
  /** Calls by the proxy. */
  readonly client: SignedClient
  readonly command: ReadyCommand<ClusterReady>
  readonly folder: string
  /** What is said on stderr. */
  readonly log: () => string
}

/** The process that a pid file names. */
export const pidIn = (file: string): number => (JSON.parse(readFileSync(file, 'utf8')) as { readonly pid: number }).pid

function nodeOf(each: ClusterReady['nodes'][number], credentials: Credentials): RunningNode {
  const { name, pidFile, own, metricsUrl } = each
  const pid = (): number => pidIn(pidFile)
  const readiness = (): Promise<number> =>
    httpRequest(`${metricsUrl}/readyz`, { method: 'GET' }).then(
      ({ status }) => status,
      () => 0,
    )
  return {
    name,
    client: signedClient(`http://127.0.0.1:${own.api}`, credentials),
    linkUrl: `ws://127.0.0.1:${own.media}/link`,
    pid,
    readiness,
    async replace(signal) {
      const before = pid()
      process.kill(before, signal)
      await until(`another process of ${name}`, () => pid() !== before)
      await until(`${name} is ready again`, async () => (await readiness()) === 200)
    },
  }
}

/** A folder for clusters, which is removed with what is in it. */
export function clusterFolder(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'sidestage-cluster-'))
  return { path: folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Starts it as `npm run cluster` does, and waits until the proxy has an answer of each node. */
export async function startCluster(
  folder: string,
  nodes: number,
  switches: readonly string[] = [],
): Promise<RunningCluster> {
  const script = path.join(import.meta.dirname, '..', '..', 'scripts', 'bootstrap.mjs')
  const given = ['--nodes', String(nodes), '--data', folder, ...switches]
  const command = await startCommand<ClusterReady>([script, 'cluster', ...given])
  const { ready, log } = command
  const credentials = JSON.parse(readFileSync(path.join(folder, 'credentials.json'), 'utf8')) as Credentials
  return {
    ready,
    nodes: ready.nodes.map((each) => nodeOf(each, credentials)),
    credentials,
    client: signedClient(ready.baseUrl, credentials),
    command,
    folder,
    log,
  }
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Kills a program again and again for `ms`; then it is started as ever. */
export async function keepAway(pidFile: string, ms: number): Promise<void> {
  let killed = 0
  for (const end = performance.now() + ms; performance.now() < end; await wait(5)) {
    const pid = pidIn(pidFile)
    if (pid === killed) continue
    killed = pid
    process.kill(pid, 'SIGKILL')
  }
}

/** Kills the command, so that it cannot end what it started. */
export async function killCommand({ command, folder }: RunningCluster): Promise<void> {
  const ended = once(command.process, 'exit')
  process.kill(Number(readFileSync(path.join(folder, 'run', 'cluster.pid'), 'utf8')), 'SIGKILL')
  await ended
}
