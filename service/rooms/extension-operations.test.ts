import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, live, local, queue } from '../../contract/operations/index.ts'
import { maxLinesBytes } from '../../contract/operations/local.ts'
import type { Operation } from '../../contract/operation.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { eventually } from '../testing/eventually.ts'

import { accountsBehind } from './extension-operations.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

const clock = manualWallClock()
let rig: RoomRig
let cara: LinkUser
let mona: LinkUser
beforeAll(async () => {
  rig = await startRooms({ clock, faults: true })
  cara = await rig.user('cara')
  mona = await rig.user('mona')
})
afterAll(() => rig.close())

const unknown = 999_999_999
let count = 0
const say = async (roomid: number, fromAccid: string, attach: string): Promise<number> =>
  (await rig.call(chatrooms.sendMsg, { roomid, fromAccid, msgId: `e${++count}`, msgType: 0, attach })).code
const historyOf = async (
  roomid: number,
  more: {
    readonly beginTime?: number
    readonly endTime?: number
    readonly accid?: string
    readonly limit?: number
  } = {},
) => (await rig.call(local.roomHistory, { roomid, ...more })).ret!.list
const enter = async (roomid: number): Promise<void> => {
  for (const user of [cara, mona]) await user.request('roomEnter', { roomid })
}
/** Lines of a room pushed to mona. */
const heard = (roomid: number): string[] =>
  mona.of('roomMessage').flatMap((push) => (push.roomid === roomid && push.type !== 5 ? [push.attach] : []))

describe('room/history', () => {
  it('is from a time to a time, both included', async () => {
    const roomid = await rig.room()
    for (const attach of ['1', '2', '3']) {
      clock.advance(1000)
      await say(roomid, 'mona', attach)
    }
    const [third, second, first] = await historyOf(roomid)
    const between = async (beginTime: number, endTime: number) =>
      (await historyOf(roomid, { beginTime, endTime })).map(({ attach }) => attach)
    expect(await between(first!.at, second!.at)).toEqual(['2', '1'])
    expect(await between(first!.at + 1, third!.at - 1)).toEqual(['2'])
    expect(first).toEqual({
      msgid: first!.msgid,
      at: first!.at,
      from: 'mona',
      type: 0,
      attach: '1',
      removed: false,
      nick: 'MONA',
      clientId: `e${count - 2}`,
    })
  })

  it('gives lines by time and by account, the latest first, and pages by their times', async () => {
    const roomid = await rig.room()
    for (const attach of ['1', '2', '3']) {
      clock.advance(1000)
      await say(roomid, attach === '2' ? 'mike' : 'mona', attach)
    }
    const all = await historyOf(roomid)
    expect(all.map(({ attach, from, removed }) => [attach, from, removed])).toEqual([
      ['3', 'mona', false],
      ['2', 'mike', false],
      ['1', 'mona', false],
    ])
    expect((await historyOf(roomid, { limit: 1, endTime: all[0]!.at - 1 })).map(({ attach }) => attach)).toEqual(['2'])
    expect((await historyOf(roomid, { beginTime: all[1]!.at, accid: 'MONA' })).map(({ attach }) => attach)).toEqual([
      '3',
    ])
    await rig.stop()
    rig = await startRooms({ clock, dataDir: rig.dataDir, faults: true })
    cara = await rig.user('cara')
    mona = await rig.user('mona')
    expect(await historyOf(roomid)).toEqual(all)
    await say(roomid, 'mona', '4')
    expect(Number((await historyOf(roomid))[0]!.msgid)).toBeGreaterThan(Number(all[0]!.msgid))
  })
})

describe('lines in answers', () => {
  /** Reads all pages as callers do; also returns their sizes. */
  const readOn = async (
    operation: typeof local.roomHistory | typeof local.held,
    args: { readonly roomid: number; readonly limit: number },
  ) => {
    const [read, sizes]: [string[], number[]] = [[], []]
    for (let before: string | undefined, more = true; more; before = read.at(-1)) {
      const { ret } = await rig.call(operation, { ...args, ...(before !== undefined && { before }) })
      sizes.push(Buffer.byteLength(JSON.stringify(ret!.list)))
      read.push(...ret!.list.map(({ msgid }) => msgid))
      more = ret!.more
      expect(ret!.list.length).toBeGreaterThan(0)
    }
    return { read, sizes }
  }

  it('have 1 MiB together at most, and reading on gives every line once, also those of one moment', async () => {
    const roomid = await rig.room()
    const long = '字'.repeat(4_096)
    for (let said = 0; said < 230; said++) {
      expect(await say(roomid, 'mona', long)).toBe(200)
      if (said % 100 === 99) clock.advance(1)
    }
    const { read, sizes } = await readOn(local.roomHistory, { roomid, limit: 1000 })
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxLinesBytes + 230)
    expect(sizes.length).toBeGreaterThan(2)
    expect(read).toEqual([...new Set(read)].toSorted((one, other) => Number(other) - Number(one)))
    expect(read).toHaveLength(230)
    // By number as well: the requested count, and whether there are more.
    expect((await readOn(local.roomHistory, { roomid, limit: 46 })).sizes).toHaveLength(5)
    expect((await rig.call(local.roomHistory, { roomid, before: 'x' })).code).toBe(631)
  })

  it('that are held have the same bound', async () => {
    const roomid = await rig.room()
    clock.advance(60_000)
    await rig.call(local.setWords, { words: ['waits'], hold: true })
    for (let said = 0; said < 100; said++) await say(roomid, 'mona', `waits ${'字'.repeat(4_000)}`)
    const { read, sizes } = await readOn(local.held, { roomid, limit: 1000 })
    expect(Math.max(...sizes)).toBeLessThanOrEqual(maxLinesBytes + 100)
    expect([read.length, new Set(read).size, sizes.length]).toEqual([100, 100, 2])
    await rig.call(local.setWords, { words: [] })
  })
})

describe('accounts in answers', () => {
  const all = ['c', 'a', 'd', 'b', 'e'].map((accid) => ({ accid }))
  it('are as many as an answer has, and reading on gives each once', () => {
    expect(accountsBehind(all, undefined, 5)).toEqual({ list: all, more: false })
    const read: string[] = []
    for (let after: string | undefined, more = true; more; after = read.at(-1)) {
      const part = accountsBehind(all, after, 2)
      read.push(...part.list.map(({ accid }) => accid))
      more = part.more
    }
    expect(read).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('that are blacklisted or muted are asked for behind one of them', async () => {
    const roomid = await rig.room({ roles: true })
    expect((await rig.call(local.muted, { roomid, after: 'NORA' })).ret).toMatchObject({
      list: [{ accid: 'tim' }],
      more: false,
    })
    expect((await rig.call(local.blacklisted, { roomid, after: 'bill' })).ret).toEqual({ list: [], more: false })
  })
})

describe('room/removeLine', () => {
  it('takes one line back, for those inside and in the history of clients', async () => {
    const roomid = await rig.room({ roles: true })
    await enter(roomid)
    for (const [accid, attach] of [
      ['mona', 'bad'],
      ['mona', 'good'],
      ['abby', 'by an admin'],
    ] as const)
      await say(roomid, accid, attach)
    const msgid = async (attach: string) => (await historyOf(roomid)).find((line) => line.attach === attach)!.msgid
    const bad = await msgid('bad')
    const remove = async (operator: string, line: string) =>
      (await rig.call(local.removeLine, { roomid, operator, msgid: line, notifyExt: 'rude' })).code
    expect(await remove('mike', bad)).toBe(631)
    expect(await remove('adam', await msgid('by an admin'))).toBe(631)
    expect(await remove('adam', bad)).toBe(200)
    expect(await remove('adam', bad)).toBe(417)
    expect(await remove('mike', bad)).toBe(631)
    for (const none of ['0', 'x', '999999999999']) expect(await remove('adam', none)).toBe(618)
    await eventually(() =>
      expect(mona.of('roomRecall')).toMatchObject([
        { roomid, msgid: bad, from: 'mona', operator: 'adam', ext: 'rude' },
      ]),
    )
    expect((await mona.request('roomHistory', { roomid })).lines.map(({ attach }) => attach)).toEqual([
      'by an admin',
      'good',
    ])
    expect((await historyOf(roomid)).map(({ attach, removed }) => [attach, removed])).toEqual([
      ['by an admin', false],
      ['good', false],
      ['bad', true],
    ])
    expect(await remove('cara', await msgid('by an admin'))).toBe(200)
  })
})

describe('a line that is named', () => {
  it('is one of the room that is named with it, and of the sender where one is given, in any case', async () => {
    const [roomid, other] = [await rig.room(), await rig.room()]
    await say(roomid, 'mona', 'here')
    const { msgid } = (await historyOf(roomid))[0]!
    const codes = async (room: number, more: object) => [
      (await rig.send(local.roomLine, { roomid: room, msgid })).code,
      (await rig.send(local.removeLine, { roomid: room, msgid, operator: 'cara', ...more })).code,
    ]
    expect(await codes(other, {})).toEqual([618, 618])
    expect(await codes(roomid, { sender: 'mike' })).toEqual([200, 618])
    expect((await historyOf(roomid))[0]).toMatchObject({ removed: false })
    const removed = await rig.call(local.removeLine, { roomid, msgid, operator: 'cara', sender: 'MONA' })
    expect(removed.ret).toEqual({ from: 'mona', nick: 'MONA', type: 0, attach: 'here' })
  })

  it('and is held is decided on for the sender that is given only', async () => {
    const [roomid, other] = [await rig.room(), await rig.room()]
    await rig.call(local.setWords, { words: ['maybe'], hold: true })
    await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'mona', msgId: 'h', msgType: 0, attach: 'maybe', ext: 'e' })
    await rig.call(local.setWords, { words: [] })
    const [line] = (await rig.call(local.held, { roomid })).ret!.list
    const { msgid } = line!
    expect(line).toEqual({ msgid, at: line!.at, from: 'mona', type: 0, attach: 'maybe', ext: 'e', nick: 'MONA' })
    const decide = async (room: number, sender?: string) =>
      rig.call(local.decideHeld, { roomid: room, msgid, allow: true, ...(sender !== undefined && { sender }) })
    expect([(await decide(other)).code, (await decide(roomid, 'mike')).code]).toEqual([618, 618])
    expect((await decide(roomid, 'Mona')).ret).toEqual({ from: 'mona', nick: 'MONA', type: 0, attach: 'maybe' })
  })
})

describe('lists of measures', () => {
  it('say who is muted for how long, and who is blacklisted', async () => {
    const roomid = await rig.room({ roles: true })
    await rig.mute(roomid, 'nora', 90)
    clock.advance(30_000)
    const muted = (await rig.call(local.muted, { roomid })).ret!.list
    expect(muted.toSorted((a, b) => a.accid.localeCompare(b.accid))).toEqual([
      { accid: 'nora', permanent: true, seconds: 60 },
      { accid: 'tim', permanent: false, seconds: 3570 },
    ])
    const fixed = (await rig.call(chatrooms.membersByPage, { roomid, type: 0, limit: 100 })).desc!.data
    expect((await rig.call(local.blacklisted, { roomid })).ret!.list).toEqual([
      { accid: 'bill', at: fixed.find(({ accid }) => accid === 'bill')!.updateTime },
    ])
    clock.advance(3_600_000)
    expect((await rig.call(local.muted, { roomid })).ret!.list).toEqual([
      { accid: 'nora', permanent: true, seconds: 0 },
    ])
  })
})

describe('room/people', () => {
  it('says what accounts are and are called, inside or not, in one answer', async () => {
    const roomid = await rig.room({ roles: true })
    await mona.request('roomEnter', { roomid, nick: 'Mona inside' })
    await mona.request('roomLeave', { roomid })
    await cara.request('roomEnter', { roomid })
    const { list } = (
      await rig.call(local.roomPeople, { roomid, accids: ['Cara', 'adam', 'mona', 'nora', 'stan', 'nobody', 'ADAM'] })
    ).ret!
    expect(list.map(({ accid, type, nick }) => [accid, type, nick])).toEqual([
      ['cara', 1, 'CARA'],
      ['adam', 2, 'ADAM'],
      ['mona', 0, 'Mona inside'],
      ['nora', -1, 'NORA'],
      ['stan', 3, 'STAN'],
      ['nobody', 3, ''],
    ])
    await rig.call(chatrooms.temporaryMute, { roomid, operator: 'cara', target: 'mona', muteDuration: 600 })
    const { list: muted } = (await rig.call(local.roomPeople, { roomid, accids: ['mona', 'stan'] })).ret!
    expect(muted.map(({ seconds }) => seconds)).toEqual([600, 0])
  })
})

describe('slow mode', () => {
  it('holds ordinary people to one line in so many seconds, not creator and admins, and not a line sent again', async () => {
    const roomid = await rig.room({ roles: true })
    await enter(roomid)
    expect((await rig.call(local.slowMode, { roomid, seconds: 3600 })).code).toBe(200)
    expect([await say(roomid, 'mona', 'a'), await say(roomid, 'mona', 'b'), await say(roomid, 'mike', 'c')]).toEqual([
      200, 416, 200,
    ])
    expect([await say(roomid, 'cara', 'd'), await say(roomid, 'cara', 'e'), await say(roomid, 'adam', 'f')]).toEqual([
      200, 200, 200,
    ])
    const again = { roomid, fromAccid: 'stan', msgId: 'same', msgType: 0, attach: 'g' }
    for (const resendFlag of [0, 1])
      expect((await rig.call(chatrooms.sendMsg, { ...again, resendFlag })).code).toBe(200)
    expect(await mona.request('roomEnter', { roomid })).toMatchObject({ room: { slow: 3600 } })
    await rig.call(local.slowMode, { roomid, seconds: 0 })
    expect([await say(roomid, 'mona', 'h'), await say(roomid, 'mona', 'i')]).toEqual([200, 200])
    for (const seconds of [-1, 3601]) expect((await rig.send(local.slowMode, { roomid, seconds })).code).toBe(631)
  })
})

describe('a change of the room or its queue', () => {
  /** Notices of a room pushed to mona. */
  const told = (roomid: number) =>
    mona.of('roomMessage').flatMap((push) => {
      if (push.roomid !== roomid || push.type !== 5) return []
      const { id, data } = JSON.parse(push.attach) as { id: number; data: { operator: string; opeNick: string } }
      return id > 310 ? [[id, push.from, data.operator, data.opeNick]] : []
    })

  it('is told of whoever made it, and of the creator where nobody is named', async () => {
    const roomid = await rig.room({ roles: true })
    await enter(roomid)
    const adam = { roomid, operator: 'Adam' }
    const changes = [
      rig.call(local.changeRoom, { ...adam, announcement: 'by adam', name: 'his' }),
      rig.call(local.slowMode, { ...adam, seconds: 5 }),
      rig.call(local.changeQueue, { ...adam, change: 1, key: 'q', value: 'song' }),
      rig.call(local.changeQueue, { ...adam, change: 2 }),
      rig.call(local.changeQueue, { ...adam, change: 3 }),
      rig.call(local.slowMode, { roomid, seconds: 0 }),
    ]
    expect((await Promise.all(changes)).map(({ code }) => code)).toEqual(changes.map(() => 200))
    expect((await changes[3])!).toMatchObject({ ret: { key: 'q', value: 'song' } })
    await eventually(() =>
      expect(told(roomid).map(([id, from]) => [id, from])).toEqual([
        ...[312, 312, 317, 317, 320].map((id) => [id, 'adam']),
        [312, 'cara'],
      ]),
    )
    expect(told(roomid).every(([, from, operator]) => from === operator)).toBe(true)
    expect((await rig.call(chatrooms.get, { roomid })).chatroom).toMatchObject({ announcement: 'by adam', name: 'his' })
    const kept = (await rig.call(local.roomHistory, { roomid, notices: true })).ret!.list.filter(
      ({ type }) => type === 5,
    )
    expect(kept.map(({ from }) => from).slice(0, 3)).toEqual(['cara', 'adam', 'adam'])
  })

  it('carries the extension that is given, and of slow mode its seconds', async () => {
    const roomid = await rig.room({ roles: true })
    await enter(roomid)
    await rig.call(local.changeRoom, { roomid, operator: 'adam', name: 'x', notifyExt: 'why' })
    await rig.call(local.slowMode, { roomid, operator: 'adam', seconds: 7 })
    const data = () =>
      mona
        .of('roomMessage')
        .filter((push) => push.roomid === roomid)
        .map(({ attach }) => (JSON.parse(attach) as { data: Record<string, unknown> }).data)
        .slice(-2)
    await eventually(() => expect(data()).toMatchObject([{ ext: 'why' }, { operator: 'adam', ext: '', slow: 7 }]))
    expect(data()[0]).not.toHaveProperty('slow')
  })

  it('changes nothing where the announcement is no more what was read, or the key is there already', async () => {
    const roomid = await rig.room({ roles: true })
    const write = async (announcement: string, was?: string) =>
      (await rig.call(local.changeRoom, { roomid, operator: 'adam', announcement, ...(was !== undefined && { was }) }))
        .code
    expect(await write('one')).toBe(200)
    expect(await Promise.all([write('two', 'one'), write('three', 'one')])).toEqual([200, 417])
    expect((await rig.call(chatrooms.get, { roomid })).chatroom).toMatchObject({ announcement: 'two' })
    expect(await write('four')).toBe(200)

    const put = async (value: string, more: object = {}) =>
      (await rig.call(local.changeQueue, { roomid, operator: 'cara', change: 1, key: 'tim', value, ...more })).code
    expect([await put('song', { fresh: true }), await put('other', { fresh: true })]).toEqual([200, 417])
    expect((await rig.call(queue.list, { roomid })).desc!.list).toEqual([{ tim: 'song' }])
    expect(await put('other')).toBe(200)
    expect((await rig.call(queue.list, { roomid })).desc!.list).toEqual([{ tim: 'other' }])
    const change = async (of: object) => (await rig.send(local.changeQueue, { roomid, operator: 'cara', ...of })).code
    expect([
      await change({ change: 2, key: 'none' }),
      await change({ change: 1, key: 'tim' }),
      await change({ change: 4 }),
    ]).toEqual([404, 631, 631])
    await rig.call(queue.init, { roomid, sizeLimit: 0 })
    expect(await put('song')).toBe(414)
  })
})

describe('held lines', () => {
  it('wait for a moderator, who lets them through or drops them, once', async () => {
    const roomid = await rig.room()
    await enter(roomid)
    await rig.call(local.setWords, { words: ['maybe'], hold: true })
    for (const attach of ['maybe yes', 'maybe no', 'sure']) await say(roomid, 'mike', attach)
    const held = (await rig.call(local.held, { roomid })).ret!.list
    expect(held.map(({ attach }) => attach)).toEqual(['maybe no', 'maybe yes'])
    await eventually(() => expect(heard(roomid)).toEqual(['sure']))
    const decide = async (index: number, allow: boolean) =>
      (await rig.call(local.decideHeld, { roomid, msgid: held[index]!.msgid, allow })).code
    expect([await decide(0, false), await decide(1, true), await decide(1, true), await decide(0, true)]).toEqual([
      200, 200, 417, 417,
    ])
    const shown = (await historyOf(roomid)).find(({ attach }) => attach === 'sure')!
    // Lines that were never held, and unknown ones.
    for (const msgid of [shown.msgid, '999999999999', 'x'])
      expect((await rig.call(local.decideHeld, { roomid, msgid, allow: true })).code).toBe(618)
    await eventually(() => expect(heard(roomid)).toEqual(['sure', 'maybe yes']))
    expect((await rig.call(local.held, { roomid })).ret!.list).toEqual([])
    expect((await historyOf(roomid)).map(({ attach }) => attach)).toEqual(['maybe yes', 'sure'])
    await rig.call(local.setWords, { words: [] })
    // Decided lines remain readable.
    const read = async (msgid: string) => (await rig.call(local.roomLine, { roomid, msgid })).ret
    await rig.call(local.removeLine, { roomid, operator: 'cara', msgid: shown.msgid })
    for (const [msgid, attach] of [
      [held[0]!.msgid, 'maybe no'],
      [held[1]!.msgid, 'maybe yes'],
      [shown.msgid, 'sure'],
    ] as const)
      expect(await read(msgid)).toEqual({ from: 'mike', nick: 'MIKE', type: 0, attach })
    for (const msgid of ['999999999999', 'x'])
      expect((await rig.call(local.roomLine, { roomid, msgid })).code).toBe(618)
  })
})

describe('a held line of somebody who may not speak now', () => {
  it.each([
    ['blacklisted', -1],
    ['muted', -2],
  ])('is not let through while they are %s, and can be dropped', async (_state, opt) => {
    const roomid = await rig.room()
    await enter(roomid)
    await rig.call(local.setWords, { words: ['maybe'], hold: true })
    for (const attach of ['maybe one', 'maybe two']) await say(roomid, 'mike', attach)
    const role = async (optvalue: boolean): Promise<number> =>
      (await rig.call(chatrooms.setMemberRole, { roomid, operator: 'cara', target: 'mike', opt, optvalue })).code
    expect(await role(true)).toBe(200)
    const [second, first] = (await rig.call(local.held, { roomid })).ret!.list
    const decide = async ({ msgid }: { msgid: string }, allow: boolean) =>
      (await rig.call(local.decideHeld, { roomid, msgid, allow })).code
    expect(await decide(first!, true)).toBe(403)
    expect((await rig.call(local.held, { roomid })).ret!.list).toHaveLength(2)
    expect(await decide(second!, false)).toBe(200)
    expect(await role(false)).toBe(200)
    expect(await decide(first!, true)).toBe(200)
    await eventually(() => expect(heard(roomid)).toEqual(['maybe one']))
    await rig.call(local.setWords, { words: [] })
  })
})

describe('a held line that is let through', () => {
  it('stands where those inside get it, for whoever comes later too, and says when it was said; a restart changes nothing', async () => {
    const roomid = await rig.room()
    await enter(roomid)
    await rig.call(local.setWords, { words: ['maybe'], hold: true })
    await say(roomid, 'mike', 'before')
    clock.advance(1000)
    await say(roomid, 'mike', 'maybe yes')
    clock.advance(1000)
    await say(roomid, 'mike', 'after')
    const { msgid, at: said } = (await rig.call(local.held, { roomid })).ret!.list[0]!
    clock.advance(30 * 60_000)
    await rig.call(local.decideHeld, { roomid, msgid, allow: true })
    clock.advance(1000)
    await rig.call(local.setWords, { words: [] })
    await say(roomid, 'mike', 'end')
    await eventually(() => expect(heard(roomid)).toEqual(['before', 'after', 'maybe yes', 'end']))
    const pushed = mona.of('roomMessage').find((push) => push.msgid === msgid)!
    expect(pushed.at - said).toBeGreaterThanOrEqual(30 * 60_000)
    expect(pushed).not.toHaveProperty('heldAt')
    const order = ['end', 'maybe yes', 'after', 'before']
    const check = async (): Promise<void> => {
      const all = await historyOf(roomid)
      expect(all.map(({ attach }) => attach)).toEqual(order)
      expect(all.map(({ heldAt }) => heldAt)).toEqual([undefined, said, undefined, undefined])
      expect(all[1]).toMatchObject({ msgid, at: pushed.at })
      expect((await historyOf(roomid, { endTime: pushed.at - 1 })).map(({ attach }) => attach)).toEqual([
        'after',
        'before',
      ])
      const { lines } = await mona.request('roomEnter', { roomid })
      expect(lines.map(({ attach }) => attach)).toEqual(order)
      // Viewers get the time of release, not that the line was held.
      expect(lines.some((line) => 'heldAt' in line)).toBe(false)
      expect(
        (await mona.request('roomHistory', { roomid, before: Number(msgid) })).lines.map(({ attach }) => attach),
      ).toEqual(['after', 'before'])
    }
    await check()
    await rig.stop()
    rig = await startRooms({ clock, dataDir: rig.dataDir, faults: true })
    cara = await rig.user('cara')
    mona = await rig.user('mona')
    await check()
  })
})

describe('a room and a channel', () => {
  it('are linked one to one, over a restart too', async () => {
    const cid = (await rig.call(live.create, { name: 'linked', type: 0 })).ret!.cid
    const [first, second] = [await rig.room(), await rig.room()]
    const linked = async () => (await rig.call(local.linkedRoom, { cid })).ret!.roomid
    expect(await linked()).toBeUndefined()
    await rig.call(local.linkRoom, { cid, roomid: first })
    expect(await linked()).toBe(first)
    const listed = (await rig.call(local.rooms, {})).ret!.list
    expect(listed.flatMap((room) => (room.cid === undefined ? [] : [[room.roomid, room.cid]]))).toEqual([[first, cid]])
    const both = async (): Promise<(string | undefined)[]> =>
      (await rig.call(local.rooms, {})).ret!.list.flatMap((room) => (room.cid === undefined ? [] : [room.cid]))
    for (let time = 0; time < 5; time++) {
      await Promise.all([first, second].map((roomid) => rig.call(local.linkRoom, { cid, roomid })))
      expect(await both()).toEqual([cid])
    }
    await rig.call(local.linkRoom, { cid, roomid: second })
    await rig.stop()
    rig = await startRooms({ clock, dataDir: rig.dataDir, faults: true })
    expect(await linked()).toBe(second)
    await rig.call(local.linkRoom, { cid })
    expect(await linked()).toBeUndefined()
    await rig.call(local.linkRoom, { cid, roomid: second })
    expect((await rig.other.call(local.linkRoom, { cid })).code).toBe(617)
    expect((await rig.other.call(local.linkedRoom, { cid })).code).toBe(617)
    const foreign = (await rig.other.call(live.create, { name: 'foreign', type: 0 })).ret!.cid
    expect((await rig.other.call(local.linkRoom, { cid: foreign, roomid: second })).code).toBe(617)
    expect((await rig.call(local.linkRoom, { cid: foreign, roomid: second })).code).toBe(617)
    expect(await linked()).toBe(second)
    expect((await rig.call(local.linkRoom, { cid: 'none' })).code).toBe(618)
    expect((await rig.call(local.linkRoom, { cid, roomid: unknown })).code).toBe(618)
    expect((await rig.call(local.linkedRoom, { cid: 'none' })).code).toBe(618)
    // A room that is linked to another channel leaves the first one.
    const another = (await rig.call(live.create, { name: 'another', type: 0 })).ret!.cid
    await rig.call(local.linkRoom, { cid: another, roomid: second })
    expect([await linked(), (await rig.call(local.linkedRoom, { cid: another })).ret!.roomid]).toEqual([
      undefined,
      second,
    ])
    await rig.call(local.linkRoom, { cid, roomid: second })
    // A deleted channel can still be unlinked.
    await rig.call(live.remove, { cid })
    await rig.call(local.linkRoom, { cid })
    expect((await rig.call(local.rooms, {})).ret!.list.filter((room) => room.cid !== undefined)).toEqual([])
  })
})

describe('room/list', () => {
  it('gives rooms by page, the newest first, with who is online', async () => {
    const rooms = [await rig.room({ name: 'one' }), await rig.room({ name: 'two' }), await rig.room({ name: 'three' })]
    const page = async (more: { readonly before?: number; readonly limit?: number }) =>
      (await rig.call(local.rooms, more)).ret!.list
    const [newest, next] = await page({ limit: 2 })
    expect(newest).toMatchObject({ roomid: rooms[2], name: 'three', valid: true, online: 0, creator: 'cara' })
    expect(next).toMatchObject({ roomid: rooms[1] })
    expect((await page({ before: next!.created, limit: 1 }))[0]).toMatchObject({ roomid: rooms[0] })
    expect((await rig.other.call(local.rooms, {})).ret!.list).toEqual([])
  })
})

describe('room/details', () => {
  it('gives own rooms as the list has them, in the order asked for, and leaves out others', async () => {
    const cid = (await rig.call(live.create, { name: 'beside', type: 0 })).ret!.cid
    const [first, second] = [await rig.room({ name: 'first' }), await rig.room({ name: 'second' })]
    await rig.call(local.linkRoom, { cid, roomid: first })
    const asked = { roomidList: [first, unknown, second, first] }
    const { list } = (await rig.call(local.roomDetails, asked)).ret!
    expect(list).toMatchObject([{ roomid: first, name: 'first', cid }, { roomid: second }])
    expect(list.toReversed()).toEqual((await rig.call(local.rooms, { limit: 2 })).ret!.list)
    expect((await rig.other.call(local.roomDetails, asked)).ret!.list).toEqual([])
    expect((await rig.call(local.roomDetails, { roomidList: [0] })).code).toBe(631)
    await rig.call(local.linkRoom, { cid })
    expect((await rig.call(local.roomDetails, { roomidList: [first] })).ret!.list[0]).not.toHaveProperty('cid')
  })
})

describe('every extension operation on a room', () => {
  const cases: readonly (readonly [Operation, object])[] = [
    [local.roomHistory, {}],
    [local.roomLine, { msgid: '1' }],
    [local.removeLine, { operator: 'cara', msgid: '1' }],
    [local.muted, {}],
    [local.blacklisted, {}],
    [local.roomPeople, { accids: ['cara'] }],
    [local.changeRoom, { operator: 'cara', name: 'x' }],
    [local.changeQueue, { operator: 'cara', change: 3 }],
    [local.slowMode, { seconds: 1 }],
    [local.held, {}],
    [local.decideHeld, { msgid: '1', allow: true }],
  ]
  it.each(cases.map(([operation, args]) => [operation.path, operation, args] as const))(
    '%s names rooms that are not there or not ours',
    async (_p, operation, args) => {
      const roomid = await rig.room()
      expect((await rig.send(operation, { roomid: unknown, ...args })).code).toBe(618)
      expect((await rig.other.send(operation, { roomid, ...args })).code).toBe(617)
      expect((await rig.send(operation, { ...args, roomid: 0 })).code).toBe(631)
    },
  )

  it.each(
    [...cases.map(([operation]) => operation), local.rooms, local.roomDetails, local.linkRoom, local.linkedRoom].map(
      (operation) => [operation.path, operation] as const,
    ),
  )('%s says when the service itself fails', async (path, operation) => {
    await rig.call(local.faults, { path, code: 501 })
    expect((await rig.send(operation, {})).code).toBe(501)
  })
})
