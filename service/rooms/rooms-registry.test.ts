import { beforeEach, describe, expect, it } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import type { RoomMemberTable, RoomTable } from '../storage/room-tables.ts'
import { nobody, type Room } from './room.ts'
import { createRoomRegistry, type RoomRegistry } from './rooms-registry.ts'

let clock: ManualClock
let registry: RoomRegistry
let told: string[]
const row = (roomid: number, more: Partial<RoomTable> = {}): RoomTable => ({
  roomid,
  uid: 1,
  creator: 'cara',
  name: 'room',
  announcement: '',
  broadcasturl: '',
  ext: '',
  valid: 1,
  muted: 0,
  slow: 0,
  queueLimit: 100,
  cid: null,
  created: 1000,
  ...more,
})
const none = { rooms: [], members: [], robots: [], elements: [], lastLines: [] }
const member = (accid: string, more: Partial<RoomMemberTable> = {}): RoomMemberTable => ({
  roomid: 7,
  accid,
  ...nobody,
  updated: 0,
  ...more,
})
beforeEach(() => {
  clock = manualClock(5_000)
  registry = createRoomRegistry({ ...none, rooms: [row(7), row(8)] }, clock)
  told = []
})
const room = (roomid = 7): Room => registry.get(roomid)!
const card = { nick: 'Mona', avatar: 'http://x/a', ext: 'e' }
const enter = (accid: string, session: string, more: Partial<typeof card> = {}, roomid = 7) =>
  registry.enter(room(roomid), accid, session, { write: () => void told.push(session) }, { ...card, ...more })

describe('somebody inside', () => {
  it('has entered with the first session, and is the same or changed with another', () => {
    expect(enter('mona', 'web')).toBe('entered')
    const { entered, changed } = room().inside.get('mona')!
    expect(entered).toBe(changed)
    expect([enter('mona', 'web'), enter('mona', 'phone')]).toEqual(['same', 'same'])
    expect(room().inside.get('mona')).toMatchObject({ accid: 'mona', ...card, entered, changed })
    for (const part of ['nick', 'avatar', 'ext'] as const) {
      const before = room().inside.get('mona')!.changed
      expect(enter('mona', 'web', { [part]: 'other' })).toBe('changed')
      expect(room().inside.get('mona')).toMatchObject({ ...card, [part]: 'other', entered })
      expect(room().inside.get('mona')!.changed).toBeGreaterThan(before)
    }
    expect([...room().inside.get('mona')!.sessions.keys()]).toEqual(['web', 'phone'])
    // Each session is told once, however often it entered.
    room().listeners.tell(Buffer.from('x'))
    expect(told).toEqual(['web', 'phone'])
  })

  it('is outside with the end of its last session, and somebody outside leaves nothing', () => {
    enter('mona', 'web')
    enter('mona', 'phone')
    expect(registry.leave(room(), 'mona', 'web')).toBe(false)
    expect([room().inside.has('mona'), room().listeners.size]).toEqual([true, 1])
    expect(registry.leave(room(), 'mona', 'none')).toBe(false)
    expect(registry.leave(room(), 'mona', 'phone')).toBe(true)
    expect([room().inside.has('mona'), room().listeners.size]).toEqual([false, 0])
    expect(registry.leave(room(), 'mona', 'phone')).toBe(false)
  })

  it('is in the rooms of its session, each with its account, until it leaves them', () => {
    enter('mona', 'web')
    enter('mona', 'web', {}, 8)
    enter('mike', 'other', {}, 8)
    expect(registry.ofSession('web')).toEqual([
      { room: room(7), accid: 'mona' },
      { room: room(8), accid: 'mona' },
    ])
    registry.leave(room(7), 'mona', 'web')
    expect([registry.ofSession('web'), registry.ofSession('none')]).toEqual([[{ room: room(8), accid: 'mona' }], []])
  })

  it('is put out alone, or with everybody, of that room only', () => {
    for (const [accid, session] of [
      ['mona', 'a'],
      ['mona', 'b'],
      ['mike', 'c'],
    ] as const)
      for (const roomid of [7, 8]) enter(accid, session, {}, roomid)
    registry.putOut(room(), 'mona')
    expect([[...room().inside.keys()], room().listeners.size]).toEqual([['mike'], 1])
    expect(registry.ofSession('a').map(({ room: { row: of } }) => of.roomid)).toEqual([8])
    registry.putOut(room(), 'nobody')
    registry.putOut(room())
    expect([room().inside.size, room().listeners.size, room(8).inside.size]).toEqual([0, 0, 2])
    expect(registry.ofSession('c').map(({ room: { row: of } }) => of.roomid)).toEqual([8])
  })
})

describe('a time of a room', () => {
  it('is that of the clock, later than any before, also where the clock stands or is set back', () => {
    expect([registry.stamp(room()), registry.stamp(room()), registry.stamp(room(8))]).toEqual([5_000, 5_001, 5_000])
    clock.set(-3_000)
    expect(registry.stamp(room())).toBe(5_002)
    clock.advance(10_000)
    expect(registry.stamp(room())).toBe(12_000)
  })

  it('is later than what is stored of members, robots and lines', () => {
    const stored = [
      { ...none, members: [member('mona', { muted: 1, updated: 9_000 })] },
      { ...none, robots: [{ roomid: 7, accid: 'stan', ext: '', entered: 9_000 }] },
      { ...none, lastLines: [{ roomid: 7, at: 9_000 }] },
      { ...none, rooms: [row(7, { created: 9_000 })] },
    ]
    for (const each of stored) {
      const again = createRoomRegistry({ ...each, rooms: each.rooms.length > 0 ? each.rooms : [row(7)] }, clock)
      expect(again.stamp(again.get(7)!)).toBe(9_001)
    }
  })

  it('at which a room is made is later than that of any other room', () => {
    const again = createRoomRegistry({ ...none, rooms: [row(7, { created: 9_000 })] }, clock)
    expect([again.created(), again.created()]).toEqual([9_001, 9_002])
    expect(registry.created()).toBe(5_000)
  })
})

describe('a change', () => {
  it('of members counts for lists, and leaves no row without role or measure', () => {
    const before = room().memberChanges
    registry.apply(7, { member: member('mona', { muted: 1 }) })
    expect([room().members.get('mona')?.muted, room().memberChanges - before]).toEqual([1, 1])
    registry.apply(7, { member: member('mona') })
    expect([room().members.has('mona'), room().memberChanges - before]).toEqual([false, 2])
    registry.apply(7, { room: row(7, { name: 'new' }) })
    expect([room().row.name, room().memberChanges - before]).toEqual(['new', 2])
  })

  it('of a temporary mute is known by its end, until it is over', () => {
    registry.apply(7, { member: member('mona', { mutedUntil: 9_000 }) })
    registry.apply(7, { member: member('mike', { muted: 1 }) })
    expect(registry.mutedForAWhile()).toEqual([{ uid: 1, roomid: 7, accid: 'mona', mutedUntil: 9_000 }])
    registry.apply(7, { member: member('mona', { muted: 1 }) })
    expect(registry.mutedForAWhile()).toEqual([])
    const stored = { ...none, rooms: [row(7)], members: [member('mona', { mutedUntil: 9_000 })] }
    expect(createRoomRegistry(stored, clock).mutedForAWhile()).toHaveLength(1)
  })

  it('of robots and of the queue takes out first and puts in then', () => {
    const robot = (accid: string, ext: string) => ({ roomid: 7, accid, ext, entered: 1 })
    registry.apply(7, { robots: [robot('stan', 'a'), robot('mike', 'a')] })
    registry.apply(7, { robotsOut: ['stan', 'mike'], robots: [robot('stan', 'b')] })
    expect([...room().robots.values()].map(({ accid, ext }) => [accid, ext])).toEqual([['stan', 'b']])
    const element = (key: string, place: number) => ({ roomid: 7, element: key, value: `of ${key}`, place })
    for (const key of ['a', 'b']) registry.apply(7, { element: element(key, 1) })
    registry.apply(7, { elementOut: 'a' })
    expect([...room().queue]).toEqual([['b', { value: 'of b', place: 1 }]])
    registry.apply(7, { clearsQueue: true, element: element('c', 2) })
    expect([...room().queue.keys()]).toEqual(['c'])
  })

  it('of a room that is not there makes it, or nothing', () => {
    registry.apply(9, { member: member('mona', { muted: 1 }) })
    expect(registry.get(9)).toBeUndefined()
    registry.apply(9, { room: row(9) })
    expect([room(9).row.roomid, registry.openOf(1, 'cara')]).toEqual([9, 3])
  })
})

it('is read from the store with members, robots and queue, without those of rooms that are gone', () => {
  const again = createRoomRegistry(
    {
      rooms: [row(7)],
      members: [member('mona', { admin: 1 }), { ...member('mike', { admin: 1 }), roomid: 99 }],
      robots: [
        { roomid: 7, accid: 'stan', ext: 'r', entered: 1 },
        { roomid: 99, accid: 'stan', ext: 'r', entered: 1 },
      ],
      elements: [
        { roomid: 7, element: 'b', value: 'x', place: 1 },
        { roomid: 7, element: 'a', value: 'y', place: 2 },
        { roomid: 99, element: 'a', value: 'y', place: 2 },
      ],
      lastLines: [{ roomid: 99, at: 1 }],
    },
    clock,
  )
  const read = again.get(7)!
  expect([[...read.members.keys()], [...read.robots.keys()], [...read.queue.keys()]]).toEqual([
    ['mona'],
    ['stan'],
    ['b', 'a'],
  ])
  expect(again.get(99)).toBeUndefined()
})

it('the time at which a room is made stays later than any, also behind one that comes with an earlier time', () => {
  const again = createRoomRegistry({ ...none, rooms: [row(7, { created: 9_000 })] }, clock)
  again.apply(8, { room: row(8, { created: 500 }) })
  expect(again.created()).toBe(9_001)
})

it('tells of a room that was linked to a channel, and of no other change', () => {
  const linked: string[] = []
  registry.onLinked((cid) => linked.push(cid))
  for (const more of [{ name: 'other' }, { cid: 'one' }, { cid: 'one', muted: 1 }, { cid: 'two' }, { cid: null }])
    registry.apply(7, { room: row(7, more) })
  registry.apply(9, { room: row(9) })
  expect(linked).toEqual(['one', 'two'])
})
