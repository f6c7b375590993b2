import { expect, it } from 'vitest'
import type { RoomMemberTable, RoomTable } from '../storage/room-tables.ts'
import { nobody, type Inside, type Room } from './room.ts'
import { sessionsThatKnow, tellLeaders } from './room-notices.ts'

/** Accounts inside that must not be iterated. */
class Crowd extends Map<string, Inside> {
  override [Symbol.iterator](): never {
    throw new Error('everybody inside was looked at')
  }
}
function stage() {
  const told: string[] = []
  const inside = new Crowd()
  const members = new Map<string, RoomMemberTable>()
  const room = {
    row: { roomid: 7, uid: 1, creator: 'cara' } as RoomTable,
    memberChanges: 0,
    members,
    robots: new Map(),
    inside,
    queue: new Map(),
  }
  const member = (accid: string, more: Partial<RoomMemberTable>): void => {
    members.set(accid, { roomid: 7, accid, updated: 0, ...nobody, ...more })
    room.memberChanges++
  }
  for (const accid of ['cara', 'adam', 'mona', 'nora']) {
    const sessions = new Map(
      [1, 2].map((number) => [`${accid}${number}`, { write: () => void told.push(`${accid}${number}`) }]),
    )
    inside.set(accid, { accid, nick: '', avatar: '', ext: '', entered: 1, changed: 1, sessions })
  }
  return { room: room as unknown as Room, member, told: () => told.splice(0) }
}

it('creator and admins are told as they are at that moment, and nobody else inside is looked at', () => {
  const { room, member, told } = stage()
  tellLeaders(room, Buffer.alloc(1))
  expect(told()).toEqual(['cara1', 'cara2'])
  member('adam', { admin: 1 })
  member('absent', { admin: 1 })
  member('mona', { ordinary: 1 })
  tellLeaders(room, Buffer.alloc(1), 'cara2')
  expect(told()).toEqual(['cara1', 'adam1', 'adam2'])
  member('adam', { admin: 1, muted: 1 })
  tellLeaders(room, Buffer.alloc(1))
  expect(told()).toEqual(['cara1', 'cara2'])
})

it('what is confidential of somebody is known to who leads and to themselves, and nobody else inside is looked at', () => {
  const { room, member } = stage()
  member('adam', { admin: 1 })
  expect([...sessionsThatKnow(room, ['mona', 'cara', 'gone'])].toSorted()).toEqual([
    'adam1',
    'adam2',
    'cara1',
    'cara2',
    'mona1',
    'mona2',
  ])
})
