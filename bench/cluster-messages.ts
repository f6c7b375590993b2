import { spawn } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { accounts } from '../contract/operations/index.ts'
import { signedForm } from '../e2e/signed-call.ts'
import type { MessageLoad, MessagePath } from './cluster-messages-load.ts'
import { startBenchCluster, type BenchCluster, type ClusterCpu } from './cluster-nodes.ts'
import { jsonLines, stopChild } from './measurement.ts'
import { watchMessages } from './message-watch.ts'

/**
 * Messages that three services on one PostgreSQL and one Redis store and acknowledge in a second: first by `send` on
 * the client link, then by signed sendMsg; each is one message of one request. Receivers are not connected. CPU seconds
 * are those of the measured seconds, and of handing all of it on at every node. One line of JSON; ends with 1 where a
 * message is missing or where no path has so many a second as wanted.
 * `node bench/cluster-messages.ts [--nodes 3] [--seconds 10] [--paths link,api] [--flags=NODE_FLAGS]`
 */
const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '10' },
    paths: { type: 'string', default: 'link,api' },
    sessions: { type: 'string', default: '1200' },
    underWay: { type: 'string', default: '384' },
    flags: { type: 'string', default: '' },
  },
})
/** Messages a second that must be taken. */
const wanted = 15_000
const sessions = Number(values.sessions)
const callers = { link: sessions, api: Number(values.underWay) } as const
const burst = { link: 2, api: 8 } as const

const round = (value: number, digits = 0): number => Number(value.toFixed(digits))

async function makeAccounts({ nodes, credentials }: BenchCluster): Promise<void> {
  const names = [
    'watch',
    ...Array.from({ length: sessions }, (_, index) => `s${index}`),
    ...Array.from({ length: 100 }, (_, index) => `r${index}`),
  ]
  for (let from = 0; from < names.length; from += 100)
    await Promise.all(
      names.slice(from, from + 100).map(async (accid, index) => {
        const { imBaseUrl } = nodes[index % nodes.length]!.ready
        const fields = { accid, token: 'bench', name: accid }
        const { code } = await signedForm(imBaseUrl, credentials, accounts.create.path, fields)
        if (code !== 200) throw new Error(`an account was refused: ${code}`)
      }),
    )
}

async function measure(cluster: BenchCluster, path: MessagePath) {
  const watch = await watchMessages(cluster)
  const work: MessageLoad = {
    path,
    nodes: cluster.nodes.map(({ ready }) => ({ link: ready.linkUrl, api: ready.imBaseUrl })),
    callers: callers[path],
    burst: burst[path],
    seconds: Number(values.seconds),
    ...cluster.credentials,
  }
  const script = join(import.meta.dirname, 'cluster-messages-load.ts')
  const load = spawn(process.execPath, [script, JSON.stringify(work)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let before: ClusterCpu | undefined
  try {
    for await (const line of jsonLines(load)) {
      if (line['event'] === 'measuring') before = cluster.cpu()
      if (line['event'] !== 'done') continue
      const { answered, seconds, cpu, p50, p99 } = line as Record<
        'answered' | 'seconds' | 'cpu' | 'p50' | 'p99',
        number
      >
      const behind = await watch.handedOn()
      const after = cluster.cpu()
      const used = (kind: keyof ClusterCpu): number => after[kind] - before![kind]
      return {
        perSecond: round(answered / seconds),
        messages: answered,
        underWay: path === 'link' ? callers.link * burst.link : callers.api,
        cpuSeconds: {
          nodes: round(used('nodes'), 2),
          postgres: round(used('postgres'), 2),
          redis: round(used('redis'), 2),
          load: round(cpu, 2),
        },
        perCpuSecond: { nodes: round(answered / used('nodes')), postgres: round(answered / used('postgres')) },
        p50: round(p50, 1),
        p99: round(p99, 1),
        /** Until every node had handed on a message that was sent after the last one, in ms. */
        behind: round(behind),
        load: loadavg().map((value) => round(value, 1)),
      }
    }
    throw new Error('the senders ended without a result')
  } finally {
    watch.close()
    await stopChild(load, 'SIGKILL')
  }
}

/** What is stored: no place is missing, and none was given twice. */
async function look(databaseUrl: string) {
  const client = new Client({ connectionString: databaseUrl, options: '-c search_path=sidestage' })
  await client.connect()
  try {
    const { rows } = await client.query<Record<'events' | 'places' | 'first' | 'last' | 'counter', string>>(
      `select count(*) as events, count(distinct seq) as places, min(seq) as first, max(seq) as last,
        (select value from "streamPosition") as counter from event`,
    )
    const { events, places, first, last, counter } = rows[0]!
    const isGapless = events === places && last === counter && Number(last) - Number(first) + 1 === Number(events)
    return { events: Number(events), places: Number(places), counter: Number(counter), isGapless }
  } finally {
    await client.end()
  }
}

const cluster = await startBenchCluster({
  nodes: Number(values.nodes),
  flags: values.flags.split(' ').filter((flag) => flag !== ''),
})
try {
  await makeAccounts(cluster)
  const paths: Partial<Record<MessagePath, Awaited<ReturnType<typeof measure>>>> = {}
  for (const path of values.paths.split(',') as MessagePath[]) paths[path] = await measure(cluster, path)
  const stored = await look(cluster.databaseUrl)
  const best = Math.max(...Object.values(paths).map(({ perSecond }) => perSecond))
  const reached = stored.isGapless && best >= wanted
  const line = { bench: 'cluster-messages', nodes: cluster.nodes.length, paths, stored, wanted, reached }
  console.log(JSON.stringify(line))
  process.exitCode = reached ? 0 : 1
} finally {
  await cluster.close()
}
