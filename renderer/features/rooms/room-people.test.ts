import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Measure } from '../../../contract/rpc/index.ts'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { roomAction } from '../../testing/room-values.ts'
import { accidsOf, blockerOf, useRoomPeople, type Someone } from './room-people.ts'

interface Page {
  readonly call: { readonly type: number; readonly endtime?: number | undefined; readonly limit?: number | undefined }
}
const member = (n: number, more: object = {}) => ({
  roomid: 7,
  accid: `p${n}`,
  nick: n === 3 ? '' : `P ${n}`,
  type: 3,
  onlineStat: true,
  enterTime: n,
  ...more,
})
let all: ReturnType<typeof member>[] = []
const procedures = {
  'chatrooms.membersByPage': ({ call: { type, endtime = 0, limit } }: Page) => ({
    desc: {
      data: type === 1 ? all.filter(({ enterTime }) => endtime === 0 || enterTime < endtime).slice(0, limit) : [],
    },
  }),
  'chatrooms.queryMembers': ({ call }: { readonly call: { readonly accids: readonly string[] } }) => ({
    desc: { data: all.filter(({ accid }) => call.accids.includes(accid)) },
  }),
  'local.muted': () => ({
    ret: {
      list: [
        { accid: 'p2', permanent: true, seconds: 0 },
        { accid: 'b', permanent: false, seconds: 90 },
      ],
      more: false,
    },
  }),
  'local.blacklisted': () => ({ ret: { list: [{ accid: 'p2', at: 5 }], more: false } }),
  'queue.list': () => ({ desc: { list: [] } }),
  act: ({ measure }: { measure: Measure }) => ({ action: roomAction(measure), taken: null }),
}
beforeEach(() => {
  vi.useFakeTimers()
  all = Array.from({ length: 250 }, (_, index) => member(1_000 - index))
})
afterEach(() => {
  vi.useRealTimers()
})

describe('lists of people', () => {
  it('come page after page, each person once, until there are no more', async () => {
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    await people.refresh()
    const list = () => people.lists.get('temporary')!
    expect([list().people.length, list().complete]).toEqual([100, false])
    await people.more()
    await people.more()
    expect([list().people.length, list().complete]).toEqual([250, true])
    expect(new Set(list().people.map(({ accid }) => accid)).size).toBe(250)
    const asked = on.calls('chatrooms.membersByPage').length
    await people.more()
    expect(on.calls('chatrooms.membersByPage')).toHaveLength(asked)
    all = all.slice(1)
    await people.refresh()
    expect([list().people.length, list().people[0]?.accid]).toEqual([249, 'p999'])
  })

  it('keep what was read when a page fails', async () => {
    const on = roomStage(
      {
        ...procedures,
        'chatrooms.membersByPage': (page: Page) =>
          (page.call.endtime ?? 0) > 0 ? Promise.reject(refusal(416)) : procedures['chatrooms.membersByPage'](page),
      },
      1_000,
    )
    const people = useRoomPeople()
    await people.refresh()
    await people.more()
    expect(people.failure).toMatchObject({ code: 416 })
    expect(people.lists.get('temporary')?.people).toHaveLength(100)
    expect(on.room.failure).toBeNull()
  })

  it('find who is online by account, however it was typed, and say whom they asked for', async () => {
    roomStage(procedures, 1_000)
    const people = useRoomPeople()
    await people.search(' P900, p901，nobody  P900 ！')
    expect(people.found?.asked).toEqual(['p900', 'p901', 'nobody'])
    expect(people.found?.people.map(({ accid }) => accid)).toEqual(['p901', 'p900'])
    await people.search('')
    expect(people.found).toBeNull()
    expect(accidsOf(Array.from({ length: 300 }, (_, n) => `a${n}`).join(' '))).toHaveLength(300)
  })

  it('show one person once with every measure, and until when a timed one lasts', async () => {
    roomStage(procedures, 1_000)
    const people = useRoomPeople()
    await people.refresh()
    expect(people.restricted).toMatchObject([
      { accid: 'b', muted: false, mutedUntil: 91_000, blacklisted: false },
      { accid: 'p2', muted: true, mutedUntil: 0, blacklisted: true },
    ])
  })

  it('are read again after a notice of the room while somebody looks, once for many, and after a measure', async () => {
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    const end = people.follow()
    await vi.advanceTimersByTimeAsync(0)
    const notice = (msgid: number) =>
      on.room.apply({
        type: 'roomPush',
        profileId: 'local',
        roomid: 7,
        push: {
          t: 'roomMessage',
          roomid: 7,
          msgid: String(msgid),
          at: msgid,
          from: 'x',
          fromNick: '',
          fromClientType: 'WEB',
          type: 5,
          attach: '{"id":305,"data":{}}',
        },
      })
    for (let n = 1; n <= 20; n++) {
      notice(n)
      await vi.advanceTimersByTimeAsync(1)
    }
    await vi.advanceTimersByTimeAsync(5_000)
    // The room reads its own first pages besides, which go on from nowhere.
    const read = (): number =>
      on.calls('chatrooms.membersByPage').filter((input) => 'endtime' in (input as { call: object }).call).length
    expect(read()).toBe(2)
    await people.act({ kind: 'mute', target: 'p9', on: false }, 'why')
    expect(on.calls('act')).toMatchObject([{ measure: { kind: 'mute', target: 'p9', on: false }, why: 'why' }])
    end()
    const asked = read()
    notice(99)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(read()).toBe(asked)
  })

  it('are never those of another room', async () => {
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    const late = people.refresh()
    on.room.roomid = 8
    await late
    expect([people.lists.size, people.restricted]).toEqual([0, null])
  })
})

describe('what may not be done to somebody', () => {
  const who = (more: Partial<Someone>): Someone => ({
    accid: 'x',
    nick: 'x',
    type: 3,
    online: true,
    robot: false,
    since: null,
    muted: false,
    mutedUntil: 0,
    blacklisted: false,
    ...more,
  })
  const room = { acting: 'host', creator: 'host', now: 1_000 }
  const ask = (kind: 'admin' | 'ordinary' | 'mute' | 'blacklist', on: boolean, more: Partial<Someone>) =>
    blockerOf({ kind, on }, who(more), room)

  it('has a reason', () => {
    expect(ask('mute', true, { type: 2 })).toBe('admin')
    expect(ask('ordinary', true, { type: 2 })).toBe('admin')
    expect(ask('blacklist', true, { accid: 'host', type: 1 })).toBe('self')
    expect(blockerOf({ kind: 'mute', on: true }, who({ accid: 'boss', type: 1 }), { ...room, creator: 'boss' })).toBe(
      'creator',
    )
    expect(ask('admin', true, { muted: true })).toBe('limited')
    expect(ask('admin', true, { mutedUntil: 2_000 })).toBe('limited')
  })

  it('is nothing where it may be done: a moderator is unset, a mute that ran out hinders nobody, measures are lifted one by one', () => {
    expect(ask('admin', false, { type: 2 })).toBeNull()
    expect(ask('admin', true, { mutedUntil: 1_000 })).toBeNull()
    expect(ask('mute', false, { type: -1, muted: true, blacklisted: true })).toBeNull()
    expect(ask('mute', true, {})).toBeNull()
  })
})

describe('somebody in a list', () => {
  it('has what is in force now, however old the list is, and nothing else of it', async () => {
    roomStage(procedures, 1_000)
    const people = useRoomPeople()
    const old: Someone = {
      accid: 'p2',
      nick: 'P 2',
      type: 0,
      online: true,
      robot: false,
      since: 2,
      muted: false,
      mutedUntil: 77,
      blacklisted: false,
    }
    expect(people.current(old)).toBe(old)
    await people.refresh()
    expect(people.current(old)).toEqual({ ...old, muted: true, mutedUntil: 0, blacklisted: true })
    expect(people.current({ ...old, accid: 'b' })).toMatchObject({
      muted: false,
      mutedUntil: 91_000,
      blacklisted: false,
    })
    expect(people.current({ ...old, accid: 'x', muted: true, blacklisted: true })).toMatchObject({
      muted: false,
      mutedUntil: 0,
      blacklisted: false,
    })
  })

  it('is what the service says of them', async () => {
    all = [
      member(5, { type: 2, isRobot: true, muted: true, blacklisted: true, tempMuteTtl: 30, onlineStat: false }),
      member(4, { enterTime: undefined, updateTime: 44 }),
      member(3),
    ]
    roomStage({ ...procedures, 'chatrooms.membersByPage': () => ({ desc: { data: all } }) }, 1_000)
    const people = useRoomPeople()
    await people.refresh()
    const list = people.lists.get('temporary')?.people
    expect(list?.[0]).toEqual({
      accid: 'p5',
      nick: 'P 5',
      type: 2,
      online: false,
      robot: true,
      since: 5,
      muted: true,
      mutedUntil: 31_000,
      blacklisted: true,
    })
    expect(list?.[1]).toMatchObject({ since: 44, muted: false, mutedUntil: 0, blacklisted: false, robot: false })
    expect(list?.[2]?.nick).toBe('p3')
  })
})

describe('the reading of people', () => {
  const notice = (on: ReturnType<typeof roomStage>, id: number, msgid: string): void =>
    on.room.apply({
      type: 'roomPush',
      profileId: 'local',
      roomid: 7,
      push: {
        t: 'roomMessage',
        roomid: 7,
        msgid,
        at: Number(msgid),
        from: 'x',
        fromNick: '',
        fromClientType: 'WEB',
        type: 5,
        attach: JSON.stringify({ id, data: {} }),
      },
    })
  const read = (on: ReturnType<typeof roomStage>): number[] =>
    on
      .calls('chatrooms.membersByPage')
      .flatMap((input) => ('endtime' in (input as Page).call ? [(input as Page).call.type] : []))

  it.each([
    [301, 5_000],
    [302, 5_000],
    [305, 900],
    [312, 900],
  ])('begins anew after a notice %i when %i ms have passed', async (id, pause) => {
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    const end = people.follow()
    await vi.advanceTimersByTimeAsync(0)
    notice(on, id, '1')
    await vi.advanceTimersByTimeAsync(pause - 1)
    expect(read(on)).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(read(on)).toHaveLength(2)
    end()
  })

  it('comes sooner where something else than coming and going is told meanwhile', async () => {
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    const end = people.follow()
    await vi.advanceTimersByTimeAsync(0)
    notice(on, 301, '1')
    await vi.advanceTimersByTimeAsync(100)
    notice(on, 305, '2')
    await vi.advanceTimersByTimeAsync(900)
    expect(read(on)).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(read(on)).toHaveLength(2)
    end()
  })

  it('is of the list that is chosen, at once, and of none while nobody looks', async () => {
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    people.kind = 'fixed'
    await vi.advanceTimersByTimeAsync(0)
    expect(read(on)).toEqual([])
    const ends = [people.follow(), people.follow()]
    await vi.advanceTimersByTimeAsync(0)
    people.kind = 'online'
    await vi.advanceTimersByTimeAsync(0)
    expect(read(on)).toEqual([0, 2])
    ends[0]?.()
    people.kind = 'temporary'
    await vi.advanceTimersByTimeAsync(0)
    expect(read(on)).toEqual([0, 2, 1])
    ends[1]?.()
    people.kind = 'fixed'
    await vi.advanceTimersByTimeAsync(0)
    expect(read(on)).toHaveLength(3)
  })

  it('reads as many again as were listed, up to 500', async () => {
    all = Array.from({ length: 900 }, (_, index) => member(1_000 - index))
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    await people.refresh()
    for (let page = 0; page < 7; page++) await people.more()
    expect(people.lists.get('temporary')?.people).toHaveLength(800)
    const before = read(on).length
    await people.refresh()
    expect([people.lists.get('temporary')?.people.length, read(on).length - before]).toEqual([500, 5])
  })

  it('begins anew with the same question after a measure, and says whether that was done', async () => {
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    await people.search('p900 nobody')
    expect(await people.act({ kind: 'mute', target: 'p900', on: true }, '')).toBe(true)
    expect(
      on.calls('chatrooms.queryMembers').map((input) => (input as { call: { accids: string[] } }).call.accids),
    ).toEqual([
      ['p900', 'nobody'],
      ['p900', 'nobody'],
    ])
    expect(read(on)).toHaveLength(1)
  })

  it('asks for 200 accounts at once at most', async () => {
    const on = roomStage(procedures, 1_000)
    const people = useRoomPeople()
    await people.search(Array.from({ length: 201 }, (_, index) => `a${index}`).join(' '))
    expect(people.found?.asked).toHaveLength(200)
    expect(on.calls('chatrooms.queryMembers')).toHaveLength(1)
  })
})

it('accounts are read from typed text with whatever stands between them, and nothing that is none', () => {
  expect(accidsOf('A,b，c、d\ne  f/g h! ' + 'x'.repeat(33) + ' a')).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(accidsOf('x'.repeat(32))).toEqual(['x'.repeat(32)])
  expect(accidsOf(' ')).toEqual([])
})
