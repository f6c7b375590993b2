import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadavg } from 'node:os'
import { jsonLines, median, pause, printTable, stopChild } from './measurement.ts'
import type { RoomLoad } from './room-clients.ts'
import { startRoomServer, type RoomServerKind } from './room-servers.ts'

/**
 * Rooms with many listeners while lines are put in through signed sendMsg, each checked, stored in the history and copied, against a bare broadcast of
 * the same bytes with the `ws` library and against nginx with nchan, which do nothing but broadcast: deliveries per CPU second of the server, delay, memory per
 * listener. Medians of alternating runs, each with fresh processes. A shape is ROOMSxLISTENERS@RATE, lines a second over all rooms.
 * `cluster` is ours in three processes on one PostgreSQL and one Redis, with the listeners of each room spread over
 * them: its CPU is that of the three and of Redis; that of PostgreSQL is told beside it.
 * `node bench/room.ts [--shapes 1x1000@20,1x5000@4,50x100@200] [--seconds 10] [--runs 3] [--only ours,cluster] [--flags=NODE_FLAGS_OF_OURS]`
 */
const { values } = parseArgs({
  options: {
    shapes: { type: 'string', default: '1x1000@20,1x5000@4,50x100@200' },
    seconds: { type: 'string', default: '10' },
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: 'bare,nchan,ours' },
    flags: { type: 'string', default: '' },
  },
})
/** What must be reached with 1,000 listeners in one room: ratios to the peers, and delay in ms. */
const wanted = { bare: 0.9, nchan: 0.7, cluster: 0.85, p99: 50 } as const
const kinds = values.only.split(',') as RoomServerKind[]
const seconds = Number(values.seconds)

interface Shape {
  readonly name: string
  readonly rooms: number
  readonly listeners: number
  readonly rate: number
}
interface Figures {
  readonly perCpu: number
  readonly p50: number
  readonly p99: number
  readonly kbEach: number
  /** CPU seconds of the server until everybody was inside. */
  readonly entering: number
  /** CPU seconds of the database beside the server's, per second. */
  readonly database: number
  /** Load average of the machine. */
  readonly load: number
}

const shapes = values.shapes.split(',').map((name): Shape => {
  const [, rooms, listeners, rate] = /^(\d+)x(\d+)@(\d+)$/.exec(name) ?? []
  if (rate === undefined) throw new Error(`${name} is no shape`)
  return { name, rooms: Number(rooms), listeners: Number(listeners), rate: Number(rate) }
})

async function measure(kind: RoomServerKind, { name, rooms, listeners, rate }: Shape): Promise<Figures | undefined> {
  const flags = values.flags.split(' ').filter((flag) => flag !== '')
  const server = await startRoomServer(kind, rooms, listeners, flags)
  if (!server) return undefined
  const { figures } = server
  const before = figures()
  const { appKey, appSecret } = server
  const work: RoomLoad = { kind, rooms: server.rooms, listeners, rate, seconds, appKey, appSecret }
  const load = spawn(process.execPath, [join(import.meta.dirname, 'room-clients.ts'), JSON.stringify(work)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const isOurs = kind === 'ours' || kind === 'cluster'
  let [inside, begun, copiesBefore] = [before, before, 0]
  try {
    for await (const line of jsonLines(load)) {
      if (line['event'] === 'connected') inside = figures()
      if (line['event'] === 'measuring') [begun, copiesBefore] = [figures(), server.copies()]
      if (line['event'] !== 'done') continue
      const { pushes, published, bytesEach, p50, p99 } = line as Record<
        'pushes' | 'published' | 'bytesEach' | 'p50' | 'p99',
        number
      >
      const copied = (): number => server.copies() - copiesBefore
      // Copies may lag behind, and are part of the work.
      for (let waited = 0; isOurs && copied() < published * 0.99; waited++) {
        if (waited === 200) throw new Error(`of ${published} lines ${copied()} were copied`)
        await pause(50)
      }
      const ended = figures()
      const used = ended.cpu - begun.cpu
      const database = (ended.database ?? 0) - (begun.database ?? 0)
      // A machine that is too busy to keep up says so: its delays mean nothing.
      if (pushes < published * listeners * 0.95)
        console.error(`${name} ${kind} is behind: ${Math.round(pushes / listeners)} of ${published} lines were read`)
      const entering = inside.cpu - before.cpu
      console.error(
        `${name} ${kind}: ${pushes} pushes of ${published} lines, ${Math.round(bytesEach)} bytes each, ${used.toFixed(2)} s of CPU, ${copied()} copied; entering ${entering.toFixed(2)} s of CPU`,
      )
      if (database > 0) console.error(`${name} ${kind}: ${database.toFixed(2)} s of CPU of the database`)
      return {
        perCpu: pushes / used,
        p50,
        p99,
        kbEach: ((inside.memory - before.memory) * 1000) / (rooms * listeners),
        entering,
        database: database / seconds,
        load: loadavg()[0]!,
      }
    }
    throw new Error('the clients ended without a result')
  } finally {
    await stopChild(load, 'SIGKILL')
    await server.stop()
  }
}

const rows: Record<string, string | number>[] = []
const summary: object[] = []
for (const shape of shapes) {
  const taken: Partial<Record<RoomServerKind, Figures[]>> = {}
  for (let run = 0; run < Number(values.runs); run++)
    for (const kind of kinds) {
      const figures = await measure(kind, shape)
      if (figures) (taken[kind] ??= []).push(figures)
      else if (run === 0)
        console.error('nginx with nchan is left out; to install it: apt-get install nginx libnginx-mod-nchan')
    }
  const middle = (kind: RoomServerKind, of: (figures: Figures) => number): number => median((taken[kind] ?? []).map(of))
  for (const kind of kinds) {
    if (!taken[kind]) continue
    rows.push({
      shape: shape.name,
      server: kind,
      'deliveries per CPU s': Math.round(middle(kind, ({ perCpu }) => perCpu)),
      'p50 ms': middle(kind, ({ p50 }) => p50).toFixed(1),
      'p99 ms': middle(kind, ({ p99 }) => p99).toFixed(1),
      'kB per listener': middle(kind, ({ kbEach }) => kbEach).toFixed(1),
      'entering, CPU s': middle(kind, ({ entering }) => entering).toFixed(2),
    })
  }
  const ratio = (peer: RoomServerKind): number =>
    middle('ours', ({ perCpu }) => perCpu) / middle(peer, ({ perCpu }) => perCpu)
  summary.push({
    shape: shape.name,
    bare: ratio('bare'),
    nchan: ratio('nchan'),
    cluster: middle('cluster', ({ perCpu }) => perCpu) / middle('ours', ({ perCpu }) => perCpu),
    p99: middle('ours', ({ p99 }) => p99),
    runs: taken,
  })
}
console.log(
  'Ours: sendMsg over signed HTTP, checked, stored, copied, then broadcast. bare: one WebSocket message in, the same bytes out with ws. nchan: one POST in, the same bytes out.',
)
printTable(rows)
console.log('')
for (const line of summary as { shape: string; bare: number; nchan: number; cluster: number; p99: number }[]) {
  const { shape, bare, nchan, cluster, p99 } = line
  const reach = shape.startsWith('1x1000@')
    ? [`reach ${wanted.bare}`, `reach ${wanted.nchan}`, `below ${wanted.p99}`]
    : ['shown', 'shown', 'shown']
  console.log(
    `${shape}: ours / bare = ${bare.toFixed(2)} (${reach[0]}), ours / nchan = ${nchan.toFixed(2)} (${reach[1]}), p99 ${p99.toFixed(1)} ms (${reach[2]})`,
  )
  if (Number.isNaN(cluster)) continue
  const isReached = cluster >= wanted.cluster ? 'reached' : 'missed'
  console.log(`${shape}: three processes / one = ${cluster.toFixed(2)} (reach ${wanted.cluster}: ${isReached})`)
}
console.log(JSON.stringify({ bench: 'room', summary }))
