import { afterAll, beforeAll, expect, it } from 'vitest'
import { accounts, chatrooms } from '../contract/operations/index.ts'
import type { LinkUser } from './link/testing/link-user.ts'
import { describeOnRedis } from './testing/engines.ts'
import { eventually } from './testing/eventually.ts'
import { httpRequest } from './testing/http-request.ts'
import { startCluster, type TestCluster } from './testing/start-cluster.ts'

describeOnRedis('three services in whose rooms people talk', () => {
  let cluster: TestCluster
  let roomid: number
  let users: LinkUser[]
  const names = ['ann', 'bob', 'cyd'] as const
  beforeAll(async () => {
    cluster = await startCluster(3, { metrics: { host: '127.0.0.1', port: 0 } })
    const [one] = cluster.nodes
    for (const accid of names) await one!.call(accounts.create, { accid, token: accid })
    roomid = (await one!.call(chatrooms.create, { creator: 'ann', name: 'the room' })).chatroom!.roomid
    users = await Promise.all(names.map((accid, node) => cluster.user(node, accid)))
    for (const user of users) await user.request('roomEnter', { roomid })
  }, 120_000)
  afterAll(() => cluster.close())

  let count = 0
  const acknowledged: string[] = []
  /** A line by each node at once; answers the texts. */
  const sayAtAll = async (): Promise<string[]> => {
    const said = cluster.nodes.map((_, node) => `line ${++count} at ${node}`)
    const answers = await Promise.all(
      cluster.nodes.map((node, index) =>
        node.call(chatrooms.sendMsg, {
          roomid,
          fromAccid: names[index]!,
          msgId: `m${count}.${index}`,
          msgType: 0,
          attach: said[index]!,
        }),
      ),
    )
    expect(answers.map(({ code }) => code)).toEqual([200, 200, 200])
    acknowledged.push(...said)
    return said
  }
  const heard = (user: LinkUser): string[] =>
    user.of('roomMessage').flatMap(({ type, attach }) => (type === 0 ? [attach] : []))
  /** The lines from the first of some on, at each reader. */
  const from = (said: readonly string[]): string[][] =>
    users.map((user) => {
      const lines = heard(user)
      return lines.slice(lines.findIndex((line) => said.includes(line)))
    })
  const readiness = (): Promise<unknown[]> =>
    Promise.all(
      cluster.nodes.map(async ({ service }) => {
        const { status, text } = await httpRequest(`${service.metricsUrl}/readyz`, { method: 'GET' })
        return status === 200 ? 'ready' : (JSON.parse(text) as { broken: string[] }).broken
      }),
    )
  const toldAll = (): Promise<void> =>
    eventually(() => {
      for (const user of users) expect(heard(user).toSorted()).toEqual(acknowledged.toSorted())
    })

  it('get each line at every one in one order while one of them has no Redis, which is not ready then', async () => {
    await sayAtAll()
    await toldAll()
    cluster.ways[2]!.cut()
    // Some of these are told before the others know.
    for (let turn = 0; turn < 5; turn++) await sayAtAll()
    await toldAll()
    await eventually(async () => expect(await readiness()).toEqual(['ready', 'ready', ['redis']]))
    const first = await sayAtAll()
    for (let turn = 0; turn < 20; turn++) await sayAtAll()
    await toldAll()
    const [ann, bob, cyd] = from(first)
    expect([bob, cyd]).toEqual([ann, ann])
    cluster.ways[2]!.mend()
    await eventually(async () => expect(await readiness()).toEqual(['ready', 'ready', 'ready']))
    const last = await sayAtAll()
    await toldAll()
    for (const lines of from(last)) expect(lines.toSorted()).toEqual(last.toSorted())
  })

  it('get each line at every one in one order while none of them has Redis, and stay ready', async () => {
    await cluster.redis.kill()
    await sayAtAll()
    await toldAll()
    const first = await sayAtAll()
    // Longer than it takes to find out that one alone is without it.
    const until = performance.now() + 5000
    while (performance.now() < until) {
      await sayAtAll()
      expect(await readiness()).toEqual(['ready', 'ready', 'ready'])
    }
    await toldAll()
    const [ann, bob, cyd] = from(first)
    expect([bob, cyd]).toEqual([ann, ann])
    await cluster.redis.start()
    await sayAtAll()
    await toldAll()
  })
})
