import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import {
  accounts,
  chatrooms,
  friends,
  live,
  local,
  messages,
  queue,
  relations,
  teams,
} from '../contract/operations/index.ts'
import { startRedis } from '../e2e/cluster/redis.ts'
import type { LinkUser } from './link/testing/link-user.ts'
import { openPostgresStore } from './storage/store-postgres.ts'
import { testDatabase } from './storage/testing/open-store.ts'
import { describeOnRedis } from './testing/engines.ts'
import { eventually } from './testing/eventually.ts'
import { startServiceProcess } from './testing/service-process.ts'
import { testCredentials } from './testing/start-service.ts'
import { startCluster, type TestCluster } from './testing/start-cluster.ts'

/** Of a team: who came or went. */
interface Notice {
  readonly ope?: number
  readonly accids?: readonly string[]
}
const notices = { added: 0, removed: 1 } as const
const body = (msg: string): string => JSON.stringify({ msg })

describeOnRedis('two services on one database and one Redis', () => {
  let cluster: TestCluster
  let count = 0
  beforeAll(async () => {
    cluster = await startCluster(2)
  }, 120_000)
  afterAll(() => cluster.close())

  /** The first or second service, as it is now. */
  const at = (node: number): TestCluster['nodes'][number] => cluster.nodes[node]!
  /** Makes accounts at the first service, each with its name as its token. */
  const people = async (...names: string[]): Promise<string[]> => {
    const made = names.map((name) => `${name}${++count}`)
    for (const accid of made)
      expect((await at(0).call(accounts.create, { accid, name: accid.toUpperCase(), token: accid })).code).toBe(200)
    return made
  }
  const send = (user: LinkUser, to: string, msg: string, scene: 'p2p' | 'team' = 'p2p') =>
    user.send({ scene, to, type: 0, body: body(msg), clientId: `c${++count}` })
  const room = async (creator: string): Promise<number> =>
    (await at(0).call(chatrooms.create, { creator, name: 'the room' })).chatroom!.roomid
  const say = (node: number, roomid: number, fromAccid: string, attach: string) =>
    at(node).call(chatrooms.sendMsg, { roomid, fromAccid, msgId: `m${++count}`, msgType: 0, attach })
  const lines = (user: LinkUser): string[] =>
    user.of('roomMessage').flatMap(({ type, attach }) => (type === 0 ? [attach] : []))
  const noticesOf = (user: LinkUser): number[] =>
    user
      .of('roomMessage')
      .flatMap(({ type, attach }) => (type === 5 ? [(JSON.parse(attach) as { id: number }).id] : []))

  it('take a log-in and a message of either to the other, and their friends and lists', async () => {
    const [ann, bob] = (await people('ann', 'bob')) as [string, string]
    const atA = await cluster.user(0, ann)
    const atB = await cluster.user(1, bob)
    await send(atA, bob, 'there')
    await send(atB, ann, 'and back')
    await at(1).call(messages.send, { from: bob, ope: 0, to: ann, type: 0, body: body('by the API') })
    await eventually(() =>
      expect([atA.texts(), atB.texts()]).toEqual([
        ['and back', 'by the API'],
        ['there', 'by the API'],
      ]),
    )
    expect((await at(1).call(friends.add, { accid: bob, faccid: ann, type: 1 })).code).toBe(200)
    await eventually(() => expect(atA.of('friend')).toHaveLength(1))
    expect((await at(0).call(friends.get, { accid: ann, updatetime: 0 })).friends).toMatchObject([{ faccid: bob }])
    await at(0).call(relations.set, { accid: ann, targetAcc: bob, relationType: 1, value: 1 })
    expect((await at(1).call(relations.list, { accid: ann })).blacklist).toEqual([bob])
    await send(atB, ann, 'not to be read')
    await at(0).call(relations.set, { accid: ann, targetAcc: bob, relationType: 1, value: 0 })
    expect((await at(1).call(relations.list, { accid: ann })).blacklist).toEqual([])
    await send(atB, ann, 'read')
    await eventually(() => expect(atA.texts()).toEqual(['and back', 'by the API', 'read']))
  })

  it('give a team what is sent while members come and go, each message to the members at its place', async () => {
    const [olga, mona, mike] = (await people('olga', 'mona', 'mike')) as [string, string, string]
    const { tid } = await at(0).call(teams.create, {
      tname: 'choir',
      owner: olga,
      members: [mona],
      magree: 0,
      msg: 'come',
      joinmode: 0,
    })
    const olgaAtA = await cluster.user(0, olga)
    const monaAtB = await cluster.user(1, mona)
    const mikeAtB = await cluster.user(1, mike)
    expect((await at(1).call(teams.query, { tids: [tid!], ope: 1 })).code).toBe(200)
    const acknowledged: string[] = []
    const talk = async (user: LinkUser, name: string): Promise<void> => {
      for (let turn = 0; turn < 30; turn++) {
        await send(user, tid!, `${name} ${turn}`, 'team')
        acknowledged.push(`${name} ${turn}`)
      }
    }
    const change = async (): Promise<void> => {
      for (let turn = 0; turn < 5; turn++) {
        const by = at(turn % 2)
        await by.call(teams.add, { tid: tid!, owner: olga, members: [mike], magree: 0, msg: 'come' })
        await by.call(teams.kick, { tid: tid!, owner: olga, member: mike })
      }
    }
    await Promise.all([talk(olgaAtA, 'olga'), talk(monaAtB, 'mona'), change()])
    // Everybody who stays gets each message of others once.
    await eventually(() => expect([olgaAtA.texts().length, monaAtB.texts().length]).toEqual([30, 30]))
    expect(olgaAtA.texts()).toEqual(acknowledged.filter((text) => text.startsWith('mona')))
    expect(monaAtB.texts()).toEqual(acknowledged.filter((text) => text.startsWith('olga')))
    // Whoever comes and goes gets those of others between, by the places of the notices.
    const byPlace = new Map([...olgaAtA.of('message'), ...monaAtB.of('message')].map((push) => [push.seq!, push]))
    const expected: number[] = []
    let isIn = false
    for (const [seq, push] of [...byPlace].toSorted(([one], [other]) => one - other)) {
      const { ope, accids = [] } = push.type === 5 ? (JSON.parse(push.body) as Notice) : {}
      if (ope === notices.added && accids.includes(mike)) isIn = true
      if (isIn) expected.push(seq)
      if (ope === notices.removed && accids.includes(mike)) isIn = false
    }
    await eventually(() => expect(mikeAtB.of('message').map(({ seq }) => seq)).toEqual(expected))
    expect(mikeAtB.of('message').filter(({ type }) => type === 5).length).toBeGreaterThanOrEqual(10)
    expect(mikeAtB.texts().length).toBeGreaterThan(0)
  })

  it('share rooms: lines, notices, mutes and the queue', async () => {
    const [cara, mona] = (await people('cara', 'mona')) as [string, string]
    const roomid = await room(cara)
    const atA = await cluster.user(0, cara)
    const atB = await cluster.user(1, mona)
    await atA.request('roomEnter', { roomid })
    await atB.request('roomEnter', { roomid })
    await atB.request('roomSend', { roomid, type: 0, attach: 'from B', clientId: `c${++count}` })
    await say(0, roomid, cara, 'from A')
    await eventually(() => expect([lines(atA), lines(atB)]).toEqual([['from B', 'from A'], ['from A']]))
    // In force everywhere once it is answered by the one that was asked, soon at the other.
    expect(
      (
        await at(0).call(chatrooms.temporaryMute, {
          roomid,
          operator: cara,
          target: mona,
          muteDuration: 60,
          needNotify: true,
        })
      ).code,
    ).toBe(200)
    await eventually(() => expect(noticesOf(atB)).toContain(314))
    await expect(
      atB.request('roomSend', { roomid, type: 0, attach: 'muted', clientId: `c${++count}` }),
    ).rejects.toMatchObject({ code: 403 })
    for (const key of ['k1', 'k2']) expect((await at(0).call(queue.offer, { roomid, key, value: key })).code).toBe(200)
    expect((await at(1).call(queue.poll, { roomid })).desc).toEqual({ key: 'k1', value: 'k1' })
    expect((await at(0).call(queue.poll, { roomid })).desc).toEqual({ key: 'k2', value: 'k2' })
    expect((await at(1).call(queue.poll, { roomid })).code).toBe(404)
  })

  it('give each element of a queue once, whoever is asked', async () => {
    const [cara] = (await people('cara')) as [string]
    const roomid = await room(cara)
    await at(1).call(queue.init, { roomid, sizeLimit: 100 })
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        at(index % 2).call(queue.offer, { roomid, key: `k${index}`, value: 'v' }),
      ),
    )
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => at(index % 2).call(queue.poll, { roomid })),
    )
    const keys = answers.flatMap(({ desc }) => (typeof desc === 'object' ? [(desc as { key: string }).key] : []))
    expect([keys.length, new Set(keys).size]).toEqual([40, 40])
  })

  it('share channels, words and settings', async () => {
    const { ret } = await at(0).call(live.create, { name: `channel_${++count}`, type: 0 })
    const { cid } = ret!
    expect((await at(1).call(live.state, { cid })).code).toBe(200)
    await at(1).call(live.update, { cid, name: 'renamed_at_B', type: 0 })
    expect((await at(0).call(live.state, { cid })).ret).toMatchObject({ name: 'renamed_at_B' })
    await at(1).call(local.setWords, { words: ['harsh'], hold: false })
    expect((await at(0).call(local.words, {})).ret).toEqual({ words: ['harsh'], hold: false })
    await at(0).call(local.setWords, { words: [], hold: false })
    await at(0).call(live.remove, { cid })
    expect((await at(1).call(live.state, { cid })).code).toBe(602)
  })
  it('answer by all that was answered before, by whichever of them, also before word of it comes', async () => {
    await cluster.redis.kill()
    for (let turn = 0; turn < 6; turn++) {
      const [one, other] = turn % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
      const accid = `fresh${++count}`
      expect((await at(one).call(accounts.create, { accid, token: accid })).code).toBe(200)
      const user = await cluster.user(other, accid)
      const { chatroom } = await at(one).call(chatrooms.create, { creator: accid, name: 'new' })
      await user.request('roomEnter', { roomid: chatroom!.roomid })
      await at(one).call(chatrooms.update, { roomid: chatroom!.roomid, name: 'changed' })
      const changed = await at(other).call(chatrooms.get, { roomid: chatroom!.roomid })
      expect(changed.chatroom).toMatchObject({ name: 'changed' })
      user.close()
    }
    await cluster.redis.start()
  })

  it('lose nothing that was acknowledged when one of them starts again', async () => {
    const [ann, bob] = (await people('ann', 'bob')) as [string, string]
    const atA = await cluster.user(0, ann)
    const atB = await cluster.user(1, bob)
    const acknowledged: string[] = []
    let isOver = false
    const talk = async (): Promise<void> => {
      for (let turn = 0; !isOver || turn < 20; turn++) {
        await send(atA, bob, `m${turn}`)
        acknowledged.push(`m${turn}`)
      }
    }
    const talking = talk()
    await cluster.restart(1)
    await atB.online()
    isOver = true
    await talking
    await eventually(() => expect(atB.texts()).toEqual(acknowledged))
    expect((await at(1).call(accounts.create, { accid: `late${++count}` })).code).toBe(200)
  })

  it('lose no message that was acknowledged while Redis is gone, and hear each other again afterwards', async () => {
    const [ann, bob] = (await people('ann', 'bob')) as [string, string]
    const atA = await cluster.user(0, ann)
    const atB = await cluster.user(1, bob)
    const acknowledged: string[] = []
    let isOver = false
    const talk = async (): Promise<void> => {
      for (let turn = 0; !isOver; turn++) {
        await send(atA, bob, `m${turn}`)
        acknowledged.push(`m${turn}`)
      }
    }
    const talking = talk()
    await eventually(() => expect(atB.texts().length).toBeGreaterThan(3))
    await cluster.redis.kill()
    const before = acknowledged.length
    // By looks alone.
    await eventually(() => expect(atB.texts().length).toBeGreaterThan(before + 10))
    await cluster.redis.start()
    isOver = true
    await talking
    await eventually(() => expect(atB.texts()).toEqual(acknowledged))
  })
  it('tell rooms each acknowledged line once, also after Redis was gone, and put out whoever must go', async () => {
    const [cara, mona, bill] = (await people('cara', 'mona', 'bill')) as [string, string, string]
    const roomid = await room(cara)
    const atA = await cluster.user(0, cara)
    const [monaAtB, billAtB] = [await cluster.user(1, mona), await cluster.user(1, bill)]
    for (const user of [atA, monaAtB, billAtB]) await user.request('roomEnter', { roomid })
    const acknowledged: string[] = []
    let isOver = false
    const talk = async (): Promise<void> => {
      for (let turn = 0; !isOver; turn++) {
        const attach = `line ${turn}`
        await (turn % 2 === 0
          ? atA.request('roomSend', { roomid, type: 0, attach, clientId: `c${++count}` })
          : say(1, roomid, mona, attach))
        acknowledged.push(attach)
      }
    }
    const talking = talk()
    await eventually(() => expect(lines(monaAtB).length).toBeGreaterThan(3))
    await cluster.redis.kill()
    const before = acknowledged.length
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(before + 10))
    const blacklisted = { roomid, operator: cara, target: bill, opt: -1, optvalue: true } as const
    expect((await at(0).call(chatrooms.setMemberRole, blacklisted)).code).toBe(200)
    await cluster.redis.start()
    isOver = true
    await talking
    await eventually(() => expect(lines(monaAtB).toSorted()).toEqual(acknowledged.toSorted()))
    // Not those that its own session sent.
    const others = acknowledged.filter((text) => Number(text.split(' ')[1]) % 2 === 1)
    await eventually(() => expect(lines(atA).toSorted()).toEqual(others.toSorted()))
    await eventually(() => expect(billAtB.of('roomOut')).toMatchObject([{ roomid, reason: 'blacklisted' }]))
    await say(0, roomid, cara, 'and on')
    await eventually(() => expect([lines(atA).at(-1), lines(monaAtB).at(-1)]).toEqual(['and on', 'and on']))
    expect(lines(billAtB)).not.toContain('and on')
  })
  it('end with a sentence and code 1 where the database has fewer changes than they know', async () => {
    const place = (await testDatabase(`ends ${process.pid}`))!
    const dir = mkdtempSync(join(tmpdir(), 'sidestage-ends-'))
    // Of its own, as its database is another one.
    const redis = await startRedis()
    const ports = ['--api-port', '0', '--media-port', '0', '--rtmp-port', '0']
    const { ready, exited, log, child } = startServiceProcess(['--data', dir, '--node', 'c', ...ports], {
      SIDESTAGE_DATABASE_URL: place.url,
      SIDESTAGE_REDIS_URL: redis.url,
      SIDESTAGE_APP_KEY: testCredentials.appKey,
      SIDESTAGE_APP_SECRET: testCredentials.appSecret,
      SIDESTAGE_SCHEMA: place.schema,
    })
    const store = await openPostgresStore(place)
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exited
      await store.close()
      await redis.close()
      rmSync(dir, { recursive: true, force: true })
    })
    await ready
    await store.db.updateTable('journalPosition').set({ value: -1 }).execute()
    expect(await exited).toBe(1)
    expect(log()).toContain('the database has fewer changes than this service knows')
  })
})
