import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, chatrooms, robots } from '../../contract/operations/index.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { eventually } from '../testing/eventually.ts'
import { promised } from '../testing/machine-pace.ts'

import type { RoomMemberTable, RoomRobotTable, RoomTable } from '../storage/room-tables.ts'
import { nobody, type Inside, type Room } from './room.ts'
import { createRoomLists } from './room-lists.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
const users = new Map<string, LinkUser>()
beforeAll(async () => {
  // A fixed clock, so that remaining seconds are equal on both paths.
  rig = await startRooms({ clock: manualWallClock() })
  for (const accid of ['cara', 'adam', 'mona', 'nora', 'mike', 'stan']) users.set(accid, await rig.user(accid))
})
afterAll(() => rig.close())

interface Member {
  readonly accid: string
  readonly type: number
  readonly onlineStat: boolean
  readonly enterTime?: number
  readonly updateTime?: number
  readonly isRobot?: boolean
}
const enter = async (roomid: number, ...accids: string[]): Promise<void> => {
  for (const accid of accids) await users.get(accid)!.request('roomEnter', { roomid })
}
/** Members of a kind, in pages, by API and link. */
async function paged(roomid: number, type: number, limit: number): Promise<Member[]> {
  const read: Member[] = []
  for (let endtime = 0; ;) {
    const { data } = (await rig.call(chatrooms.membersByPage, { roomid, type, endtime, limit })).desc as unknown as {
      data: Member[]
    }
    expect((await users.get('cara')!.request('roomMembers', { roomid, type, endtime, limit })).members).toEqual(data)
    if (data.length === 0) return read
    expect(data.length).toBeLessThanOrEqual(limit)
    read.push(...data)
    const last = data.at(-1)!
    endtime = (last.enterTime ?? last.updateTime)!
  }
}

describe('members by page', () => {
  it.each([1, 2, 100])('of each kind have no gap and no repeat in pages of %i, the latest first', async (limit) => {
    const roomid = await rig.room({ roles: true })
    await enter(roomid, 'cara', 'mona', 'nora', 'stan')
    await rig.call(robots.add, { roomid, accids: ['tim', 'abby'] })
    const names = async (type: number) =>
      (await paged(roomid, type, limit)).map(({ accid, type: kind, onlineStat }) => [accid, kind, onlineStat])
    expect(await names(0)).toEqual([
      ['bill', -1, false],
      ['nora', -1, true],
      ['mike', 0, false],
      ['mona', 0, true],
      ['abby', 2, true],
      ['adam', 2, false],
      ['cara', 1, true],
    ])
    // An admin who is also a robot stays an admin; a temporary mute makes no fixed member.
    expect(await names(1)).toEqual([
      ['tim', 3, true],
      ['stan', 3, true],
    ])
    expect(await names(2)).toEqual([
      ['nora', -1, true],
      ['mona', 0, true],
      ['abby', 2, true],
      ['cara', 1, true],
    ])
    expect((await paged(roomid, 1, limit)).map(({ isRobot }) => isRobot === true)).toEqual([true, false])
    for (const user of users.values()) await user.request('roomLeave', { roomid }).catch(() => undefined)
  })
})

it('names of members are those of the room, also of who has left it', async () => {
  const roomid = await rig.room()
  await users.get('mona')!.request('roomEnter', { roomid, nick: 'Moon' })
  await rig.call(chatrooms.setMemberRole, { roomid, operator: 'cara', target: 'mona', opt: 2, optvalue: true })
  const nicks = async () =>
    (await rig.call(chatrooms.membersByPage, { roomid, type: 0, limit: 10 })).desc!.data.map(({ accid, nick }) => [
      accid,
      nick,
    ])
  expect(await nicks()).toContainEqual(['mona', 'Moon'])
  await users.get('mona')!.request('roomLeave', { roomid })
  expect(await nicks()).toContainEqual(['mona', 'Moon'])
})

describe('what was done to a member', () => {
  type Kept = Partial<Record<'blacklisted' | 'muted' | 'tempMuted' | 'tempMuteTtl', unknown>>
  const keptOf = ({ blacklisted, muted, tempMuted, tempMuteTtl }: Kept): Kept =>
    JSON.parse(JSON.stringify({ blacklisted, muted, tempMuted, tempMuteTtl })) as Kept
  const all = { bill: { blacklisted: true }, nora: { muted: true }, mona: { tempMuted: true, tempMuteTtl: 60 } }
  /** Readers, and whose measures they see; a blacklisted one is in no list of the others. */
  const readers = {
    cara: all,
    adam: all,
    mike: { nora: {}, mona: {} },
    stan: { nora: {}, mona: {} },
    nora: { nora: all.nora, mona: {} },
    mona: { nora: {}, mona: all.mona },
  }
  let roomid: number
  beforeAll(async () => {
    roomid = await rig.room({ roles: true })
    await rig.call(chatrooms.temporaryMute, {
      roomid,
      operator: 'cara',
      target: 'mona',
      muteDuration: 60,
      needNotify: false,
    })
    // Leaders first, so that they see all entries.
    await enter(roomid, ...Object.keys(readers))
  })

  it.each(Object.entries(readers))('is read in the lists as the reader may: %s', async (reader, wanted) => {
    const read: Record<string, Kept> = {}
    for (const type of [0, 1, 2])
      for (const member of (await users.get(reader)!.request('roomMembers', { roomid, type, limit: 100 })).members)
        if (member.accid in all) read[member.accid] = keptOf(member as Kept)
    expect(read).toEqual(wanted)
  })

  it('is read by signed calls', async () => {
    const { data } = (await rig.call(chatrooms.membersByPage, { roomid, type: 0, endtime: 0, limit: 100 }))
      .desc as unknown as { data: (Kept & Member)[] }
    expect(
      Object.fromEntries(data.filter(({ accid }) => accid in all).map((member) => [member.accid, keptOf(member)])),
    ).toEqual(all)
    const { data: online } = (await rig.call(chatrooms.queryMembers, { roomid, accids: ['mona'] })).desc as unknown as {
      data: Kept[]
    }
    expect(online.map(keptOf)).toEqual([all.mona])
  })

  it('is in the notification of who comes only for those who lead and for that person', async () => {
    for (const accid of ['nora', 'mona']) {
      await users.get(accid)!.request('roomLeave', { roomid })
      await users.get(accid)!.request('roomEnter', { roomid })
    }
    await rig.call(chatrooms.sendMsg, { roomid, fromAccid: 'cara', msgId: 'end', msgType: 0, attach: 'end' })
    for (const reader of Object.keys(readers)) {
      const pushes = () =>
        users
          .get(reader)!
          .of('roomMessage')
          .filter((push) => push.roomid === roomid)
      await eventually(() => expect(pushes().at(-1)?.attach).toBe('end'))
      const told = pushes().flatMap(({ type, attach }) =>
        type === 5 ? [JSON.parse(attach) as { id: number; data: Kept & { operator: string } }] : [],
      )
      for (const [accid, kept] of [
        ['nora', { muted: true }],
        ['mona', { tempMuted: true, muteTtl: 60 }],
      ] as const) {
        const { data } = told.findLast((notice) => notice.id === 301 && notice.data.operator === accid)!
        const isAllowed = ['cara', 'adam', accid].includes(reader)
        const { operator: _operator, ...rest } = data
        expect([reader, accid, Object.keys(rest).filter((key) => key in kept || key.includes('ute'))]).toEqual([
          reader,
          accid,
          isAllowed ? Object.keys(kept) : [],
        ])
      }
    }
  })
})

describe('notifications', () => {
  it('are left out where they are not wanted, and carry the extension where they are', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'mona')
    const told = () =>
      users
        .get('mona')!
        .of('roomMessage')
        .flatMap((push) =>
          push.roomid === roomid ? [JSON.parse(push.attach) as { id: number; data: { ext: string } }] : [],
        )
        .map(({ id, data }) => [id, data.ext])
    for (const needNotify of [false, true]) {
      const telling = { roomid, needNotify, notifyExt: `told ${needNotify}` }
      await rig.call(chatrooms.update, { ...telling, name: `name ${needNotify}` })
      await rig.call(chatrooms.muteRoom, { ...telling, operator: 'cara', mute: true })
      await rig.call(chatrooms.muteRoom, { ...telling, operator: 'cara', mute: false })
      for (const muteDuration of [60, 0])
        await rig.call(chatrooms.temporaryMute, { ...telling, operator: 'cara', target: 'mona', muteDuration })
    }
    await eventually(() =>
      expect(told()).toEqual([[301, ''], ...[312, 318, 319, 314, 315].map((id) => [id, 'told true'])]),
    )
  })
})

describe('an account that is blocked with needkick', () => {
  it('is out of its rooms in under a second, and those inside are told', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara', 'stan')
    await promised(1000, async () => {
      expect((await rig.call(accounts.block, { accid: 'stan', needkick: true })).code).toBe(200)
      await eventually(async () =>
        expect((await rig.call(chatrooms.queryMembers, { roomid, accids: ['stan'] })).desc).toEqual({ data: [] }),
      )
    })
    const last = () => JSON.parse(users.get('cara')!.of('roomMessage').at(-1)!.attach) as unknown
    await eventually(() => expect(last()).toMatchObject({ id: 302, data: { operator: 'stan' } }))
    await eventually(() => expect(users.get('stan')!.state).toMatchObject({ at: 'out', reason: 'blocked' }))
  })
})

it('put the members of a room of 10,000 in their order once, however often they are asked for, and again when one has changed', () => {
  let looks = 0
  class Members extends Map<string, RoomMemberTable> {
    override values() {
      looks++
      return super.values()
    }
  }
  const members = new Members()
  const change = (accid: string, updated: number): void =>
    void members.set(accid, { accid, ordinary: 1, updated } as RoomMemberTable)
  for (let index = 0; index < 10_000; index++) change(`m${index}`, index)
  const none = { robots: new Map(), inside: new Map(), listeners: undefined as never, queue: new Map() }
  let memberChanges = 0
  const room: Room = {
    row: { roomid: 7, uid: 1, creator: 'cara', created: -1 } as RoomTable,
    members,
    get memberChanges() {
      return memberChanges
    },
    ...none,
  }
  const lists = createRoomLists({ nickOf: () => '', iconOf: () => undefined }, manualWallClock())
  const newest = () => lists.page(room, 0, 0, 2).map(({ accid }) => accid)
  for (let asked = 0; asked < 190; asked++) expect(newest()).toEqual(['m9999', 'm9998'])
  expect(looks).toBe(1)
  change('m5', 20_000)
  memberChanges++
  expect(newest()).toEqual(['m5', 'm9999'])
  expect([newest(), looks]).toEqual([['m5', 'm9999'], 2])
})

describe('a member in the lists', () => {
  const at = 1_800_000_000_000
  const stage = () => {
    const members = new Map<string, RoomMemberTable>()
    const member = (accid: string, more: Partial<RoomMemberTable>): void =>
      void members.set(accid, { roomid: 7, accid, ...nobody, updated: 500, ...more })
    const inside = new Map<string, Inside>()
    const enter = (accid: string, entered: number): void =>
      void inside.set(accid, {
        accid,
        nick: '',
        avatar: `http://x/${accid}`,
        ext: 'e',
        entered,
        changed: 1,
        sessions: new Map(),
      })
    const robots = new Map<string, RoomRobotTable>()
    const room: Room = {
      row: { roomid: 7, uid: 1, creator: 'cara', created: 400 } as RoomTable,
      members,
      memberChanges: 0,
      inside,
      robots,
      listeners: undefined as never,
      queue: new Map(),
    }
    const lists = createRoomLists(
      {
        nickOf: (_room, accid) => accid.toUpperCase(),
        iconOf: (uid, accid) => (accid === 'stan' ? undefined : `http://card/${uid}/${accid}`),
      },
      { now: () => at },
    )
    const robot = (accid: string, entered: number): void =>
      void robots.set(accid, { roomid: 7, accid, ext: 'r', entered })
    return { room, lists, member, enter, robot }
  }

  it('is described with its kind, where it is, its names and when it came or changed', () => {
    const { room, lists, member, enter, robot } = stage()
    const about = (accid: string, type: number, onlineStat: boolean) => ({
      roomid: 7,
      accid,
      nick: accid.toUpperCase(),
      type,
      onlineStat,
    })
    const card = (accid: string) => ({ avator: `http://card/1/${accid}` })
    expect(lists.describe(room, 'cara')).toEqual({ ...about('cara', 1, false), ...card('cara'), updateTime: 400 })
    member('adam', { admin: 1 })
    expect(lists.describe(room, 'adam')).toEqual({ ...about('adam', 2, false), ...card('adam'), updateTime: 500 })
    expect(lists.describe(room, 'stan')).toEqual({ ...about('stan', 3, false), enterTime: 0 })
    enter('mona', 600)
    const inside = { avator: 'http://x/mona', ext: 'e' }
    expect(lists.describe(room, 'mona')).toEqual({ ...about('mona', 3, true), ...inside, enterTime: 600 })
    robot('mike', 700)
    const asRobot = { ...about('mike', 3, true), ...card('mike'), ext: 'r', enterTime: 700, isRobot: true }
    expect(lists.describe(room, 'mike')).toEqual(asRobot)
    // Who is inside as well is shown as such.
    robot('mona', 700)
    expect(lists.describe(room, 'mona')).toEqual({ ...about('mona', 3, true), ...inside, enterTime: 600 })
  })

  it('has measures for signed calls, leaders and itself', () => {
    const { room, lists, member } = stage()
    member('nora', { muted: 1, blacklisted: 1, mutedUntil: at + 1_500 })
    const measures = { muted: true, blacklisted: true, tempMuted: true, tempMuteTtl: 2 }
    for (const reader of [undefined, 'cara', 'nora'])
      expect(lists.describe(room, 'nora', reader)).toMatchObject({ type: -1, ...measures })
    const others = lists.describe(room, 'nora', 'mona')
    expect([others.type, Object.keys(measures).filter((name) => name in others)]).toEqual([-1, []])
  })

  it('comes in pages before a time, those inside and robots by when they came, whoever is fixed in the others', () => {
    const { room, lists, member, enter, robot } = stage()
    member('adam', { admin: 1 })
    for (const [accid, entered] of [
      ['a', 10],
      ['adam', 20],
      ['b', 30],
      ['c', 50],
    ] as const)
      enter(accid, entered)
    for (const [accid, entered] of [
      ['r', 40],
      ['b', 60],
      ['adam', 70],
    ] as const)
      robot(accid, entered)
    const page = (kind: 0 | 1 | 2, end: number, limit: number) =>
      lists.page(room, kind, end, limit).map(({ accid }) => accid)
    expect(page(1, 0, 9)).toEqual(['c', 'r', 'b', 'a'])
    expect(page(1, 0, 2)).toEqual(['c', 'r'])
    expect(page(1, 40, 9)).toEqual(['b', 'a'])
    expect(page(1, 41, 9)).toEqual(['r', 'b', 'a'])
    expect([page(0, 0, 9), page(0, 500, 9), page(0, 501, 1), page(2, 0, 9)]).toEqual([
      ['adam', 'cara'],
      ['cara'],
      ['adam'],
      ['adam'],
    ])
  })

  it('is given once by a query for accounts, if it is inside or a robot', () => {
    const { room, lists, enter, robot } = stage()
    enter('mona', 1)
    robot('mike', 2)
    expect(lists.online(room, ['mike', 'stan', 'mona', 'mike']).map(({ accid }) => accid)).toEqual(['mike', 'mona'])
  })
})
