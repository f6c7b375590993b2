import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accounts, chatrooms, local } from '../../contract/operations/index.ts'
import { startRedis, type Redis } from '../../e2e/cluster/redis.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { startRooms, type RoomRig } from '../rooms/testing/rig.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'

let [a, b] = [] as unknown as [RoomRig, RoomRig]
let redis: Redis
const folder = mkdtempSync(join(tmpdir(), 'sidestage-two-'))

const noticesOf = (user: LinkUser, roomid: number): { id: number; target: string[] }[] =>
  user.of('roomMessage').flatMap((push) => {
    if (push.roomid !== roomid || push.type !== 5) return []
    const { id, data } = JSON.parse(push.attach) as { id: number; data: { target: string[] } }
    return [{ id, target: data.target }]
  })
const onlineIn = async (service: RoomRig, roomid: number) =>
  (await service.call(chatrooms.get, { roomid, needOnlineUserCount: true })).chatroom?.onlineusercount
const insideOf = async (service: RoomRig, roomid: number) =>
  (await service.call(chatrooms.membersByPage, { roomid, type: 1, endtime: 0, limit: 10 })).desc
const reached = async (what: () => Promise<unknown> | void): Promise<number> => {
  const began = performance.now()
  await eventually(what)
  return performance.now() - began
}

describeOnRedis('two services of a cluster', () => {
  beforeAll(async () => {
    redis = await startRedis()
    const prefix = randomUUID()
    const start = async (node: string): Promise<RoomRig> =>
      startRooms({ database: await testDatabase(folder), cluster: { redis: { url: redis.url, prefix }, node } })
    a = await start('a')
    b = await start('b')
  })
  afterAll(async () => {
    await a?.close()
    await b?.close()
    await redis?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('have one session of an account and kind of client, whose presence both know', async () => {
    const cara = await a.user('cara')
    expect(await cara.request('watch', { accids: ['mona'] })).toMatchObject({ presence: [{ online: false }] })
    const first = await a.user('mona', 'laptop')
    await eventually(() => expect(cara.of('presence').at(-1)).toMatchObject({ accid: 'mona', online: true }))
    const second = await b.user('mona', 'desk')
    const took = await reached(() => expect(first.states.at(-1)).toMatchObject({ at: 'out', reason: 'elsewhere' }))
    console.log(`ended after a log-in at the other service: ${Math.round(took)} ms`)
    expect(took).toBeLessThan(1000)
    expect(second.state.at).toBe('online')
    expect(await cara.request('watch', { accids: ['mona'] })).toMatchObject({
      presence: [{ online: true, clientTypes: ['WEB'] }],
    })
    second.close()
    await eventually(() => expect(cara.of('presence').at(-1)).toMatchObject({ accid: 'mona', online: false }))
  })

  it('kick an account that is connected to the other one', async () => {
    const mike = await b.user('mike')
    const took = await reached(async () => {
      await a.call(accounts.block, { accid: 'mike', needkick: true })
      await eventually(() => expect(mike.states.at(-1)).toMatchObject({ at: 'out', reason: 'blocked' }))
    })
    console.log(`kicked at the other service: ${Math.round(took)} ms`)
    expect(took).toBeLessThan(1000)
  })

  it('kick an account while Redis stands still, once the other one hears of the change', async () => {
    const [bill, abby] = [await b.user('bill'), await b.user('abby')]
    redis.signal('SIGSTOP')
    try {
      await a.call(accounts.block, { accid: 'bill', needkick: true })
      await a.call(local.endSessions, { accid: 'abby' })
      await eventually(() => expect(bill.states.at(-1)).toMatchObject({ at: 'out', reason: 'blocked' }))
      await eventually(() => expect(abby.states.at(-1)).toMatchObject({ at: 'out', reason: 'ended' }))
    } finally {
      redis.signal('SIGCONT')
    }
    await a.call(accounts.unblock, { accid: 'bill' })
  })

  it('count, list and tell of those inside a room at either', async () => {
    const roomid = await a.room()
    const [cara, stan] = [await a.user('cara', 'c2'), await b.user('stan')]
    await cara.request('roomEnter', { roomid })
    await eventually(async () => expect(await onlineIn(b, roomid)).toBe(1))
    expect(await stan.request('roomEnter', { roomid, nick: 'Stanley' })).toMatchObject({ online: 2 })
    await eventually(() => expect(noticesOf(cara, roomid)).toContainEqual({ id: 301, target: ['stan'] }))
    await eventually(async () => expect([await onlineIn(a, roomid), await onlineIn(b, roomid)]).toEqual([2, 2]))
    expect(await insideOf(a, roomid)).toMatchObject({ data: [{ accid: 'stan', nick: 'Stanley', onlineStat: true }] })
    // A second session of the same account elsewhere is no entry.
    const phone = await a.login('stan', 'token-stan', 'phone')
    await eventually(() => expect(stan.states.at(-1)).toMatchObject({ reason: 'elsewhere' }))
    await eventually(async () => expect(await onlineIn(a, roomid)).toBe(1))
    await eventually(() => expect(noticesOf(cara, roomid).map(({ id }) => id)).toEqual([301, 301, 302]))
    phone.close()
  })

  it('put out and mute who is inside at the other one', async () => {
    const roomid = await a.room()
    await eventually(async () => expect(await onlineIn(b, roomid)).toBe(0))
    const [abby, nora] = [await b.user('abby'), await b.user('nora')]
    await abby.request('roomEnter', { roomid })
    await nora.request('roomEnter', { roomid })
    await eventually(async () => expect(await onlineIn(a, roomid)).toBe(2))
    expect(await a.mute(roomid, 'nora', 600)).toBe(200)
    await eventually(() => expect(noticesOf(nora, roomid).at(-1)).toMatchObject({ target: ['nora'] }))
    await expect(nora.request('roomSend', { roomid, type: 0, attach: 'x', clientId: 'c' })).rejects.toMatchObject({
      code: 403,
    })
    const took = await reached(async () => {
      expect(await a.role(roomid, 'abby', -1)).toBe(200)
      await eventually(() => expect(abby.of('roomOut')).toMatchObject([{ roomid, reason: 'blacklisted' }]))
    })
    console.log(`put out of a room at the other service: ${Math.round(took)} ms`)
    expect(took).toBeLessThan(1000)
    await eventually(async () => expect([await onlineIn(a, roomid), await onlineIn(b, roomid)]).toEqual([1, 1]))
  })

  it('tell who comes to a large room to its leaders alone, and all others how many are online, over both', async () => {
    await a.call(local.updateSettings, { roomNotices: 1 })
    await eventually(async () => expect((await b.call(local.settings, {})).ret).toMatchObject({ roomNotices: 1 }))
    const roomid = await a.room()
    await eventually(async () => expect(await onlineIn(b, roomid)).toBe(0))
    const [cara, adam, bill] = [await a.user('cara', 'c3'), await b.user('adam'), await a.user('bill')]
    for (const [user, online] of [
      [cara, 1],
      [adam, 2],
      [bill, 3],
    ] as const) {
      await user.request('roomEnter', { roomid })
      await eventually(async () => expect(await onlineIn(b, roomid)).toBe(online))
    }
    await eventually(() => expect(adam.of('roomCount').at(-1)).toMatchObject({ roomid, online: 3 }))
    await eventually(() => expect(noticesOf(cara, roomid).at(-1)).toEqual({ id: 301, target: ['bill'] }))
    expect(noticesOf(adam, roomid)).toEqual([])
  })

  it('give a name that is asked for at both in the same moment to one of them', async () => {
    const people = [await a.user('mona', 'n1'), await b.user('stan', 'n2'), await b.user('nora', 'n3')]
    for (let round = 0; round < 8; round++) {
      const roomid = await a.room()
      await eventually(async () => expect(await onlineIn(b, roomid)).toBe(0))
      const answers = await Promise.all(people.map((user) => user.request('roomEnter', { roomid, nick: 'Annabel' })))
      expect(answers.map(({ nick }) => nick).toSorted()).toEqual(['Annabel', 'Annabel 2', 'Annabel 3'])
      for (const user of people) await user.request('roomLeave', { roomid })
    }
  })

  it('know again who is inside after Redis was killed and came back empty', async () => {
    const roomid = await a.room()
    await eventually(async () => expect(await onlineIn(b, roomid)).toBe(0))
    const [tim, bill] = [await a.user('tim'), await b.user('bill')]
    await tim.request('roomEnter', { roomid })
    await bill.request('roomEnter', { roomid })
    await eventually(async () => expect([await onlineIn(a, roomid), await onlineIn(b, roomid)]).toEqual([2, 2]))
    await redis.kill()
    await bill.request('roomLeave', { roomid })
    expect(await onlineIn(b, roomid)).toBe(1)
    await redis.start()
    const took = await reached(async () => expect(await onlineIn(a, roomid)).toBe(1))
    console.log(`counted right after Redis was back: ${Math.round(took)} ms`)
    expect(took).toBeLessThan(5000)
    expect(await tim.request('roomMembers', { roomid, type: 1, endtime: 0, limit: 10 })).toMatchObject({
      members: [{ accid: 'tim' }],
    })
  })
})
