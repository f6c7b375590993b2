import { setTimeout as wait } from 'node:timers/promises'
import { accounts, chatrooms, local } from '../../contract/operations/index.ts'
import { until } from '../../service/testing/condition.ts'
import type { SignedClient } from '../../service/testing/signed-client.ts'
import { signInPerson } from '../link-person.ts'
import { keepInside, type KeptInside } from './keep-inside.ts'
import type { RunningCluster, RunningNode } from './running-cluster.ts'

interface Listener extends KeptInside {
  readonly accid: string
  readonly node: RunningNode
}
/** What kills of nodes under load did; times in ms, the longest of each. */
export interface KillFigures {
  readonly kills: number
  readonly lines: number
  /** Sends that were not acknowledged and sent again. */
  readonly retried: number
  /** Acknowledged lines that a listener has not heard or read at the end, in all. */
  readonly missing: number
  /** Lines that are in the history more than once. */
  readonly twice: number
  /** From a kill until every other node counts those who are left. */
  readonly countAfterKill: number
  /** From the moment when all are inside again until every node counts them. */
  readonly countAfterReturn: number
  /** From the call at one node to the end of the stay at another one. */
  readonly kick: number
  /** From a kill until the node is ready again. */
  readonly ready: number
}

/** Says lines at all nodes, each again at the next one until it is acknowledged. */
function speak(nodes: readonly RunningNode[], roomid: number, rate: number) {
  const acknowledged: string[] = []
  let [retried, isOver] = [0, false]
  const say = async (number: number): Promise<void> => {
    const line = { roomid, fromAccid: 'cara', msgId: `n${number}`, msgType: 0, attach: `n${number}` } as const
    for (let at = number; ; at++) {
      const answer = await nodes[at % nodes.length]!.client.call(chatrooms.sendMsg, line).catch(() => undefined)
      if (answer?.code === 200) break
      retried++
      await wait(50)
    }
    acknowledged.push(line.attach)
  }
  const running = (async () => {
    const under: Promise<void>[] = []
    const begun = performance.now()
    for (let number = 0; !isOver; await wait(5))
      for (; number < ((performance.now() - begun) / 1000) * rate; number++) under.push(say(number))
    await Promise.all(under)
  })()
  return {
    retried: () => retried,
    async end(): Promise<readonly string[]> {
      isOver = true
      await running
      return acknowledged
    },
  }
}

/** How often each line is in the history of a room. */
export async function linesIn(client: SignedClient, roomid: number): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (let before: string | undefined; ;) {
    const { list } = (await client.call(local.roomHistory, { roomid, limit: 1000, before })).ret!
    for (const { attach } of list) found.set(attach, (found.get(attach) ?? 0) + 1)
    if (list.length < 1000) return found
    before = list.at(-1)!.msgid
  }
}

/**
 * Kills nodes of a running cluster one after the other while lines are said at all of them and people at all of them
 * listen. Who was at the killed node comes again once the others have counted without them.
 */
export async function killNodes(
  cluster: RunningCluster,
  given: { readonly kills: number; readonly listeners: number; readonly rate: number },
): Promise<KillFigures> {
  const { nodes, client } = cluster
  const created = await client.call(accounts.create, { accid: 'cara' })
  if (created.code !== 200) throw new Error(`no account: ${created.code}`)
  const { roomid } = (await client.call(chatrooms.create, { creator: 'cara', name: 'kills' })).chatroom!
  let keptOut: RunningNode | undefined
  let barred: string | undefined
  const listeners: Listener[] = []
  for (let index = 0; index < given.listeners; index++) {
    const [accid, token] = [`ear-${index}`, `token-of-${index}`]
    await client.call(accounts.create, { accid, token })
    const node = nodes[index % nodes.length]!
    const person = signInPerson({ ...cluster.ready, linkUrl: node.linkUrl }, accid, token)
    listeners.push({ accid, node, ...keepInside(person, roomid, () => keptOut !== node && barred !== accid) })
  }
  const longest = { countAfterKill: 0, countAfterReturn: 0, kick: 0, ready: 0 }
  const note = (of: keyof typeof longest, from: number): void => {
    longest[of] = Math.max(longest[of], Math.round(performance.now() - from))
  }
  const allInside = (): boolean => listeners.every((one) => one.isInside())
  const counted = async (at: readonly RunningNode[], count: number): Promise<boolean> => {
    const answers = await Promise.all(
      at.map((node) => node.client.call(chatrooms.get, { roomid, needOnlineUserCount: true }).catch(() => undefined)),
    )
    return answers.every((answer) => answer?.chatroom?.onlineusercount === count)
  }
  const kick = async (by: RunningNode, whom: Listener): Promise<void> => {
    const outs = whom.putOut()
    barred = whom.accid
    const role = { roomid, operator: 'cara', target: whom.accid, opt: -1 } as const
    const from = performance.now()
    const { code } = await by.client.call(chatrooms.setMemberRole, { ...role, optvalue: true })
    if (code !== 200) throw new Error(`no kick: ${code}`)
    await until(`${whom.accid} is put out`, () => whom.putOut() > outs)
    note('kick', from)
    await by.client.call(chatrooms.setMemberRole, { ...role, optvalue: false })
    barred = undefined
    await until(`${whom.accid} is inside again`, () => whom.isInside())
  }
  const talk = speak(nodes, roomid, given.rate)
  try {
    await until('all are inside', allInside)
    await until('all are counted', () => counted(nodes, listeners.length))
    for (let kill = 0; kill < given.kills; kill++) {
      const node = nodes[kill % nodes.length]!
      const others = nodes.filter((other) => other !== node)
      keptOut = node
      const from = performance.now()
      const replaced = node.replace('SIGKILL').then(() => note('ready', from))
      const left = listeners.filter((one) => one.node !== node)
      await until('the others count who is left', () => counted(others, left.length))
      note('countAfterKill', from)
      await kick(
        others[kill % 2]!,
        left.find((one) => one.node === others[(kill + 1) % 2])!,
      )
      keptOut = undefined
      await replaced
      await until('all are inside again', allInside)
      const inside = performance.now()
      await until('all nodes count all', () => counted(nodes, listeners.length))
      note('countAfterReturn', inside)
    }
    const said = await talk.end()
    const missing = (): number =>
      listeners.reduce((sum, one) => {
        const heard = one.heard()
        return sum + said.filter((line) => !heard.has(line)).length
      }, 0)
    const complete = until('all lines are heard', () => missing() === 0, 10_000)
    await complete.catch(() => undefined)
    const history = await linesIn(client, roomid)
    const twice = [...history.values()].filter((count) => count > 1).length
    const lost = said.filter((line) => !history.has(line)).length
    const { kills } = given
    return { kills, lines: said.length, retried: talk.retried(), missing: missing() + lost, twice, ...longest }
  } finally {
    await talk.end()
    await Promise.all(listeners.map((one) => one.close()))
  }
}
