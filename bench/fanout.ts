import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBare, startNginx, startNodeMediaServer, startOurs, type LiveServer } from './fanout-servers.ts'
import { measureWaits } from './fanout-latency.ts'
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
 * CPU seconds of the server per delivered gigabyte, memory and stalls with many players of one 3.7 Mbit/s stream: ours
 * by HTTP-FLV and RTMP, node-media-server by both, nginx-rtmp by RTMP where it is installed, and by both a bare Node
 * process that writes the same bytes at the same intervals and does nothing else (`fanout-bare.ts`). Medians of
 * alternating runs, each with a fresh server; then what a viewer of ours waits for beside as many others.
 * `node bench/fanout.ts [--seconds 10] [--warm-up 4] [--players 100,200] [--runs 3] [--only ours-flv,nms-flv]
 * [--flags=NODE_FLAGS_OF_OURS]`
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    'warm-up': { type: 'string', default: '4' },
    players: { type: 'string', default: '100,200' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string' },
    flags: { type: 'string', default: '' },
  },
})

interface Case {
  readonly name: string
  readonly protocol: 'flv' | 'rtmp'
  readonly start: () => Promise<LiveServer | undefined>
}

interface Figures {
  readonly cpuPerGb: number
  readonly memory: number
  readonly mbitPerPlayer: number
  readonly stalled: number
  readonly lost: number
  readonly longestPause: number
}

/** Median times in ms and memory in MB that ours stays below. */
const limits = { latency: 300, join: 500, memory: 130 }
const only = values.only?.split(',')
const flags = values.flags.split(' ').filter((flag) => flag !== '')
const cases: readonly Case[] = [
  { name: 'ours-flv', protocol: 'flv' as const, start: () => startOurs(flags) },
  { name: 'bare-flv', protocol: 'flv' as const, start: () => startBare('flv') },
  { name: 'nms-flv', protocol: 'flv' as const, start: startNodeMediaServer },
  { name: 'ours-rtmp', protocol: 'rtmp' as const, start: () => startOurs(flags) },
  { name: 'bare-rtmp', protocol: 'rtmp' as const, start: () => startBare('rtmp') },
  { name: 'nms-rtmp', protocol: 'rtmp' as const, start: startNodeMediaServer },
  { name: 'nginx-rtmp', protocol: 'rtmp' as const, start: () => startNginx() },
].filter(({ name }) => !only || only.includes(name))

async function measure({ protocol, start }: Case, players: number, seconds: number): Promise<Figures | undefined> {
  const server = await start()
  if (!server) return undefined
  const publisher = server.pushUrl === '' ? undefined : startPublisher(streamFixture(), server.pushUrl)
  try {
    await pause(2500)
    const url = protocol === 'flv' ? server.flvUrl : server.rtmpUrl
    const load = spawn(
      process.execPath,
      [join(import.meta.dirname, 'fanout-players.ts'), url ?? '', String(players), values['warm-up'], String(seconds)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let before = processFigures(server.pid)
    let memory = 0
    const sampling = setInterval(() => (memory = Math.max(memory, processFigures(server.pid).memory)), 500)
    try {
      for await (const line of jsonLines(load)) {
        if (line['event'] === 'measuring') before = processFigures(server.pid)
        if (line['event'] !== 'done') continue
        const { cpu } = processFigures(server.pid)
        const {
          bytes,
          seconds: taken,
          stalled,
          lost,
          longestPause,
        } = line as Record<'bytes' | 'seconds' | 'stalled' | 'lost' | 'longestPause', number>
        return {
          cpuPerGb: (cpu - before.cpu) / (bytes / 1e9),
          memory,
          mbitPerPlayer: (bytes * 8) / players / taken / 1e6,
          stalled,
          lost,
          longestPause,
        }
      }
      throw new Error('the players ended without a result')
    } finally {
      clearInterval(sampling)
      await stopChild(load)
    }
  } finally {
    if (publisher) await stopChild(publisher, 'SIGKILL')
    await server.stop()
  }
}

const rows: Record<string, string | number>[] = []
const result: Record<string, unknown>[] = []
for (const players of values.players.split(',').map(Number)) {
  const taken = new Map<string, Figures[]>()
  for (let run = 0; run < Number(values.runs); run++) {
    for (const one of cases) {
      const figures = await measure(one, players, Number(values.seconds))
      if (!figures) {
        if (run === 0) console.error(`${one.name} is not installed here and is left out`)
        continue
      }
      taken.set(one.name, [...(taken.get(one.name) ?? []), figures])
      console.error(`${players} players, run ${run + 1}, ${one.name}: ${JSON.stringify(figures)}`)
    }
  }
  const middle = (name: string, of: (figures: Figures) => number): number => median((taken.get(name) ?? []).map(of))
  const cpu = (name: string): number => middle(name, ({ cpuPerGb }) => cpuPerGb)
  for (const { name } of cases) {
    const runs = taken.get(name)
    if (!runs) continue
    rows.push({
      players,
      server: name,
      'cpu s/GB': cpu(name).toFixed(3),
      'rss MB': Math.round(Math.max(...runs.map(({ memory }) => memory))),
      'Mbit/s each': middle(name, ({ mbitPerPlayer }) => mbitPerPlayer).toFixed(2),
      stalled: Math.max(...runs.map(({ stalled }) => stalled)),
      'longest pause ms': Math.round(Math.max(...runs.map(({ longestPause }) => longestPause))),
    })
    result.push({ players, name, cpuPerGb: cpu(name), runs })
  }
  for (const [ours, other, reach] of [
    ['ours-flv', 'bare-flv', 1.4],
    ['ours-rtmp', 'bare-rtmp', 1.4],
    ['ours-flv', 'nms-flv', 0.5],
    ['ours-rtmp', 'nginx-rtmp', 1],
    ['ours-rtmp', 'nms-rtmp', 1],
  ] as const) {
    const ratio = cpu(ours) / cpu(other)
    if (Number.isFinite(ratio))
      result.push({
        players,
        ratio: `${ours} / ${other}`,
        ours: cpu(ours),
        other: cpu(other),
        value: ratio,
        reach,
        reached: ratio <= reach,
      })
  }
  for (const { name, protocol, start } of cases) {
    const runs = taken.get(name)
    if (!name.startsWith('ours') || !runs) continue
    const memory = Math.max(...runs.map(({ memory }) => memory))
    const server = await start()
    if (!server) continue
    try {
      const { latency, join } = await measureWaits(server, protocol, players, 5)
      const reached = latency < limits.latency && join < limits.join && memory < limits.memory
      result.push({ players, viewer: name, latency, join, memory, limits, reached })
    } finally {
      await server.stop()
    }
  }
}
printTable(rows)
console.log('')
for (const line of result)
  if ('ratio' in line)
    console.log(
      `${String(line['players'])} players: ${String(line['ratio'])} =`,
      `${Number(line['value']).toFixed(2)} (reach ${String(line['reach'])})`,
    )
for (const line of result)
  if ('viewer' in line) {
    const [latency, join, memory] = ['latency', 'join', 'memory'].map((name) => Math.round(Number(line[name])))
    const who = `${String(line['players'])} players: ${String(line['viewer'])}`
    console.log(`${who}: latency ${latency} ms, join ${join} ms, ${memory} MB`)
  }
console.log(JSON.stringify({ bench: 'fanout', result }))
