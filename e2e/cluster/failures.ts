import { setTimeout as wait } from 'node:timers/promises'
import { accounts, chatrooms, queue } from '../../contract/operations/index.ts'
import { until } from '../../service/testing/condition.ts'
import { linesIn } from './node-kills.ts'
import { startApart, type ApartCluster, type ApartNode } from './apart-cluster.ts'
import { canSetClocks, type ApartChoice, type ApartHost } from './apart-programs.ts'
import type { StartWatch, Watch } from './failure-watch.ts'
import { watchClock } from './watch-clock.ts'
import { watchProxy } from './watch-proxy.ts'
import { watchStore } from './watch-store.ts'

interface Failure {
  /** Begins it. */
  begin(cluster: ApartCluster): void | Promise<void>
  /** How long it lasts, in ms. */
  readonly lasts: number
  end(cluster: ApartCluster): void | Promise<void>
  /** Nodes that callers cannot reach meanwhile, or that stand still. */
  readonly away: readonly ApartHost[]
  /** Nodes that are not ready meanwhile. */
  readonly unready: readonly ApartHost[]
  /** What it needs beside nodes and engines. */
  readonly needs?: ApartChoice
  readonly watch?: StartWatch
}
const nodes = ['n1', 'n2', 'n3'] as const
const mend = (cluster: ApartCluster): void => cluster.mend()
/** The clock of a node is set by so many seconds, for long enough that others could take a push of it for gone. */
const wrongClock = (seconds: number): Failure => ({
  begin: (c) => c.setClock(seconds),
  lasts: 80_000,
  end: (c) => c.setClock(0),
  away: [],
  unready: [],
  needs: { clockOf: 'n1' },
  watch: watchClock,
})
/** The rows of docs/decisions/035-failures.md. */
export const failures: Readonly<Record<string, Failure>> = {
  'node-killed': { begin: (c) => c.kill('n1'), lasts: 4000, end: (c) => c.start('n1'), away: ['n1'], unready: ['n1'] },
  'node-frozen': {
    begin: (c) => c.signal('n1', 'SIGSTOP'),
    lasts: 4000,
    end: (c) => c.signal('n1', 'SIGCONT'),
    away: ['n1'],
    unready: ['n1'],
  },
  'node-cut-off': { begin: (c) => c.cut('n1'), lasts: 8000, end: mend, away: ['n1'], unready: ['n1'] },
  'node-without-postgres': {
    begin: (c) => c.cutBetween('n1', 'db'),
    lasts: 8000,
    end: mend,
    away: [],
    unready: ['n1'],
  },
  'node-without-redis': {
    begin: (c) => c.cutBetween('n1', 'redis'),
    lasts: 12_000,
    end: mend,
    away: [],
    unready: ['n1'],
  },
  'nodes-apart': { begin: (c) => c.cutBetween('n1', 'n2'), lasts: 8000, end: mend, away: [], unready: [] },
  'postgres-restarted': {
    begin: (c) => c.kill('db', 'SIGQUIT'),
    lasts: 0,
    end: (c) => c.start('db'),
    away: [],
    unready: [],
  },
  'postgres-gone': {
    begin: (c) => c.kill('db', 'SIGQUIT'),
    lasts: 10_000,
    end: (c) => c.start('db'),
    away: [],
    unready: nodes,
  },
  'redis-restarted': { begin: (c) => c.kill('redis'), lasts: 0, end: (c) => c.start('redis'), away: [], unready: [] },
  'redis-gone': { begin: (c) => c.kill('redis'), lasts: 10_000, end: (c) => c.start('redis'), away: [], unready: [] },
  'store-gone': {
    begin: (c) => c.kill('store'),
    lasts: 10_000,
    end: (c) => c.start('store'),
    away: [],
    unready: [],
    needs: { withStore: true },
    watch: watchStore,
  },
  'proxy-restarted': {
    begin: (c) => c.kill('proxy'),
    lasts: 0,
    end: (c) => c.start('proxy'),
    away: [],
    unready: [],
    needs: { withProxy: true },
    watch: watchProxy,
  },
  'clock-ahead': wrongClock(60),
  'clock-behind': wrongClock(-60),
}

/** Why a failure cannot be made here, though the others can; undefined when it can. */
export const missingFor = (name: string): string | undefined =>
  failures[name]!.needs?.clockOf && !canSetClocks() ? 'not installed: faketime' : undefined

/** What a failure did; times in ms. */
export interface FailureFigures {
  readonly acknowledged: number
  readonly refused: number
  /** Codes of the refusals. */
  readonly codes: readonly number[]
  /** Acknowledged lines and elements that are nowhere. */
  readonly lost: number
  /** Lines that are stored, and elements that were taken, more than once. */
  readonly twice: number
  /** The longest call at a node that could be reached. */
  readonly longestCall: number
  /** Nodes whose `/readyz` was not as it must be, at the end of the failure. */
  readonly wronglyReady: readonly string[]
  /** From the end of the failure until every node is ready and answers. */
  readonly allWell: number
  /** What else was not as it must be. */
  readonly faults: readonly string[]
  /** What else was measured. */
  readonly more?: Readonly<Record<string, number>>
}

/** Makes one failure under load in a cluster of its own. */
export async function makeFailure(name: string): Promise<FailureFigures> {
  const failure = failures[name]!
  const cluster = await startApart(failure.needs)
  let watch: Watch | undefined
  const [calm] = cluster.nodes.toReversed()
  try {
    await calm!.client.call(accounts.create, { accid: 'cara' })
    const { roomid } = (await calm!.client.call(chatrooms.create, { creator: 'cara', name })).chatroom!
    await calm!.client.call(queue.init, { roomid, sizeLimit: 1000 })
    watch = await failure.watch?.(cluster, roomid)
    const lines = new Map<string, { readonly from: number; readonly to: number }>()
    const [offered, taken] = [new Set<string>(), [] as string[]]
    const codes = new Set<number>()
    let [refused, unknownPolls, longestCall, isOver] = [0, 0, 0, false]
    /** The answer of a call; undefined where none came. */
    const timed = async <T extends { readonly code: number }>(node: ApartNode, call: Promise<T>) => {
      const from = performance.now()
      const answer = await Promise.race([call.catch(() => undefined), wait<undefined>(15_000)])
      if (!failure.away.includes(node.name)) longestCall = Math.max(longestCall, Math.round(performance.now() - from))
      if (answer?.code === 200) return answer
      if (answer) codes.add(answer.code)
      refused++
      await wait(50)
      return answer
    }
    const work = async (node: ApartNode): Promise<void> => {
      for (let number = 0; !isOver; number++) {
        const key = `${node.name}.${number}`
        if ((await timed(node, node.client.call(queue.offer, { roomid, key, value: 'v' })))?.code === 200)
          offered.add(key)
        const line = { roomid, fromAccid: 'cara', msgId: key, msgType: 0, attach: key } as const
        const from = performance.now()
        if ((await timed(node, node.client.call(chatrooms.sendMsg, line)))?.code === 200)
          lines.set(key, { from, to: performance.now() })
        const polled = await timed(node, node.client.call(queue.poll, { roomid }))
        if (polled?.code === 200) taken.push(polled.desc!.key)
        // Not of an empty queue: it may have taken one.
        else if (polled?.code !== 404) unknownPolls++
      }
    }
    const working = Promise.all(cluster.nodes.map(work))
    await wait(2000)
    await failure.begin(cluster)
    await Promise.all([wait(failure.lasts), watch?.during()])
    const wronglyReady: string[] = []
    if (failure.lasts > 0)
      for (const node of cluster.nodes)
        if (((await node.readiness()) === 200) === failure.unready.includes(node.name)) wronglyReady.push(node.name)
    await failure.end(cluster)
    const ended = performance.now()
    await until('all is well', async () => {
      for (const node of cluster.nodes) if ((await node.readiness()) !== 200) return false
      const answers = await Promise.all(
        cluster.nodes.map(({ client }) =>
          Promise.race([client.call(queue.list, { roomid }).catch(() => undefined), wait(3000, undefined)]),
        ),
      )
      return answers.every((answer) => answer?.code === 200)
    })
    const allWell = Math.round(performance.now() - ended)
    await wait(1000)
    isOver = true
    await working
    const { list } = (await calm!.client.call(queue.list, { roomid })).desc!
    const rest = list.flatMap((element) => Object.keys(element))
    const there = new Set([...taken, ...rest])
    const stored = await linesIn(calm!.client, roomid)
    const said = [...stored.values()]
    const missing = [...offered].filter((key) => !there.has(key)).length
    const lost = Math.max(0, missing - unknownPolls) + [...lines.keys()].filter((line) => !stored.has(line)).length
    const twice = taken.length + rest.length - there.size + said.filter((count) => count > 1).length
    const acknowledged = lines.size + offered.size + taken.length
    const seen = await watch?.after({ acknowledged: lines, stored: [...stored.keys()], codes: [...codes] })
    return {
      acknowledged,
      refused,
      codes: [...codes],
      lost,
      twice,
      longestCall,
      wronglyReady,
      allWell,
      faults: seen?.faults ?? [],
      ...(seen?.figures && { more: seen.figures }),
    }
  } finally {
    await watch?.close()
    await cluster.close()
  }
}

/** In ms: the longest a call may take, and how soon all is well after the end of a failure. */
export const bounds = { call: 10_000, well: 10_000 } as const
