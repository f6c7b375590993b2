import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { RoomLineTable, RoomMemberTable } from '../storage/room-tables.ts'
import { nobody } from './room.ts'
import { isWorthKeeping, loadRooms, writeRoom } from './rooms-store.ts'
import { startStoredRoom, type StoredRoom } from './testing/stored-room.ts'

let rig: StoredRoom
beforeEach(async () => {
  rig = await startStoredRoom()
  onTestFinished(() => rig.close())
})
const member = (accid: string, more: Partial<RoomMemberTable>): RoomMemberTable => ({
  roomid: 7,
  accid,
  updated: 5,
  ...nobody,
  ...more,
})
const load = () => loadRooms(rig.store.db)
const write = (change: Parameters<typeof writeRoom>[2], roomid = 7) => writeRoom(rig.store.db, roomid, change)

it.each([
  [{}, false],
  [{ admin: 1 }, true],
  [{ ordinary: 1 }, true],
  [{ blacklisted: 1 }, true],
  [{ muted: 1 }, true],
  [{ mutedUntil: 1 }, true],
  [{ mutedBy: 'cara' }, false],
] as const)('a member with %j is kept: %s', (marks, expected) => {
  expect(isWorthKeeping(member('mona', marks))).toBe(expected)
})

describe('a change of a room', () => {
  it('of a member is its new row, and no row where nothing is left of it, in that room only', async () => {
    await write({ room: { ...rig.room.row, roomid: 8 } }, 8)
    await write({ member: { ...member('mona', { admin: 1 }), roomid: 8 } }, 8)
    await write({ member: member('mona', { admin: 1 }) })
    await write({ member: member('mona', { muted: 1, updated: 6 }) })
    const members = async () =>
      (await load()).members.map(({ roomid, admin, muted, updated }) => [roomid, admin, muted, updated]).toSorted()
    expect(await members()).toEqual([
      [7, 0, 1, 6],
      [8, 1, 0, 5],
    ])
    await write({ member: member('mona', {}) })
    expect(await members()).toEqual([[8, 1, 0, 5]])
  })

  it('of robots takes out those that are named and puts in others, in that room only', async () => {
    const robot = (accid: string, roomid = 7) => ({ roomid, accid, ext: accid, entered: 1 })
    await write({ robots: [robot('a'), robot('b')] })
    await write({ robots: [robot('a', 8)] }, 8)
    await write({ robotsOut: ['a'], robots: [robot('c')] })
    expect((await load()).robots.map(({ roomid, accid }) => [roomid, accid]).toSorted()).toEqual([
      [7, 'b'],
      [7, 'c'],
      [8, 'a'],
    ])
  })

  it('of the queue keeps the places in which elements are read, in that room only', async () => {
    const element = (key: string, place: number, value = 'x', roomid = 7) => ({ roomid, element: key, value, place })
    await write({ element: element('late', 9) })
    await write({ element: element('early', 1) })
    await write({ element: element('late', 2, 'changed') })
    await write({ element: element('early', 1, 'x', 8) }, 8)
    const elements = async () =>
      (await load()).elements.map(({ roomid, element: key, value, place }) => [roomid, key, value, place])
    expect(await elements()).toEqual([
      [7, 'early', 'x', 1],
      [7, 'late', 'changed', 2],
      [8, 'early', 'x', 1],
    ])
    await write({ elementOut: 'early' })
    await write({ clearsQueue: true, element: element('first', 1) })
    expect(await elements()).toEqual([
      [7, 'first', 'x', 1],
      [8, 'early', 'x', 1],
    ])
  })
})

it('of the lines of a room the time of the latest shown one is read, and none of a room without one', async () => {
  const line = (number: number, at: number, state: RoomLineTable['state'], roomid = 7): RoomLineTable => ({
    line: number,
    uid: 1,
    roomid,
    sender: 'mona',
    clientId: String(number),
    at,
    type: 0,
    attach: '',
    ext: '',
    nick: '',
    avatar: '',
    clientType: 'WEB',
    heldAt: null,
    state,
  })
  await write({ room: { ...rig.room.row, roomid: 8 } }, 8)
  await rig.store.db
    .insertInto('roomLine')
    .values([
      line(1, 300, 'shown'),
      line(2, 200, 'shown'),
      line(3, 900, 'held'),
      line(4, 950, 'removed'),
      line(5, 999, 'caught', 8),
    ])
    .execute()
  expect((await load()).lastLines).toEqual([{ roomid: 7, at: 300 }])
})
