import { mkdirSync, chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ServiceReady } from '../../contract/service-process.ts'
import { takeLock } from '../../platform/lock-file.ts'
import type { UndoStack } from '../../platform/undo-stack.ts'
import { standAloneCredentials } from '../../service/credentials.ts'
import { openObjects, swiftNames, type ObjectEngine } from './objects.ts'
import { haproxyServer, postgresProgram, redisServer } from './engines.ts'
import { haproxyConfig, type NodePorts } from './haproxy-config.ts'
import { endLeftover, keepProcess, type Program, type Running } from './kept-process.ts'
import { nodeProgram, type NodeReady } from './node-program.ts'
import { openPlaces } from './places.ts'

/** Most nodes on one computer. */
export const maxNodes = 16

type Engine = Running & { readonly port: number }

/** What `npm run cluster` says when callers may come. The addresses are those of the proxy. */
export interface ClusterReady extends ServiceReady {
  readonly nodes: readonly (Running & {
    /** Its ready line. */
    readonly ready: NodeReady
    readonly metricsUrl: string
    /** Where it listens itself. */
    readonly own: NodePorts
  })[]
  readonly engines: Readonly<Record<'postgres' | 'redis' | 'haproxy', Engine>> & Partial<Record<ObjectEngine, Engine>>
}

const nodeNames = (count: number): string[] => Array.from({ length: count }, (_, index) => `node-${index + 1}`)

/** Ends what an earlier start left behind when it was killed: the data goes to whom is started now. */
async function endLeftovers(folder: string, say: (line: string) => void): Promise<void> {
  for (const names of [['haproxy'], nodeNames(maxNodes), swiftNames, ['redis'], ['postgres']])
    await Promise.all(
      names.map((name) => endLeftover(folder, { name, endBy: name === 'postgres' ? 'SIGINT' : 'SIGTERM' }, say)),
    )
}

function valueOf<T>(each: PromiseSettledResult<T>): T {
  if (each.status === 'rejected') throw each.reason
  return each.value
}

/**
 * Starts engines, nodes and the proxy in a folder, or goes on with what is in it; `undo` ends them. Nodes end first,
 * each in order, as the proxy must pass on what still runs on them.
 */
export async function startCluster(
  options: {
    readonly folder: string
    readonly nodes: number
    /** Whether there is an object store. */
    readonly withStore: boolean
    /** Further switches of each node. */
    readonly switches: readonly string[]
    /** Where each node has its own build, by its name; the one of this folder when absent. */
    readonly programs?: string | undefined
    readonly env: NodeJS.ProcessEnv
    readonly say: (line: string) => void
    /** Ends the start. */
    readonly signal: AbortSignal
  },
  undo: UndoStack,
): Promise<ClusterReady> {
  const { folder, switches, programs, env, say, signal } = options
  const asRoot = process.getuid?.() === 0
  mkdirSync(folder, { recursive: true })
  // PostgreSQL is another user's then, who must get to its folder; what is secret has modes of its own.
  chmodSync(folder, asRoot ? 0o711 : 0o700)
  const lock = takeLock(path.join(folder, 'lock.db'))
  if (!lock) throw new Error(`another cluster runs in ${folder}: stop it or choose another folder`)
  undo.push(() => lock.release())
  mkdirSync(path.join(folder, 'run'), { recursive: true, mode: 0o700 })
  writeFileSync(path.join(folder, 'run', 'cluster.pid'), `${process.pid}\n`)
  await endLeftovers(folder, say)

  const places = openPlaces(folder)
  const names = nodeNames(options.nodes)
  const port = { web: await places.port('web'), rtmp: await places.port('rtmp') }
  const engine = { postgres: await places.port('postgres'), redis: await places.port('redis') }
  const nodePorts = new Map<string, NodePorts>()
  for (const name of names) {
    const of = (kind: keyof NodePorts): Promise<number> => places.port(`${name}.${kind}`)
    nodePorts.set(name, {
      api: await of('api'),
      media: await of('media'),
      rtmp: await of('rtmp'),
      metrics: await of('metrics'),
    })
  }
  const password = { postgres: places.password('postgres'), redis: places.password('redis') }
  const objects = options.withStore ? await openObjects(places) : undefined
  places.keep()

  /** Starts a program until `undo` ends it. */
  async function keep<Ready>(program: Program<Ready>, ends: UndoStack['push'] = (call) => undo.push(call)) {
    signal.throwIfAborted()
    const kept = await keepProcess(folder, program, say)
    ends(() => kept.end())
    const { name, pidFile, ready } = kept
    return { ready, running: { name, pid: kept.pid(), pidFile } }
  }

  // Engines. All are waited for, so that each that was started is ended.
  const [ofStore, ofDatabase, ofBus] = await Promise.allSettled([
    objects?.start(folder, (program) => keep(program)),
    postgresProgram({ folder, port: engine.postgres, password: password.postgres }).then((program) => keep(program)),
    keep(redisServer({ port: engine.redis, password: password.redis })),
  ])
  const [store, postgres, redis] = [valueOf(ofStore), valueOf(ofDatabase), valueOf(ofBus)]
  const credentials = standAloneCredentials(folder, env, {
    info: () => undefined,
    warn: (_, line) => say(line),
  })
  const nodeEnv: NodeJS.ProcessEnv = {
    ...env,
    SIDESTAGE_APP_KEY: credentials.appKey,
    SIDESTAGE_APP_SECRET: credentials.appSecret,
    SIDESTAGE_DATABASE_URL: `postgres://sidestage:${password.postgres}@127.0.0.1:${engine.postgres}/postgres`,
    SIDESTAGE_REDIS_URL: `redis://:${password.redis}@127.0.0.1:${engine.redis}`,
    ...store?.env,
  }

  // The proxy begins when nodes can be reached, and ends after them.
  const ofProxy = undo.together()
  const ofNodes = undo.together()
  const startNode = async (name: string): Promise<ClusterReady['nodes'][number]> => {
    const ports = nodePorts.get(name)!
    const { ready, running } = await keep(
      nodeProgram(folder, name, { ports, at: port, env: nodeEnv, switches, programs }),
      ofNodes,
    )
    return { ...running, ready, metricsUrl: ready.metricsUrl, own: ports }
  }
  // All are waited for, so that each that was started is ended.
  const started = await Promise.allSettled(names.map(startNode))
  const nodes = started.map(valueOf)
  const file = path.join(folder, 'haproxy.cfg')
  writeFileSync(file, haproxyConfig(nodePorts, port, asRoot), { mode: 0o600 })
  const haproxy = await keep(haproxyServer({ file, port: port.web }), ofProxy)
  const { metricsUrl: _, ...ready } = nodes[0]!.ready
  return {
    ...ready,
    nodes,
    engines: {
      postgres: { ...postgres.running, port: engine.postgres },
      redis: { ...redis.running, port: engine.redis },
      ...store?.engines,
      haproxy: { ...haproxy.running, port: port.web },
    },
  }
}
