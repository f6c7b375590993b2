import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, local, statistics } from '../../contract/operations/index.ts'
import { membersFault } from '../../contract/validate.ts'
import { roomCopy } from '../../contract/callbacks/copy.ts'
import { startReceiver } from '../outbox/testing/receiver.ts'
import { eventually } from '../testing/eventually.ts'

import { startRooms, type RoomRig } from './testing/rig.ts'

const hour = 3_600_000
// Half past an hour, far from the end of the UTC day.
const halfPast = Date.UTC(2027, 0, 15, 10, 30)
const clock = manualWallClock(halfPast)
let rig: RoomRig
beforeAll(async () => {
  rig = await startRooms({ clock })
})
afterAll(() => rig.close())

const unknown = 999_999_999
let count = 0
const say = (
  roomid: number,
  fromAccid: string,
  more: {
    readonly msgId?: string
    readonly msgType?: number
    readonly attach?: string
    readonly resendFlag?: number
  } = {},
) => rig.call(chatrooms.sendMsg, { roomid, fromAccid, msgId: `m${++count}`, msgType: 0, attach: 'hello', ...more })

describe('a line', () => {
  it('is answered with strings only, and the same msgId of a sender with the first result', async () => {
    const roomid = await rig.room()
    // Times in a room are unique.
    clock.advance(1000)
    const first = await say(roomid, 'MONA', { msgId: 'one', attach: 'first' })
    expect(first.desc).toEqual({
      time: String(clock.now()),
      fromAvator: '',
      msgid_client: 'one',
      fromClientType: 'REST',
      attach: 'first',
      roomId: String(roomid),
      fromAccount: 'mona',
      fromNick: 'MONA',
      type: '0',
      ext: '',
    })
    clock.advance(1000)
    for (const resendFlag of [0, 1])
      expect((await say(roomid, 'mona', { msgId: 'one', attach: 'second', resendFlag })).desc).toEqual(first.desc)
    expect((await say(roomid, 'mike', { msgId: 'one', attach: 'other' })).desc).toMatchObject({
      attach: 'other',
      fromAccount: 'mike',
    })
    expect((await say(await rig.room(), 'mona', { msgId: 'one', attach: 'elsewhere' })).desc).toMatchObject({
      attach: 'elsewhere',
    })
    const both = await Promise.all(['a', 'b'].map((attach) => say(roomid, 'mona', { msgId: 'twice', attach })))
    expect(both[0]!.desc).toEqual(both[1]!.desc)
  })

  it.each([
    [0, 'plain text'],
    [0, '{"msg":"as in document 2"}'],
    [1, '{"url":"http://x/a.png"}'],
    [2, '{"url":"http://x/a.aac","dur":1000}'],
    [3, '{"url":"http://x/a.mp4"}'],
    [4, '{"lng":1.5,"lat":2}'],
    [6, '{"url":"http://x/a","name":"a"}'],
    [10, 'tip'],
    [100, '{"any":1}'],
    [100, 'whatever'],
  ])('of type %i may be %s', async (msgType, attach) => {
    expect((await say(await rig.room(), 'mona', { msgType, attach })).desc).toMatchObject({
      type: String(msgType),
      attach,
    })
  })

  it.each([
    [1, 'no object'],
    [1, '{}'],
    [2, '{"url":"http://x/a.aac"}'],
    [4, '{"lng":"east","lat":2}'],
    [5, '{}'],
  ])('of type %i is not %s', async (msgType, attach) => {
    const body = { roomid: await rig.room(), fromAccid: 'mona', msgId: 'm', msgType, attach }
    expect((await rig.send(chatrooms.sendMsg, body)).code).toBe(414)
  })

  it('is refused in a room or from a sender that is not there, and in a closed room', async () => {
    const roomid = await rig.room()
    expect((await say(unknown, 'mona')).code).toBe(414)
    expect((await say(roomid, 'no-one')).code).toBe(414)
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    expect((await say(roomid, 'cara')).code).toBe(403)
  })

  it('needs a sender who is not muted or blacklisted; while the room is muted only creator and admins speak', async () => {
    const roomid = await rig.room({ roles: true })
    const codes = async () =>
      Promise.all(
        ['cara', 'adam', 'mona', 'stan', 'nora', 'tim', 'bill'].map(async (accid) => (await say(roomid, accid)).code),
      )
    expect(await codes()).toEqual([200, 200, 200, 200, 403, 403, 403])
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'adam', mute: true })
    expect(await codes()).toEqual([200, 200, 403, 403, 403, 403, 403])
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'adam', mute: false })
    await rig.mute(roomid, 'tim', 0)
    await rig.role(roomid, 'nora', -2, false)
    expect(await codes()).toEqual([200, 200, 200, 200, 200, 200, 403])
  })
})

describe('the word list', () => {
  it.each([
    ['text', { msgType: 0, attach: 'some Bad word' }],
    ['text as JSON', { msgType: 0, attach: '{"msg":"b\\u0061d"}' }],
    ['a tip', { msgType: 10, attach: 'bad' }],
    ['a custom line', { msgType: 100, attach: '["x",{"y":"b\\u0061d"}]' }],
    ['the title of a place', { msgType: 4, attach: '{"lng":1,"lat":1,"title":"bad"}' }],
    ['the number', { msgType: 0, attach: '4242' }],
    ['antispamCustom', { msgType: 0, attach: 'fine', antispam: true, antispamCustom: '{"a":"bad"}' }],
  ])('catches %s, and the sender is not told', async (_what, line) => {
    const roomid = await rig.room()
    await rig.call(local.setWords, { words: ['bad', '424*'] })
    const answer = await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'mona', msgId: 'm', ...line })
    expect(answer.desc).toMatchObject({ attach: line.attach })
    expect((await rig.call(local.roomHistory, { roomid })).ret!.list).toEqual([])
    await rig.call(chatrooms.sendMsg, {
      roomid,
      fromAccid: 'mona',
      msgId: 'n',
      msgType: 0,
      attach: 'bad',
      antispam: true,
      antispamCustom: 'fine',
    })
    expect((await rig.call(local.roomHistory, { roomid })).ret!.list).toHaveLength(1)
    await rig.call(local.setWords, { words: [] })
  })
})

describe('an address to enter at', () => {
  it('is host and port of the link, for both kinds of client', async () => {
    const roomid = await rig.room({ roles: true })
    const addr = [new URL(rig.service.ready.linkUrl).host]
    for (const clienttype of [1, 2])
      expect(await rig.call(chatrooms.requestAddr, { roomid, accid: 'mona', clienttype })).toEqual({ code: 200, addr })
    expect((await rig.call(chatrooms.requestAddr, { roomid, accid: 'bill' })).code).toBe(403)
    expect((await rig.call(chatrooms.requestAddr, { roomid: unknown, accid: 'mona' })).code).toBe(414)
    expect((await rig.call(chatrooms.requestAddr, { roomid, accid: 'no-one' })).code).toBe(414)
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    expect((await rig.call(chatrooms.requestAddr, { roomid, accid: 'mona' })).code).toBe(13002)
  })

  it('is not given while the link is not there', async () => {
    const faulty = await startRooms({ faults: true })
    await faulty.call(local.faults, { path: chatrooms.requestAddr.path, code: 514 })
    expect((await faulty.call(chatrooms.requestAddr, { roomid: 1, accid: 'mona' })).code).toBe(514)
    await faulty.close()
  })
})

describe('copies of a room', () => {
  it('carry every line, its repetition once, with what the word list caught, and what moderators do', async () => {
    const receiver = await startReceiver()
    const own = await startRooms()
    await own.call(local.setCopyTarget, { url: receiver.url })
    const roomid = await own.room()
    await own.call(local.setWords, { words: ['bad'] })
    const line = { roomid, fromAccid: 'mona', msgType: 0, ext: 'e' }
    await own.call(chatrooms.sendMsg, { ...line, msgId: 'a', attach: 'good', resendFlag: 1 })
    await own.call(chatrooms.sendMsg, { ...line, msgId: 'a', attach: 'good', resendFlag: 1 })
    await own.call(chatrooms.sendMsg, { ...line, msgId: 'b', attach: 'so BAD' })
    const mona = await own.user('mona')
    await mona.request('roomEnter', { roomid, nick: 'Mo', avatar: 'http://x/a', ext: 'badge' })
    await mona.request('roomSend', { roomid, type: 100, attach: '{"c":1}', clientId: 'c' })
    await own.role(roomid, 'mona', -2)
    const copies = () => receiver.received.filter(({ body }) => body !== '{}').map(({ fields }) => fields)
    await eventually(() => expect(copies()).toHaveLength(4))
    for (const copy of copies())
      expect([membersFault(roomCopy, copy), copy['eventType'], copy['roomId']]).toEqual([
        undefined,
        '4',
        String(roomid),
      ])
    const [first, second, said, third] = copies()
    expect(said).toMatchObject({
      msgType: 'CUSTOM',
      attach: '{"c":1}',
      fromClientType: 'WEB',
      fromNick: 'Mo',
      fromAvator: 'http://x/a',
      fromExt: 'badge',
    })
    expect(Number(said!['roleInfoTimetag'])).toBeGreaterThan(Date.now() - 600_000)
    expect(first).toMatchObject({
      attach: 'good',
      ext: 'e',
      fromAccount: 'mona',
      fromNick: 'MONA',
      fromClientType: 'REST',
      msgType: 'TEXT',
    })
    expect(first).toMatchObject({ msgidClient: 'a', resendFlag: '1' })
    expect(first).not.toHaveProperty('antispam')
    expect(second).toMatchObject({ msgidClient: 'b', antispam: 'true' })
    expect(third).toMatchObject({ msgType: 'NOTIFICATION', fromAccount: 'cara' })
    expect(JSON.parse(third!['attach']!)).toMatchObject({
      id: 305,
      data: { operator: 'cara', target: ['mona'], tarNick: ['Mo'] },
    })
    await own.close()
    await receiver.close()
  })
})

describe('statistics', () => {
  it('rank rooms of an hour or a day that is over, in seconds or ms, ties by number, and survive a restart', async () => {
    const own = await startRooms({ clock, timeZone: 'Asia/Kolkata' })
    let rooms = own
    const [first, second, third] = [await own.room(), await own.room(), await own.room()].sort((a, b) => a - b) as [
      number,
      number,
      number,
    ]
    const at = clock.now()
    const speak = async (roomid: number, accid: string) =>
      rooms.call(chatrooms.sendMsg, { roomid, fromAccid: accid, msgId: `s${++count}`, msgType: 0, attach: 'x' })
    for (const accid of ['mona', 'mona', 'mona']) await speak(first, accid)
    for (const accid of ['mona', 'mike']) await speak(second, accid)
    await speak(third, 'cara')
    await own.stop()
    rooms = await startRooms({ clock, timeZone: 'Asia/Kolkata', dataDir: own.dataDir })
    await speak(first, 'mona')
    const top = async (args: object = {}) => (await rooms.send(statistics.topn, { timestamp: at, ...args })).data!
    expect(await top()).toEqual([])
    clock.advance(hour)
    // In India hours begin at half past UTC hours.
    const record = { datetime: halfPast / 1000, period: 'HOUR', enterNums: 0 }
    expect(await top()).toEqual([
      { ...record, roomId: second, activeNums: 2, msgs: 2 },
      { ...record, roomId: first, activeNums: 1, msgs: 4 },
      { ...record, roomId: third, activeNums: 1, msgs: 1 },
    ])
    expect((await top({ orderby: 'message', timestamp: at / 1000, topn: 2 })).map(({ roomId }) => roomId)).toEqual([
      first,
      second,
    ])
    expect((await top({ orderby: 'enter' })).map(({ roomId }) => roomId)).toEqual([first, second, third])
    expect(await top({ period: 'day' })).toEqual([])
    expect(await top({ timestamp: Number.MAX_SAFE_INTEGER })).toEqual([])
    expect((await rooms.other.call(statistics.topn, { timestamp: at })).data).toEqual([])
    expect((await rooms.call(statistics.topn, {})).data).toEqual([])
    clock.advance(14 * hour)
    // 18:30 UTC of the day before.
    expect((await top({ period: 'day' }))[0]).toMatchObject({
      datetime: Date.UTC(2027, 0, 14, 18, 30) / 1000,
      period: 'DAY',
    })
    for (const wrong of [{ topn: 0 }, { topn: 501 }, { period: 'week' }, { orderby: 'name' }, { timestamp: -1 }])
      expect((await rooms.send(statistics.topn, wrong)).code).toBe(414)
    await rooms.close()
  })
})
