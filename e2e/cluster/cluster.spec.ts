import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'playwright/test'
import { accounts, chatrooms, friends, live, local, messages } from '../../contract/operations/index.ts'
import type { WatchGuest } from '../../contract/watch.ts'
import { missingPackages } from '../../scripts/cluster/engines.ts'
import { startEncoder } from '../encoder.ts'
import { signInPerson, type LinkPerson } from '../link-person.ts'
import { keepInside } from './keep-inside.ts'
import {
  clusterFolder,
  isAlive,
  killCommand,
  pidIn,
  startCluster,
  type RunningCluster,
  type RunningNode,
} from './running-cluster.ts'

/** Three nodes behind a proxy: what is done at one is there at the others, and goes on when one of them ends. */
test.skip(missingPackages().length > 0, `not installed: ${missingPackages().join(', ')}`)
test.describe.configure({ mode: 'serial' })

/** How soon a change is at all nodes, in ms. */
const soon = { timeout: 2000, intervals: [20] }
/** Who speaks and who only listens, one at each node; gus comes by the proxy. */
const [speaking, listening] = [
  ['ann', 'bob', 'cara'],
  ['dan', 'eve', 'fay'],
] as const
let cluster: RunningCluster
let folder: ReturnType<typeof clusterFolder>
test.beforeAll(async () => {
  folder = clusterFolder()
  cluster = await startCluster(folder.path, 3)
  for (const accid of [...speaking, ...listening, 'gus'])
    expect((await cluster.client.call(accounts.create, { accid, token: `token-of-${accid}` })).code).toBe(200)
})
test.afterAll(async () => {
  await cluster?.command.stop()
  folder?.remove()
})

/** All nodes, one of them first. */
const from = (index: number): readonly [RunningNode, ...RunningNode[]] => {
  const [first, ...others] = [...cluster.nodes.slice(index), ...cluster.nodes.slice(0, index)]
  return [first!, ...others]
}
/** The media side of a node, from its link. */
const mediaOf = (linkUrl: string): string => new URL(linkUrl.replace(/^ws/, 'http')).origin
const signIn = (node: Pick<RunningNode, 'linkUrl'>, accid: string, clientType?: 'WEB' | 'IOS'): LinkPerson =>
  signInPerson({ ...cluster.ready, linkUrl: node.linkUrl }, accid, `token-of-${accid}`, clientType)

test('who calls does not choose the id under which the log has it', async () => {
  const answer = await fetch(`${cluster.ready.baseUrl}/app/channel/create`, {
    method: 'POST',
    headers: { 'x-request-id': 'chosen' },
    body: '{}',
  })
  expect(answer.headers.get('x-request-id')).toMatch(/^(?!chosen)[\w-]{20,}$/)
})

test('signed calls go to every node by the proxy, and each tells the same addresses', async () => {
  const { code, ret } = await cluster.client.call(live.create, { name: 'everywhere' })
  expect(code).toBe(200)
  expect(ret!.pushUrl.startsWith(`${cluster.ready.rtmpUrl}/`)).toBe(true)
  expect(ret!.httpPullUrl.startsWith(`${cluster.ready.mediaUrl}/`)).toBe(true)
  for (const { client } of cluster.nodes)
    await expect
      .poll(async () => (await client.call(live.address, { cid: ret!.cid })).ret?.httpPullUrl, soon)
      .toBe(ret!.httpPullUrl)
})

test('an account, a friend, a room and the settings of a channel made at a node are at the others', async () => {
  const { cid } = (await cluster.client.call(live.create, { name: 'settings' })).ret!
  for (const index of cluster.nodes.keys()) {
    const [{ client: first, name }, ...others] = from(index)
    const accid = `of-${name}`
    expect((await first.call(accounts.create, { accid, name: `Of ${name}` })).code).toBe(200)
    expect((await first.call(friends.add, { accid, faccid: 'ann', type: 1 })).code).toBe(200)
    const { roomid } = (await first.call(chatrooms.create, { creator: accid, name: `Room of ${name}` })).chatroom!
    expect((await first.call(live.update, { cid, name: `by${index}`, type: 0 })).code).toBe(200)
    for (const { client } of others) {
      await expect
        .poll(async () => (await client.call(accounts.getUinfos, { accids: [accid] })).uinfos?.[0]?.name, soon)
        .toBe(`Of ${name}`)
      await expect
        .poll(async () => (await client.call(friends.get, { accid: 'ann' })).friends?.map((each) => each.faccid), soon)
        .toContain(accid)
      await expect.poll(async () => (await client.call(chatrooms.get, { roomid })).chatroom?.creator, soon).toBe(accid)
      await expect.poll(async () => (await client.call(live.state, { cid })).ret?.name, soon).toBe(`by${index}`)
    }
  }
})

/** The first bytes of a stream, by the addresses that it is led to. */
async function firstBytes(address: string): Promise<Buffer> {
  const ending = new AbortController()
  try {
    const { body, status } = await fetch(address, { signal: ending.signal })
    if (status !== 200 || !body) return Buffer.from(String(status))
    const pieces: Uint8Array[] = []
    for await (const piece of body) {
      pieces.push(piece)
      if (pieces.reduce((sum, { length }) => sum + length, 0) > 50_000) break
    }
    return Buffer.concat(pieces)
  } finally {
    ending.abort()
  }
}

test('a channel is watched at every node and by the proxy, also after its node was killed', async () => {
  test.setTimeout(180_000)
  const { cid, pushUrl, httpPullUrl, hlsPullUrl } = (await cluster.client.call(live.create, { name: 'watched' })).ret!
  const status = async ({ client }: { readonly client: RunningNode['client'] }) =>
    (await client.call(live.state, { cid })).ret?.status
  const everywhere = [cluster, ...cluster.nodes]
  let encoder = startEncoder(pushUrl)
  /** Encoders try again: for 3 s the push that was lost keeps others out. */
  const pushed = async (one: (typeof everywhere)[number]) => {
    if (encoder.process.exitCode !== null) encoder = startEncoder(pushUrl)
    return status(one)
  }
  const watched = async (): Promise<void> => {
    const slowly = { timeout: 30_000, intervals: [200] }
    for (const one of everywhere) await expect.poll(() => pushed(one), slowly).toBe(1)
    const { pathname } = new URL(httpPullUrl)
    for (const root of [new URL(httpPullUrl).origin, ...cluster.nodes.map(({ linkUrl }) => mediaOf(linkUrl))])
      await expect
        .poll(async () => (await firstBytes(`${root}${pathname}`)).subarray(0, 3).toString(), slowly)
        .toBe('FLV')
    await expect.poll(async () => (await firstBytes(hlsPullUrl)).toString(), slowly).toContain('#EXTINF')
  }
  try {
    await watched()
    const owners = await Promise.all(
      cluster.nodes.map(async (node) => {
        const { status: code } = await fetch(`${mediaOf(node.linkUrl)}${new URL(hlsPullUrl).pathname}`, {
          redirect: 'manual',
        })
        return code === 200 ? [node] : []
      }),
    )
    const [owner, ...more] = owners.flat()
    expect(more).toEqual([])
    const replaced = owner!.replace('SIGKILL')
    await encoder.exited
    await replaced
    await watched()
  } finally {
    await encoder.stop('SIGKILL')
  }
  for (const one of everywhere) await expect.poll(() => status(one), { timeout: 30_000, intervals: [200] }).toBe(0)
})

test('guests of the watch page log in by the proxy, enter and speak, whichever node made them', async () => {
  const { cid } = (await cluster.client.call(live.create, { name: 'guests' })).ret!
  const { roomid } = (await cluster.client.call(chatrooms.create, { creator: 'cara', name: 'guests' })).chatroom!
  expect((await cluster.client.call(local.linkRoom, { cid, roomid })).code).toBe(200)
  const root = cluster.ready.mediaUrl
  for (const [index, media] of [root, root, ...cluster.nodes.map(({ linkUrl }) => mediaOf(linkUrl))].entries()) {
    // Once the node knows of the room.
    await expect.poll(async () => (await fetch(`${media}/watch/${cid}/state`)).text(), soon).toContain(`${roomid}`)
    const made = await fetch(`${media}/watch/${cid}/guest`, { method: 'POST' })
    expect(made.status).toBe(201)
    const { accid, token } = (await made.json()) as WatchGuest
    const person = signInPerson(cluster.ready, accid, token)
    try {
      await expect.poll(() => person.online()).toBe(true)
      await person.request('roomEnter', { roomid, nick: `Guest ${index}` })
      await person.request('roomSend', { roomid, type: 0, attach: `guest ${index}`, clientId: `guest ${index}` })
    } finally {
      person.close()
    }
  }
  const stored = (await cluster.client.call(local.roomHistory, { roomid, limit: 100 })).ret!.list
  expect(stored.map(({ attach }) => attach).toSorted()).toEqual([0, 1, 2, 3, 4].map((index) => `guest ${index}`))
})

test('listeners of a room at different nodes hear each other, all in one order', async () => {
  const { roomid } = (await cluster.client.call(chatrooms.create, { creator: 'cara', name: 'order' })).chatroom!
  const speakers = speaking.map((accid, index) => signIn(cluster.nodes[index]!, accid))
  const listeners = listening.map((accid, index) => signIn(cluster.nodes[index]!, accid))
  const people = [...speakers, ...listeners]
  const heard = (person: LinkPerson): string[] =>
    person.of('roomMessage').flatMap((line) => (line.roomid === roomid && line.type === 0 ? [line.attach] : []))
  try {
    await expect.poll(() => people.every((person) => person.online())).toBe(true)
    for (const person of people) await person.request('roomEnter', { roomid })
    const each = 8
    await Promise.all(
      speakers.flatMap((person, index) =>
        Array.from({ length: each }, (_, number) =>
          person.request('roomSend', { roomid, type: 0, attach: `${index}.${number}`, clientId: `${index}.${number}` }),
        ),
      ),
    )
    await expect.poll(() => listeners.map((person) => heard(person).length)).toEqual(listening.map(() => 3 * each))
    // Who said a line is not told it.
    await expect.poll(() => speakers.map((person) => heard(person).length)).toEqual(speaking.map(() => 2 * each))
    const [order, ...others] = listeners.map((person) => heard(person))
    for (const other of others) expect(other).toEqual(order)
    for (const [index, person] of speakers.entries())
      expect(heard(person)).toEqual(order!.filter((line) => !line.startsWith(`${index}.`)))
    const stored = (await cluster.client.call(local.roomHistory, { roomid, limit: 100 })).ret!.list
    expect(stored.map(({ attach }) => attach).toSorted()).toEqual(order!.toSorted())
  } finally {
    for (const person of people) person.close()
  }
})

test('messages between accounts at different nodes come at once, in one order at every device', async () => {
  const [one, other, third] = cluster.nodes as [RunningNode, RunningNode, RunningNode]
  const ann = signIn(one, 'ann')
  const devices = [signIn(other, 'bob'), signIn(third, 'bob', 'IOS')]
  try {
    await expect.poll(() => [ann, ...devices].every((person) => person.online())).toBe(true)
    const said = Array.from({ length: 20 }, (_, number) => `hello ${number}`)
    await Promise.all(
      said.map(async (msg, index) => {
        const body = JSON.stringify({ msg })
        const { client } = cluster.nodes[index % 3]!
        expect((await client.call(messages.send, { from: 'ann', ope: 0, to: 'bob', type: 0, body })).code).toBe(200)
      }),
    )
    for (const device of devices) await expect.poll(() => device.texts().length, soon).toBe(said.length)
    expect(devices[0]!.texts().toSorted()).toEqual(said.toSorted())
    expect(devices[1]!.texts()).toEqual(devices[0]!.texts())
  } finally {
    for (const person of [ann, ...devices]) person.close()
  }
})

/** Says lines by the proxy, one after the other, each again until it is acknowledged; how many calls failed. */
function keepSaying(roomid: number) {
  const acknowledged: string[] = []
  let [failed, isOpen] = [0, true]
  const run = async (speaker: string): Promise<void> => {
    for (let number = 0; isOpen; number++) {
      const msgId = `${speaker}.${number}`
      const line = { roomid, fromAccid: speaker, msgId, msgType: 0, attach: msgId } as const
      for (;;) {
        const sent = await cluster.client.call(chatrooms.sendMsg, line).catch(() => undefined)
        if (sent?.code === 200) break
        failed++
        await wait(50)
      }
      acknowledged.push(msgId)
      await wait(30)
    }
  }
  const running = Promise.all(speaking.map(run))
  return {
    acknowledged: () => acknowledged.length,
    failed: () => failed,
    async end(): Promise<string[]> {
      isOpen = false
      await running
      return acknowledged
    },
  }
}

/** A room with a listener at each node and one by the proxy, and what is said in it while something happens. */
async function whileTalking(name: string, happens: (talk: ReturnType<typeof keepSaying>) => Promise<void>) {
  const { roomid } = (await cluster.client.call(chatrooms.create, { creator: 'cara', name })).chatroom!
  const places = [...cluster.nodes, { linkUrl: cluster.ready.linkUrl }]
  const inside = [...listening, 'gus'].map((accid, index) => keepInside(signIn(places[index]!, accid), roomid))
  try {
    await expect.poll(() => inside.every((person) => person.isInside())).toBe(true)
    const talk = keepSaying(roomid)
    await expect.poll(() => talk.acknowledged()).toBeGreaterThan(10)
    await happens(talk)
    const [failed, said] = [talk.failed(), await talk.end()]
    await expect.poll(() => inside.every((person) => person.isInside())).toBe(true)
    for (const person of inside) await expect.poll(() => said.filter((line) => !person.heard().has(line))).toEqual([])
    const stored = (await cluster.client.call(local.roomHistory, { roomid, limit: 1000 })).ret!.list
    const texts = stored.map(({ attach }) => attach)
    expect(texts.toSorted()).toEqual([...new Set(texts)].toSorted())
    return failed
  } finally {
    for (const person of inside) await person.close()
  }
}

test('a node that is killed takes no acknowledged line with it, and calls go on at the others', async () => {
  const node = cluster.nodes[1]!
  await whileTalking('kill', async (talk) => {
    await node.replace('SIGKILL')
    const so = talk.acknowledged()
    await expect.poll(() => talk.acknowledged()).toBeGreaterThan(so + 10)
  })
})

test('a node that is told to end is replaced without an error of a call by the proxy', async () => {
  const failed = await whileTalking('drain', async (talk) => {
    for (const node of cluster.nodes) {
      await node.replace('SIGTERM')
      const so = talk.acknowledged()
      await expect.poll(() => talk.acknowledged()).toBeGreaterThan(so + 10)
    }
  })
  expect(failed).toBe(0)
})

test('a cluster whose command was killed is started again on the same folder and goes on with its data', async () => {
  const { roomid } = (await cluster.client.call(chatrooms.create, { creator: 'cara', name: 'kept' })).chatroom!
  const before = cluster.ready
  const pids = [...before.nodes, ...Object.values(before.engines)].map(({ pidFile }) => pidIn(pidFile))
  await killCommand(cluster)
  cluster = await startCluster(folder.path, 3)
  expect({ ...cluster.ready, nodes: [], engines: {} }).toEqual({ ...before, nodes: [], engines: {} })
  expect(pids.filter((pid) => isAlive(pid))).toEqual([])
  expect((await cluster.client.call(chatrooms.get, { roomid })).chatroom?.name).toBe('kept')
})
