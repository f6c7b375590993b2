import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { accounts, chatrooms, queue } from '../../contract/operations/index.ts'
import { isPostgresReady, missingPackages } from '../../scripts/cluster/engines.ts'
import { until } from '../../service/testing/condition.ts'
import { clusterFolder, keepAway, pidIn, startCluster, type RunningNode } from '../cluster/running-cluster.ts'

/**
 * `npm run soak:queue -- [--seconds 8] [--trouble none|kill|stop|redis|postgres|all]`: offers and polls of one queue
 * at three nodes, while something ends or stands still; with `all` one trouble after the other. One line of JSON: what
 * was answered, elements that were taken twice, acknowledged ones that are nowhere, verbs per second, the longest time
 * in ms in which a node that was left alone answered nothing, in all and by trouble, and how long PostgreSQL itself was
 * away. Ends with 1 when something was taken twice or lost, or a stall is longer than it may be.
 */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '8' }, trouble: { type: 'string', default: 'none' } },
})
const seconds = Number(values.seconds)
/** Callers of each node for each of both. */
const callers = 3
/** How long a node may answer nothing, in ms. */
const longest = 1500
/** How long what stands still does so, in ms. */
const stopped = 3000
/** How long Redis is away, in ms. */
const away = 1500

if (missingPackages().length > 0) throw new Error(`not installed: ${missingPackages().join(', ')}`)
const folder = clusterFolder()
const cluster = await startCluster(folder.path, 3)
const [left, killed, frozen] = cluster.nodes as [RunningNode, RunningNode, RunningNode]
const { postgres, redis } = cluster.ready.engines
let postgresAway = 0
/** Each with the nodes that are not left alone by it. */
const troubles: Readonly<Record<string, { readonly of: readonly RunningNode[]; run(): Promise<void> }>> = {
  none: { of: [], run: () => Promise.resolve() },
  kill: { of: [killed], run: () => killed.replace('SIGKILL') },
  redis: { of: [], run: () => keepAway(redis.pidFile, away) },
  postgres: {
    of: [],
    async run() {
      // An immediate end, without writing what is in memory.
      process.kill(pidIn(postgres.pidFile), 'SIGQUIT')
      const begun = performance.now()
      await until('PostgreSQL is away', async () => !(await takesCalls()), seconds * 1000)
      await until('PostgreSQL is back', takesCalls)
      postgresAway = Math.round(performance.now() - begun)
    },
  },
  stop: {
    of: [frozen],
    async run() {
      const pid = frozen.pid()
      process.kill(pid, 'SIGSTOP')
      await wait(stopped)
      process.kill(pid, 'SIGCONT')
    },
  },
}
const takesCalls = (): Promise<boolean> => isPostgresReady(postgres.port)
const chosen = values.trouble === 'all' ? ['kill', 'redis', 'postgres', 'stop'] : [values.trouble]
if (!chosen.every((name) => troubles[name]))
  throw new Error(`--trouble must be all or one of ${Object.keys(troubles).join(', ')}`)

await cluster.client.call(accounts.create, { accid: 'cara' })
const { roomid } = (await cluster.client.call(chatrooms.create, { creator: 'cara', name: 'queue' })).chatroom!
await cluster.client.call(queue.init, { roomid, sizeLimit: 1000 })

const [offered, taken] = [new Set<string>(), [] as string[]]
const count = { offers: 0, polls: 0, unknown: 0, errors: 0 }
/** The trouble that there is now, and the longest time without an answer of a node that it leaves alone. */
let now = 'none'
const stalls = new Map<string, number>()
const answered = new Map(cluster.nodes.map(({ name }) => [name, performance.now()]))
let isOver = false
function note(node: RunningNode): void {
  const at = performance.now()
  const stall = Math.round(at - answered.get(node.name)!)
  if (!troubles[now]!.of.includes(node)) stalls.set(now, Math.max(stalls.get(now) ?? 0, stall))
  answered.set(node.name, at)
}
async function offer(node: RunningNode, caller: number): Promise<void> {
  for (let number = 0; !isOver; number++) {
    const key = `${node.name}.${caller}.${number}`
    const { code } = await node.client.call(queue.offer, { roomid, key, value: 'v' }).catch(() => ({ code: 0 }))
    if (code === 200) {
      offered.add(key)
      count.offers++
      note(node)
    } else {
      count.errors++
      await wait(20)
    }
  }
}
async function poll(node: RunningNode): Promise<void> {
  while (!isOver) {
    const answer = await node.client.call(queue.poll, { roomid }).catch(() => undefined)
    if (answer?.code === 200) {
      taken.push(answer.desc!.key)
      count.polls++
    }
    // Empty, or answered.
    if (answer?.code === 404 || answer?.code === 200) note(node)
    else {
      // It may have taken one.
      count.unknown++
      await wait(20)
    }
  }
}

const begun = performance.now()
const working = Promise.all(
  cluster.nodes.flatMap((node) =>
    Array.from({ length: callers }, (_, caller) => Promise.all([offer(node, caller), poll(node)])),
  ),
)
const share = (seconds * 1000) / 4 / chosen.length
await wait(share)
for (const name of chosen) {
  now = name
  await troubles[name]!.run()
  await wait(3 * share)
  for (const node of cluster.nodes) note(node)
}
const took = (performance.now() - begun) / 1000
isOver = true
await working
await until('every node is ready', async () => {
  for (const node of cluster.nodes) if ((await node.readiness()) !== 200) return false
  return true
})
const { list } = (await left.client.call(queue.list, { roomid })).desc!
const rest = new Set(list.flatMap((element) => Object.keys(element)))
const twice = taken.length - new Set(taken).size + taken.filter((key) => rest.has(key)).length
const got = new Set(taken)
const missing = [...offered].filter((key) => !got.has(key) && !rest.has(key)).length
// Each poll without an answer may have taken one element.
const lost = Math.max(0, missing - count.unknown)
const stall = Math.max(...stalls.values())
const isGood = twice === 0 && lost === 0 && stall <= longest
const perSecond = Math.round((count.offers + count.polls) / took)
const told = { trouble: values.trouble, ...count, perSecond, twice, missing, lost, stall }
console.log(JSON.stringify({ ...told, stalls: Object.fromEntries(stalls), postgresAway, isGood }))
await cluster.command.stop()
folder.remove()
process.exitCode = isGood ? 0 : 1
