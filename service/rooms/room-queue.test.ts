import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, local, queue, robots } from '../../contract/operations/index.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
beforeAll(async () => {
  rig = await startRooms()
})
afterAll(() => rig.close())

const unknown = 999_999_999
const offer = async (roomid: number, key: string, value = `value of ${key}`): Promise<number> =>
  (await rig.call(queue.offer, { roomid, key, value })).code
/** Offers many elements at once, all accepted. */
const fill = async (roomid: number, count: number): Promise<void> => {
  const codes = await Promise.all(Array.from({ length: count }, (_, number) => offer(roomid, `k${number}`)))
  expect(codes.filter((code) => code !== 200)).toEqual([])
}
const listed = async (roomid: number) =>
  (await rig.call(queue.list, { roomid })).desc as unknown as { list: Record<string, string>[] }
const online = async (roomid: number) =>
  (await rig.call(chatrooms.get, { roomid, needOnlineUserCount: true })).chatroom!.onlineusercount

describe('the queue of a room', () => {
  it('keeps the order of offers; an offer of a known key changes it in its place; any element can be taken', async () => {
    const roomid = await rig.room()
    for (const key of ['a', '键😀', '__proto__', 'd']) expect(await offer(roomid, key)).toBe(200)
    expect(await offer(roomid, 'a', 'new')).toBe(200)
    const { list } = await listed(roomid)
    expect(list.map((element) => Object.entries(element))).toEqual([
      [['a', 'new']],
      [['键😀', 'value of 键😀']],
      [['__proto__', 'value of __proto__']],
      [['d', 'value of d']],
    ])
    expect((await rig.call(queue.poll, { roomid, key: '__proto__' })).desc).toEqual({
      key: '__proto__',
      value: 'value of __proto__',
    })
    expect((await rig.call(queue.poll, { roomid })).desc).toEqual({ key: 'a', value: 'new' })
    expect((await rig.call(queue.poll, { roomid, key: 'a' })).code).toBe(404)
    expect((await rig.call(queue.drop, { roomid })).desc).toEqual({})
    expect(await listed(roomid)).toEqual({ list: [] })
    expect((await rig.call(queue.poll, { roomid })).code).toBe(404)
  })

  it('holds 100 until it is given another size; 0 refuses every offer, and a full one takes changes only', async () => {
    const roomid = await rig.room()
    await fill(roomid, 100)
    expect(await offer(roomid, 'one more')).toBe(414)
    expect(await offer(roomid, 'k7', 'changed')).toBe(200)
    expect((await rig.call(queue.init, { roomid, sizeLimit: 0 })).desc).toEqual({})
    expect(await listed(roomid)).toEqual({ list: [] })
    expect(await offer(roomid, 'k7')).toBe(414)
    await rig.call(queue.init, { roomid, sizeLimit: 1000 })
    await fill(roomid, 1000)
    expect(await offer(roomid, 'one more')).toBe(414)
    for (const sizeLimit of [-1, 1001]) expect((await rig.send(queue.init, { roomid, sizeLimit })).code).toBe(414)
  })

  it('gives each element to one of many callers at once', async () => {
    const roomid = await rig.room()
    for (let number = 0; number < 50; number++) await offer(roomid, `k${number}`)
    const answers = await Promise.all(Array.from({ length: 100 }, () => rig.call(queue.poll, { roomid })))
    const keys = answers.flatMap(({ desc }) => (typeof desc === 'object' ? [(desc as { key: string }).key] : []))
    expect([keys.length, new Set(keys).size]).toEqual([50, 50])
    expect(answers.filter(({ code }) => code === 404)).toHaveLength(50)
  })

  it('outlives a restart, and belongs to its room', async () => {
    const roomid = await rig.room()
    for (const key of ['z', 'a', 'm']) await offer(roomid, key)
    await rig.stop()
    rig = await startRooms({ dataDir: rig.dataDir })
    await offer(roomid, 'b')
    expect((await listed(roomid)).list.flatMap((element) => Object.keys(element))).toEqual(['z', 'a', 'm', 'b'])
    expect((await rig.call(queue.poll, { roomid: unknown })).code).toBe(404)
    expect(await offer(unknown, 'a')).toBe(414)
    for (const operation of [queue.list, queue.drop])
      expect((await rig.call(operation, { roomid: unknown })).code).toBe(414)
    expect((await rig.call(queue.init, { roomid: unknown, sizeLimit: 1 })).code).toBe(414)
    expect((await rig.other.call(queue.list, { roomid })).code).toBe(414)
  })
})

describe('robots', () => {
  const result = (answer: { desc?: unknown }) =>
    Object.fromEntries(
      Object.entries(answer.desc as Record<string, string>).map(([name, text]) => [name, JSON.parse(text)]),
    )
  it('count as online and are listed; unknown accounts are named; those who are there already fail', async () => {
    const roomid = await rig.room({ roles: true })
    expect(
      result(
        await rig.call(robots.add, { roomid, accids: ['stan', 'NO-ONE', 'bill', 'mona', 'stan'], roleExt: '{"r":1}' }),
      ),
    ).toEqual({
      failAccids: ['no-one', 'bill'],
      successAccids: ['stan', 'mona'],
    })
    expect(await online(roomid)).toBe(2)
    const { data } = (await rig.call(chatrooms.membersByPage, { roomid, type: 1, limit: 9 })).desc as unknown as {
      data: object[]
    }
    expect(data).toMatchObject([
      { accid: 'stan', type: 3, onlineStat: true, isRobot: true, ext: '{"r":1}', nick: 'STAN' },
    ])
    expect((await rig.call(robots.add, { roomid, accids: ['stan'] })).code).toBe(417)
    expect((await rig.call(robots.add, { roomid, accids: ['bill'] })).code).toBe(13003)
    expect(result(await rig.call(robots.add, { roomid, accids: ['no-one'] }))).toEqual({
      failAccids: ['no-one'],
      successAccids: [],
    })
    expect(result(await rig.call(robots.remove, { roomid, accids: ['stan', 'mike'] }))).toEqual({
      failAccids: ['mike'],
      successAccids: ['stan'],
    })
    expect(await online(roomid)).toBe(1)
  })

  it('are 100 in a call and as many in a room as the settings allow, and none in a closed one', async () => {
    const roomid = await rig.room()
    const tooMany = Array.from({ length: 101 }, (_, index) => `x${index}`)
    for (const operation of [robots.add, robots.remove]) {
      expect((await rig.call(operation, { roomid, accids: tooMany })).code).toBe(419)
      expect((await rig.call(operation, { roomid, accids: tooMany.slice(1) })).code).toBe(200)
      expect((await rig.send(operation, { roomid, accids: 'x' })).code).toBe(414)
    }
    expect((await rig.call(robots.add, { roomid: unknown, accids: ['stan'] })).code).toBe(414)
    expect((await rig.call(robots.remove, { roomid: unknown, accids: ['stan'] })).code).toBe(404)
    await rig.call(local.updateSettings, { roomRobots: 1 })
    expect((await rig.call(robots.add, { roomid, accids: ['stan', 'mona'] })).code).toBe(419)
    expect((await rig.call(robots.add, { roomid, accids: ['stan'] })).code).toBe(200)
    await rig.call(local.updateSettings, { roomRobots: 1000 })
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    expect(await online(roomid)).toBe(0)
    expect((await rig.call(robots.add, { roomid, accids: ['mona'] })).code).toBe(403)
  })

  it('are put out when they are blacklisted', async () => {
    const roomid = await rig.room()
    await rig.call(robots.add, { roomid, accids: ['stan'] })
    await rig.role(roomid, 'stan', -1)
    expect(await online(roomid)).toBe(0)
  })
})
