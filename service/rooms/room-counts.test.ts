import type { Clock } from '../../platform/clock.ts'
import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { expect, it } from 'vitest'
import type { RoomMemberTable, RoomRobotTable, RoomTable } from '../storage/room-tables.ts'

import { countEvery, createRoomCounts, figuresOf } from './room-counts.ts'
import type { RoomListener } from './room-listeners.ts'
import type { Inside, Room } from './room.ts'

interface Told {
  readonly to: string
  readonly said: Readonly<Record<string, unknown>>
}
/** A room of cara with adam as admin, and the notices inside; `ring` ends the interval between two counts. */
function stage(isLarge = () => false) {
  const clock = manualWallClock()
  const told: Told[] = []
  const waiting: { readonly ms: number; readonly call: () => void }[] = []
  const inside = new Map<string, Inside>()
  const members = new Map<string, RoomMemberTable>()
  const robots = new Map<string, RoomRobotTable>()
  const room: Room = {
    row: { roomid: 7, uid: 1, creator: 'cara' } as RoomTable,
    memberChanges: 0,
    members,
    robots,
    inside,
    listeners: undefined as never,
    queue: new Map(),
  }
  const after: Clock['after'] = (ms, call) => {
    const timer = { ms, call }
    waiting.push(timer)
    return () => void waiting.splice(waiting.indexOf(timer), 1)
  }
  const counts = createRoomCounts({ clock: { ...clock, after }, isLarge })
  const listener = (to: string): RoomListener =>
    ({
      isOpen: true,
      write: (frame: Buffer) =>
        void told.push({ to, said: JSON.parse(frame.toString().slice(frame.indexOf('{'))) as Told['said'] }),
    }) as never
  const enter = (...accids: readonly string[]): void => {
    for (const accid of accids)
      inside.set(accid, {
        accid,
        nick: '',
        avatar: '',
        ext: '',
        entered: 1,
        changed: 1,
        sessions: new Map([[accid, listener(accid)]]),
      })
  }
  const member = (accid: string, more: Partial<RoomMemberTable>): void =>
    void members.set(accid, {
      accid,
      admin: 0,
      ordinary: 0,
      blacklisted: 0,
      muted: 0,
      mutedUntil: 0,
      ...more,
    } as RoomMemberTable)
  member('adam', { admin: 1 })
  return {
    clock,
    room,
    counts,
    told,
    waiting,
    enter,
    member,
    inside,
    robot: (accid: string) => void robots.set(accid, { accid } as RoomRobotTable),
    take: () => told.splice(0),
    ring: () => {
      clock.advance(countEvery)
      for (const { call } of waiting.splice(0)) call()
    },
  }
}

it('counts people and robots once each, and every measure that is in force', () => {
  const { room, clock, enter, robot, member } = stage()
  enter('cara', 'mona', 'both')
  robot('both')
  robot('robot')
  member('nora', { muted: 1 })
  member('tim', { mutedUntil: clock.now() + 1 })
  member('twice', { muted: 1, mutedUntil: clock.now() + 1_000 })
  member('bill', { blacklisted: 1 })
  expect(figuresOf(room, clock.now())).toEqual({ online: 4, people: 3, robots: 1, muted: 3, blacklisted: 1 })
  expect(figuresOf(room, clock.now() + 1)).toMatchObject({ muted: 2 })
})

it('tells those who lead at once, and then what came of any number of changes once a second', () => {
  const { room, counts, enter, take, ring, waiting } = stage()
  enter('cara', 'adam', 'mona')
  counts.touched(room)
  const all = { t: 'roomCount', roomid: 7, robots: 0, muted: 0, blacklisted: 0 }
  const three = { ...all, online: 3, people: 3 }
  expect(take()).toEqual([
    { to: 'cara', said: three },
    { to: 'adam', said: three },
  ])
  for (let number = 0; number < 200; number++) {
    enter(`p${number}`)
    counts.touched(room)
  }
  expect([take(), waiting.length]).toEqual([[], 1])
  ring()
  expect(take().map(({ to, said }) => [to, said['online']])).toEqual([
    ['cara', 203],
    ['adam', 203],
  ])
  ring()
  expect([take(), waiting.length]).toEqual([[], 0])
})

it('does not tell again what was told', () => {
  const { room, counts, enter, take, ring } = stage()
  enter('cara')
  counts.touched(room)
  counts.touched(room)
  expect(take()).toHaveLength(1)
  ring()
  expect(take()).toEqual([])
})

it('tells the others of a large room how many are online, and nothing else', () => {
  let large = false
  const { room, counts, enter, take, ring } = stage(() => large)
  enter('cara', 'mona')
  counts.touched(room)
  expect(take().map(({ to }) => to)).toEqual(['cara'])
  large = true
  counts.touched(room)
  ring()
  expect(take()).toEqual([
    { to: 'cara', said: { t: 'roomCount', roomid: 7, online: 2, people: 2, robots: 0, muted: 0, blacklisted: 0 } },
    { to: 'mona', said: { t: 'roomCount', roomid: 7, online: 2 } },
  ])
})

it('forgets an empty room, and is silent when it is closed', () => {
  const { room, counts, enter, take, inside, ring, waiting } = stage()
  enter('cara')
  counts.touched(room)
  ring()
  take()
  inside.clear()
  counts.touched(room)
  expect(take()).toEqual([])
  ring()
  enter('cara')
  counts.touched(room)
  expect(take()).toHaveLength(1)
  counts.close()
  expect(waiting).toEqual([])
  counts.touched(room)
  expect([take(), waiting.length]).toEqual([[], 0])
})

it('figures are sent a second after the last ones, and of each room for itself', () => {
  const { room, counts, enter, waiting, take } = stage()
  enter('cara')
  counts.touched(room)
  expect(waiting.map(({ ms }) => ms)).toEqual([1000])
  counts.touched({ ...room, row: { ...room.row, roomid: 8 } })
  expect(take().map(({ said }) => said['roomid'])).toEqual([7, 8])
})
