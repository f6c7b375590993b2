import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ServiceReady } from '../../contract/service-process.ts'
import type { NodePorts } from './haproxy-config.ts'
import type { Program } from './kept-process.ts'

/** The service from its bundle, as `npm run service` runs it. */
const service = fileURLToPath(new URL('../../out/main/service-alone.js', import.meta.url))
/** What a node may take to end: its drain and some more, in ms. */
const endPatience = 20_000

/** The ready line of a node. */
export type NodeReady = ServiceReady & { readonly metricsUrl: string }

/** One service of the cluster, whose addresses are those of the proxy. */
export function nodeProgram(
  folder: string,
  name: string,
  choice: {
    readonly ports: NodePorts
    /** Where the proxy listens. */
    readonly at: { readonly web: number; readonly rtmp: number }
    /** Engines and credentials. */
    readonly env: NodeJS.ProcessEnv
    /** Further switches. */
    readonly switches: readonly string[]
    /** A folder in which each node has its build by name; what a link there names when the node starts is run. */
    readonly programs?: string | undefined
  },
): Program<NodeReady> {
  const { ports, at, env, switches, programs } = choice
  const web = `127.0.0.1:${at.web}`
  const given = {
    node: name,
    data: path.join(folder, name),
    'api-port': ports.api,
    'media-port': ports.media,
    'rtmp-port': ports.rtmp,
    'metrics-port': ports.metrics,
    'trust-proxy': '127.0.0.1',
    'public-api': `http://${web}`,
    'public-url': `http://${web}`,
    'node-media': `http://${web}/${name}`,
    'public-link': `ws://${web}/link`,
    'public-rtmp': `rtmp://127.0.0.1:${at.rtmp}`,
  }
  return {
    name,
    command: [
      process.execPath,
      // In MB. What waits for the database lives through many collections of a smaller one: of the time of a node that
      // stores messages they took a third.
      '--max-semi-space-size=16',
      programs === undefined ? service : path.join(programs, name, path.basename(service)),
      ...Object.entries(given).flatMap(([flag, value]) => [`--${flag}`, String(value)]),
      ...switches,
    ],
    env,
    speaks: true,
    isTethered: true,
    async ready(child, ended) {
      const lines = createInterface({ input: child.stdout! })
      const [line] = (await once(lines, 'line', { signal: ended })) as [string]
      lines.close()
      child.stdout!.resume()
      return JSON.parse(line) as NodeReady
    },
    endBy: 'SIGTERM',
    patience: endPatience,
  }
}
