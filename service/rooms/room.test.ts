import { describe, expect, it } from 'vitest'
import type { RoomMemberTable, RoomTable } from '../storage/room-tables.ts'
import {
  leadersOf,
  muteReason,
  mutedFor,
  nobody,
  onlineCount,
  roleNames,
  roleNumbers,
  roleOf,
  type Room,
} from './room.ts'

/** A room of cara with these members; `mona` in examples. */
function roomWith(members: Readonly<Record<string, Partial<RoomMemberTable>>>, row: Partial<RoomTable> = {}): Room {
  return {
    row: { roomid: 7, uid: 1, creator: 'cara', valid: 1, muted: 0, ...row } as RoomTable,
    members: new Map(
      Object.entries(members).map(([accid, more]) => [accid, { roomid: 7, accid, updated: 0, ...nobody, ...more }]),
    ),
    memberChanges: 0,
    robots: new Map(),
    inside: new Map(),
    listeners: undefined as never,
    queue: new Map(),
  }
}

describe('the role of somebody', () => {
  it.each([
    [{}, 'temporary'],
    [{ mutedUntil: 9_999_999 }, 'temporary'],
    [{ ordinary: 1 }, 'ordinary'],
    [{ admin: 1, ordinary: 1 }, 'admin'],
    [{ muted: 1, admin: 1 }, 'limited'],
    [{ blacklisted: 1, ordinary: 1 }, 'limited'],
  ] as const)('with %j is %s', (marks, role) => {
    expect(roleOf(roomWith({ mona: marks }), 'mona')).toBe(role)
  })

  it('without a stored state is temporary, and of the creator always creator', () => {
    expect(roleOf(roomWith({}), 'mona')).toBe('temporary')
    expect(roleOf(roomWith({ cara: { muted: 1, blacklisted: 1 } }), 'cara')).toBe('creator')
  })

  it('has a name in answers and a number in lists', () => {
    expect(roleNames).toEqual({
      creator: 'CREATOR',
      admin: 'MANAGER',
      limited: 'LIMITED',
      ordinary: 'COMMON',
      temporary: 'TEMPORARY',
    })
    expect(roleNumbers).toEqual({ limited: -1, ordinary: 0, creator: 1, admin: 2, temporary: 3 })
  })
})

it('a temporary mute lasts whole seconds, the last of which has begun', () => {
  const room = roomWith({ mona: { mutedUntil: 10_000 } })
  expect([8_000, 8_001, 9_000, 9_001, 9_999, 10_000, 20_000].map((now) => mutedFor(room, 'mona', now))).toEqual([
    2, 2, 1, 1, 1, 0, 0,
  ])
  expect(mutedFor(room, 'nobody', 1)).toBe(0)
})

describe('why somebody may not speak', () => {
  const why = (marks: Partial<RoomMemberTable>, row: Partial<RoomTable> = {}, accid = 'mona') =>
    muteReason(roomWith({ mona: marks }, row), accid, 1000)

  it.each([
    [{}, undefined],
    [{ ordinary: 1 }, undefined],
    [{ muted: 1 }, 'muted in the room'],
    [{ muted: 1, mutedUntil: 1001 }, 'muted in the room'],
    [{ blacklisted: 1, muted: 1 }, 'blacklisted from the room'],
    [{ mutedUntil: 1001 }, 'muted in the room for a while'],
    [{ mutedUntil: 1000 }, undefined],
    [{ admin: 1, mutedUntil: 1001 }, undefined],
  ] as const)('with %j is: %s', (marks, reason) => {
    expect(why(marks)).toBe(reason)
  })

  it('in a muted room is that, save for creator and admins, and in a closed one for all', () => {
    const all = 'the whole room is muted'
    expect([why({}, { muted: 1 }), why({ ordinary: 1 }, { muted: 1 })]).toEqual([all, all])
    expect([why({ admin: 1 }, { muted: 1 }), why({}, { muted: 1 }, 'cara')]).toEqual([undefined, undefined])
    expect(why({ mutedUntil: 1001 }, { muted: 1 })).toBe('muted in the room for a while')
    for (const accid of ['mona', 'cara']) expect(why({ admin: 1 }, { valid: 0 }, accid)).toBe('the room is closed')
  })
})

it('a room is led by its creator and admins who are under no measure, the creator once and first', () => {
  const room = roomWith({
    zoe: { admin: 1 },
    cara: { admin: 1 },
    adam: { admin: 1 },
    mute: { admin: 1, muted: 1 },
    mona: { ordinary: 1 },
  })
  expect(leadersOf(room)).toEqual(['cara', 'zoe', 'adam'])
})

it('somebody who is a robot and inside is online once', () => {
  const room = roomWith({})
  const inside = room.inside as Map<string, never>
  const robots = room.robots as Map<string, never>
  for (const accid of ['mona', 'both']) inside.set(accid, {} as never)
  for (const accid of ['both', 'robot']) robots.set(accid, {} as never)
  expect(onlineCount(room)).toBe(3)
})
