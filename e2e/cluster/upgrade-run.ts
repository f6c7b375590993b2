import { setTimeout as wait } from 'node:timers/promises'
import { accounts, chatrooms, live, local } from '../../contract/operations/index.ts'
import { until } from '../../service/testing/condition.ts'
import { tryPairs } from './mixed-nodes.ts'
import type { NodePrograms } from './node-programs.ts'
import { withoutOrder } from './one-order.ts'
import { listenInRoom, type RoomListener } from './room-listener.ts'
import { isAlive, type RunningCluster, type RunningNode } from './running-cluster.ts'
import { toldCalls, type CallFaults } from './told-calls.ts'
import { keepPushing } from './watched-push.ts'

/** Accounts that speak, each so many lines a second that all together say what is asked for. */
const speakers = 10
/** How long everything may take to be as it was after a node was replaced, in ms. */
const patience = 60_000
/** Accounts that are made at once. */
const atOnce = 8

/** What came of the replacement of one node. */
export interface Switch {
  readonly node: string
  /** From the signal to the end of its process, in ms. */
  readonly drained: number
  /** From the signal until its successor is ready, in ms. */
  readonly replaced: number
  /** From then until everybody is inside again and the push is played, in ms. */
  readonly settled: number
  /** Longest silence meanwhile, in ms. */
  readonly silence: { readonly encoder: number; readonly flv: number; readonly hls: number }
  /** Pairs of nodes over which everything came through, with both releases there. */
  readonly pairs: number
}

/** What came of all of it. */
export interface UpgradeResult {
  readonly people: number
  readonly switches: readonly Switch[]
  readonly acknowledged: number
  /** Acknowledged lines that somebody has not, over all people. */
  readonly missing: number
  /** Lines that came twice to somebody within one stay. */
  readonly twice: number
  /** Lines that are stored twice. */
  readonly storedTwice: number
  /** Lines that came in different orders. */
  readonly unordered: number
  /** The longest time that somebody was not inside, in ms. */
  readonly longestAway: number
  /** Closed connections of all people, by code. */
  readonly closes: Readonly<Record<number, number>>
  readonly calls: number
  readonly faults: CallFaults
  /** How often the encoder connected. */
  readonly connections: number
}

/** Whether it is as it must be. */
export const isGood = (result: UpgradeResult): boolean =>
  result.missing + result.twice + result.storedTwice + result.unordered === 0 &&
  Object.keys(result.faults.untold).length === 0

const countsOf = (codes: readonly number[]): Record<number, number> => {
  const counts: Record<number, number> = {}
  for (const code of codes) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

/** Makes accounts that listen, some at a time. */
async function makePeople(call: ReturnType<typeof toldCalls>['call'], names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += atOnce)
    await Promise.all(
      names
        .slice(at, at + atOnce)
        .map((accid) => call(accounts.create, { accid, token: `token-of-${accid}`, name: accid }, [414])),
    )
}

/** Says lines by the proxy, `perSecond` of each speaker, each until it is acknowledged. */
function keepSaying(call: ReturnType<typeof toldCalls>['call'], roomid: number, perSecond: number) {
  const said: string[] = []
  let isOver = false
  const run = async (speaker: number): Promise<void> => {
    const begun = performance.now()
    for (let number = 0; !isOver; number++) {
      const msgId = `line-${speaker}.${number}`
      await call(chatrooms.sendMsg, { roomid, fromAccid: `speaker-${speaker}`, msgId, msgType: 0, attach: msgId })
      said.push(msgId)
      await wait(Math.max(0, begun + ((number + 1) * 1000) / perSecond - performance.now()))
    }
  }
  const running = Promise.all(Array.from({ length: speakers }, (_, speaker) => run(speaker)))
  return {
    said,
    async end(): Promise<void> {
      isOver = true
      await running
    },
  }
}

/**
 * Replaces one node after the other by the build `after`, with people in a room, lines, a push and its players, and
 * tells what they noticed.
 */
export async function upgrade(
  cluster: RunningCluster,
  options: {
    readonly people: number
    /** Of all speakers. */
    readonly linesPerSecond: number
    readonly programs: NodePrograms
    readonly after: string
    readonly say?: (line: string) => void
  },
): Promise<UpgradeResult> {
  const { people, linesPerSecond, programs, after, say = () => undefined } = options
  const { call, faults, calls } = toldCalls(cluster.client)
  const names = Array.from({ length: people }, (_, index) => `person-${index}`)
  await makePeople(call, [...names, ...Array.from({ length: speakers }, (_, index) => `speaker-${index}`)])
  const { roomid } = (await call(chatrooms.create, { creator: 'speaker-0', name: 'upgrade' })).chatroom!
  const { cid, pushUrl, httpPullUrl, hlsPullUrl } = (await call(live.create, { name: 'upgrade' })).ret!
  const push = keepPushing({ push: pushUrl, flv: httpPullUrl, hls: hlsPullUrl })
  const listeners: RoomListener[] = []
  let talk: ReturnType<typeof keepSaying> | undefined
  let isOver = false
  /** Another caller, which reads and changes. */
  const caller = async (): Promise<void> => {
    for (let number = 0; !isOver; number++) {
      await call(live.state, { cid })
      await call(accounts.updateUinfo, { accid: 'speaker-1', name: `called ${number}` })
      await wait(100)
    }
  }
  const isOnAir = async (): Promise<boolean> => (await call(live.state, { cid })).ret?.status === 1
  const replace = async (node: RunningNode): Promise<Switch> => {
    const before = node.pid()
    for (const each of Object.values(push.silence)) each.take()
    programs.use(node.name, after)
    const told = performance.now()
    const ended = until(`${node.name} ends`, () => !isAlive(before), patience).then(() => performance.now() - told)
    await node.replace('SIGTERM')
    const replaced = performance.now() - told
    await until('everybody is inside again', () => listeners.every((each) => each.isInside()), patience)
    await until('the push is on air', isOnAir, patience)
    const lines = talk!.said.length
    await until('lines go on', () => talk!.said.length > lines + speakers, patience)
    const settled = performance.now() - told - replaced
    const pairs = await tryPairs(cluster, node.name, faults)
    // Read after that, so that a stream that began again is counted to its first bytes.
    const { encoder, flv, hls } = push.silence
    const silence = { encoder: encoder.take(), flv: flv.take(), hls: hls.take() }
    const round = { drained: await ended, replaced, settled }
    const done: Switch = {
      node: node.name,
      drained: Math.round(round.drained),
      replaced: Math.round(round.replaced),
      settled: Math.round(round.settled),
      silence,
      pairs,
    }
    say(JSON.stringify(done))
    return done
  }

  const calling = caller()
  try {
    for (const accid of names)
      listeners.push(listenInRoom(cluster.ready, { accid, token: `token-of-${accid}`, roomid }))
    await until('everybody is inside', () => listeners.every((each) => each.isInside()), patience)
    await until('the push is played', push.isPlayed, patience)
    talk = keepSaying(call, roomid, linesPerSecond / speakers)
    say(`${people} people are inside, the push is on air`)
    const switches: Switch[] = []
    for (const node of cluster.nodes) switches.push(await replace(node))
    await talk.end()
    const { said } = talk
    const missing = (): number =>
      listeners.reduce((sum, { lines }) => sum + said.filter((line) => !lines.has(line)).length, 0)
    // What is still on its way comes; what is lost does not.
    await until('everybody has every line', () => missing() === 0, 5000).catch(() => undefined)
    const numbers = new Map<string, Set<string>>()
    for (const { lines } of listeners)
      for (const [line, msgid] of lines) numbers.set(line, (numbers.get(line) ?? new Set()).add(msgid))
    const stored = (await call(local.roomHistory, { roomid, limit: 1000 })).ret!.list.map(({ attach }) => attach)
    return {
      people,
      switches,
      acknowledged: said.length,
      missing: missing(),
      twice: listeners.reduce((sum, each) => sum + each.twice(), 0),
      storedTwice: stored.length - new Set(stored).size + [...numbers.values()].filter(({ size }) => size > 1).length,
      unordered: withoutOrder(listeners.flatMap(({ stays }) => stays.map((stay) => [...stay]))).length,
      longestAway: Math.round(Math.max(...listeners.map((each) => each.longestAway()))),
      closes: countsOf(listeners.flatMap((each) => each.closes)),
      calls: calls(),
      faults,
      connections: push.connections(),
    }
  } finally {
    isOver = true
    await Promise.allSettled([calling, talk?.end()])
    for (const each of listeners) each.close()
    await push.end()
  }
}
