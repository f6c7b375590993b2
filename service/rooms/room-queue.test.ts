import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { chatrooms, local, queue, robots } from '../../contract/operations/index.ts'
import { createRoomQueue, elementsOf } from './room-queue.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'
import { startStoredRoom, type ToldFrame } from './testing/stored-room.ts'

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

describe('a change of the queue', () => {
  /** The queue of a room, which has three elements at most, and what mona inside is told of it. */
  const begin = async () => {
    const rig = await startStoredRoom()
    onTestFinished(() => rig.close())
    const handlers = createRoomQueue(rig.context)
    const told = rig.enter('mona')
    const notices = () =>
      told.splice(0).map((frame: ToldFrame) => {
        const { id, data } = JSON.parse(String(frame['attach'])) as {
          id: number
          data: { operator: string; queueChange: string }
        }
        expect([frame['from'], frame['fromClientType']]).toEqual([data.operator, 'REST'])
        return [id, data.operator, JSON.parse(data.queueChange) as unknown]
      })
    return { ...rig, ...handlers, notices }
  }

  it('tells those inside who offered or took which element, and who emptied it', async () => {
    const { room, offer, poll, drop, notices } = await begin()
    await offer(room, 'cara', 'a', 'one')
    await offer(room, 'adam', 'a', 'two')
    await offer(room, 'cara', 'b', 'three')
    expect(notices()).toEqual([
      [317, 'cara', { _e: 'OFFER', key: 'a', content: 'one' }],
      [317, 'adam', { _e: 'OFFER', key: 'a', content: 'two' }],
      [317, 'cara', { _e: 'OFFER', key: 'b', content: 'three' }],
    ])
    expect(await poll(room, 'adam', 'b')).toEqual({ key: 'b', value: 'three' })
    expect(await poll(room, 'cara', undefined)).toEqual({ key: 'a', value: 'two' })
    await drop(room, 'adam')
    expect(notices()).toEqual([
      [317, 'adam', { _e: 'POLL', key: 'b', content: 'three' }],
      [317, 'cara', { _e: 'POLL', key: 'a', content: 'two' }],
      [320, 'adam', { _e: 'DROP' }],
    ])
  })

  it('that is refused says why, is told to nobody and changes nothing', async () => {
    const { room, offer, poll, notices } = await begin()
    await expect(poll(room, 'cara', undefined)).rejects.toMatchObject({ code: 404, message: 'the queue is empty' })
    for (const key of ['a', 'b', 'c']) await offer(room, 'cara', key, 'x')
    notices()
    await expect(offer(room, 'cara', 'd', 'x')).rejects.toMatchObject({
      code: 414,
      message: 'the queue is full: 3 elements at most',
    })
    await expect(poll(room, 'cara', 'd')).rejects.toMatchObject({ code: 404, message: 'no element has this key' })
    expect([notices(), elementsOf(room)]).toEqual([[], [{ a: 'x' }, { b: 'x' }, { c: 'x' }]])
  })

  it('is stored: a changed element keeps its place, a new one is last, taken ones do not come back', async () => {
    const { room, offer, poll, drop, reread } = await begin()
    for (const key of ['z', 'a', 'm']) await offer(room, 'cara', key, 'first')
    await offer(room, 'cara', 'z', 'second')
    expect(elementsOf(await reread())).toEqual([{ z: 'second' }, { a: 'first' }, { m: 'first' }])
    await poll(room, 'cara', 'a')
    await offer(room, 'cara', 'b', 'first')
    expect(elementsOf(await reread())).toEqual([{ z: 'second' }, { m: 'first' }, { b: 'first' }])
    expect(elementsOf(room)).toEqual(elementsOf(await reread()))
    await drop(room, 'cara')
    expect([elementsOf(room), elementsOf(await reread())]).toEqual([[], []])
  })

  it('by its size empties it, is told with the size in the name of the creator, and outlives a restart', async () => {
    const roomid = await rig.room()
    const cara = await rig.user('cara', 'queue')
    await cara.request('roomEnter', { roomid })
    await offer(roomid, 'a')
    await rig.call(queue.init, { roomid, sizeLimit: 2 })
    await rig.call(queue.drop, { roomid })
    await expect
      .poll(() =>
        cara
          .of('roomMessage')
          .flatMap(({ roomid: of, attach }) => (of === roomid ? [JSON.parse(attach) as object] : [])),
      )
      .toMatchObject([
        { id: 301 },
        { id: 317, data: { operator: 'cara', queueChange: '{"_e":"OFFER","key":"a","content":"value of a"}' } },
        { id: 320, data: { operator: 'cara', queueChange: '{"_e":"INIT","sizeLimit":2}' } },
        { id: 320, data: { operator: 'cara', queueChange: '{"_e":"DROP"}' } },
      ])
    await rig.stop()
    rig = await startRooms({ dataDir: rig.dataDir })
    expect(await listed(roomid)).toEqual({ list: [] })
    expect([await offer(roomid, 'a'), await offer(roomid, 'b'), await offer(roomid, 'c')]).toEqual([200, 200, 414])
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

  it('outlive a restart with their extension, and are told of as they come and go', async () => {
    const roomid = await rig.room()
    const cara = await rig.user('cara', 'robots')
    await cara.request('roomEnter', { roomid })
    await rig.call(robots.add, { roomid, accids: ['stan', 'mona'], roleExt: 'r', notifyExt: 'n' })
    await rig.call(robots.remove, { roomid, accids: ['stan'] })
    await expect
      .poll(() =>
        cara
          .of('roomMessage')
          .slice(1)
          .map(({ attach }) => JSON.parse(attach) as object),
      )
      .toMatchObject([
        { id: 301, data: { operator: 'stan', target: ['stan'], ext: 'n' } },
        { id: 301, data: { operator: 'mona', target: ['mona'], ext: 'n' } },
        { id: 302, data: { operator: 'stan', target: ['stan'], ext: '' } },
      ])
    await rig.stop()
    rig = await startRooms({ dataDir: rig.dataDir })
    const { data } = (await rig.call(chatrooms.membersByPage, { roomid, type: 1, limit: 9 })).desc!
    expect(data).toMatchObject([{ accid: 'mona', isRobot: true, ext: 'r', onlineStat: true }])
    expect(data[0]!.enterTime).toBeGreaterThan(0)
  })

  it('that are inside themselves are not added, and their removal lets those people stay', async () => {
    const roomid = await rig.room()
    const mona = await rig.user('mona', 'robots')
    await mona.request('roomEnter', { roomid })
    expect((await rig.call(robots.add, { roomid, accids: ['mona'] })).code).toBe(417)
    expect(result(await rig.call(robots.add, { roomid, accids: ['mona', 'stan'] }))).toEqual({
      failAccids: ['mona'],
      successAccids: ['stan'],
    })
    expect(result(await rig.call(robots.remove, { roomid, accids: ['mona'] }))).toEqual({
      failAccids: ['mona'],
      successAccids: [],
    })
    expect(await online(roomid)).toBe(2)
  })

  it('are put out when they are blacklisted', async () => {
    const roomid = await rig.room()
    await rig.call(robots.add, { roomid, accids: ['stan'] })
    await rig.role(roomid, 'stan', -1)
    expect(await online(roomid)).toBe(0)
  })
})
