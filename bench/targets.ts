import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startNginx, startOurs, type LiveServer } from './fanout-servers.ts'
import {
  jsonLines,
  median,
  pause,
  printTable,
  processFigures,
  startPublisher,
  stopChild,
  streamFixture,
} from './measurement.ts'

/**
 * CPU seconds of the server per gigabyte that it passes on to 5 other servers from one push of 6 Mbit/s: our targets,
 * and nginx-rtmp's `push`, by turns, each with a fresh server.
 * `node bench/targets.ts [--seconds 10] [--runs 3] [--targets 5]`
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    runs: { type: 'string', default: '3' },
    targets: { type: 'string', default: '5' },
  },
})
const kbps = 6000
const targets = Number(values.targets)
/** Before what is measured: connections, and the GOP that each of them begins with; ms. */
const settle = 4000

interface Figures {
  readonly cpuPerGb: number
  readonly memory: number
  readonly mbit: number
}

async function measure(
  start: (sinkUrls: readonly string[]) => Promise<LiveServer | undefined>,
): Promise<Figures | undefined> {
  const sink = spawn(process.execPath, [join(import.meta.dirname, 'targets-sink.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let port = 0
    let [media, publishers] = [0, 0]
    const lines = jsonLines(sink)
    const first = await lines.next()
    if (!first.done) port = Number(first.value['port'])
    const reading = (async () => {
      for await (const line of lines) [media, publishers] = [Number(line['media']), Number(line['publishers'])]
    })()
    const server = await start(
      Array.from({ length: targets }, (_, index) => `rtmp://127.0.0.1:${port}/app/key${index}`),
    )
    if (!server) return undefined
    const publisher = startPublisher(streamFixture(kbps), server.pushUrl)
    try {
      await pause(settle)
      if (publishers < targets) throw new Error(`only ${publishers} of ${targets} targets get the push`)
      const before = { media, ...processFigures(server.pid), at: performance.now() }
      await pause(Number(values.seconds) * 1000)
      const after = { media, ...processFigures(server.pid), at: performance.now() }
      const bytes = after.media - before.media
      return {
        cpuPerGb: (after.cpu - before.cpu) / (bytes / 1e9),
        memory: after.memory,
        mbit: (bytes * 8) / (after.at - before.at) / 1000 / targets,
      }
    } finally {
      await stopChild(publisher, 'SIGKILL')
      await server.stop()
      await stopChild(sink)
      await reading
    }
  } finally {
    await stopChild(sink)
  }
}

const cases = [
  { name: 'ours', start: (urls: readonly string[]) => startOurs([], urls) },
  { name: 'nginx-rtmp', start: (urls: readonly string[]) => startNginx(urls) },
] as const
const taken = new Map<string, Figures[]>()
for (let run = 0; run < Number(values.runs); run++)
  for (const { name, start } of cases) {
    const figures = await measure(start)
    if (!figures) {
      if (run === 0) console.error(`${name} is not installed here and is left out`)
      continue
    }
    taken.set(name, [...(taken.get(name) ?? []), figures])
    console.error(`run ${run + 1}, ${name}: ${JSON.stringify(figures)}`)
  }
const cpu = (name: string): number => median((taken.get(name) ?? []).map(({ cpuPerGb }) => cpuPerGb))
printTable(
  [...taken].map(([name, runs]) => ({
    server: name,
    'cpu s/GB': cpu(name).toFixed(3),
    'rss MB': Math.round(Math.max(...runs.map(({ memory }) => memory))),
    'Mbit/s each': median(runs.map(({ mbit }) => mbit)).toFixed(2),
  })),
)
const ratio = cpu('ours') / cpu('nginx-rtmp')
console.log(
  JSON.stringify({
    bench: 'targets',
    targets,
    kbps,
    ours: cpu('ours'),
    nginx: cpu('nginx-rtmp'),
    ratio,
    reach: 1,
    reached: ratio <= 1,
  }),
)
