import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { openKnownRooms } from './known-rooms.ts'

const [cid, other] = ['a'.repeat(32), 'b'.repeat(32)]
const room = (roomid: number, more: { profileId?: string; name?: string } = {}) => ({
  profileId: 'h',
  roomid,
  name: `room ${roomid}`,
  creator: 'ana',
  ...more,
})

it('keeps which room belongs to which channel of a hosted profile, one to one, over restarts', async () => {
  using folder = scratch()
  const known = await openKnownRooms(folder.dir)
  await known.link('h', cid, 7)
  expect([known.linked('h', cid), known.channelOf('h', 7), known.channelOf('other', 7)]).toEqual([7, cid, undefined])
  await known.link('h', other, 7)
  expect([known.linked('h', cid), known.channelOf('h', 7)]).toEqual([undefined, other])
  await known.link('h', other, 8)
  const again = await openKnownRooms(folder.dir)
  expect([again.channelOf('h', 7), again.channelOf('h', 8)]).toEqual([undefined, other])
  await again.link('h', other, null)
  expect(again.linked('h', other)).toBeUndefined()
})

it('keeps the link of a room of the same number on another profile', async () => {
  using folder = scratch()
  const known = await openKnownRooms(folder.dir)
  await known.link('h', cid, 7)
  await known.link('i', cid, 7)
  await known.link('i', cid, null)
  expect([known.linked('h', cid), known.linked('i', cid)]).toEqual([7, undefined])
})

it('keeps rooms of each profile over restarts, the latest noted first and each once', async () => {
  using folder = scratch()
  const known = await openKnownRooms(folder.dir)
  for (const each of [room(1), room(2), room(1, { profileId: 'i' }), room(1, { name: 'renamed' })])
    await known.noteRoom(each)
  const again = await openKnownRooms(folder.dir)
  expect(again.rooms('h')).toEqual([room(1, { name: 'renamed' }), room(2)])
  expect(again.rooms('i')).toEqual([room(1, { profileId: 'i' })])
})

it('keeps a private note of each person and profile over restarts, until it is replaced or emptied', async () => {
  using folder = scratch()
  const known = await openKnownRooms(folder.dir)
  expect(known.note('h', 'ana')).toBe('')
  await known.setNote('h', 'ana', 'first')
  await known.setNote('h', 'ben', 'of ben')
  await known.setNote('i', 'ana', 'elsewhere')
  await known.setNote('h', 'ana', 'second')
  const again = await openKnownRooms(folder.dir)
  expect([again.note('h', 'ana'), again.note('h', 'ben'), again.note('i', 'ana')]).toEqual([
    'second',
    'of ben',
    'elsewhere',
  ])
  await again.setNote('h', 'ana', '')
  expect([again.note('h', 'ana'), again.note('h', 'ben'), again.note('i', 'ana')]).toEqual(['', 'of ben', 'elsewhere'])
  expect(readFileSync(path.join(folder.dir, 'rooms.json'), 'utf8').match(/"accid"/g)).toHaveLength(2)
})

it('drops the oldest of 1,000 rooms, 1,000 links and 2,000 notes for a new one', async () => {
  using folder = scratch()
  const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
  const document = {
    version: 1,
    rooms: many(1_000, (at) => room(at + 1)),
    links: many(1_000, (at) => ({ profileId: 'h', cid: `c${at}`, roomid: at + 1 })),
    notes: many(2_000, (at) => ({ profileId: 'h', accid: `a${at}`, text: 'kept' })),
  }
  writeFileSync(path.join(folder.dir, 'rooms.json'), JSON.stringify(document))
  const known = await openKnownRooms(folder.dir)
  expect(known.rooms('h')).toHaveLength(1_000)
  await known.noteRoom(room(5_000))
  await known.link('h', 'new', 5_000)
  await known.setNote('h', 'new', 'kept')
  const again = await openKnownRooms(folder.dir)
  const ids = again.rooms('h').map(({ roomid }) => roomid)
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([1_000, 5_000, 999])
  expect([again.linked('h', 'new'), again.linked('h', 'c998'), again.linked('h', 'c999')]).toEqual([
    5_000,
    999,
    undefined,
  ])
  expect([again.note('h', 'new'), again.note('h', 'a1998'), again.note('h', 'a1999')]).toEqual(['kept', 'kept', ''])
})

it('forgets rooms, links and notes of a profile, and no others', async () => {
  using folder = scratch()
  const known = await openKnownRooms(folder.dir)
  for (const profileId of ['h', 'i']) {
    await known.noteRoom(room(7, { profileId }))
    await known.link(profileId, cid, 7)
    await known.setNote(profileId, 'ana', 'text')
  }
  await known.forgetProfile('h')
  const again = await openKnownRooms(folder.dir)
  const of = (profileId: string) => [
    again.rooms(profileId).length,
    again.linked(profileId, cid),
    again.note(profileId, 'ana'),
  ]
  expect([of('h'), of('i')]).toEqual([
    [0, undefined, ''],
    [1, 7, 'text'],
  ])
})

it('begins anew with a damaged file, which is put aside', async () => {
  using folder = scratch()
  mkdirSync(folder.dir, { recursive: true })
  writeFileSync(path.join(folder.dir, 'rooms.json'), '{"version":1,"rooms":[{}],"links":[],"notes":[]}')
  const known = await openKnownRooms(folder.dir)
  expect(known.rooms('h')).toEqual([])
  expect(readdirSync(folder.dir)).not.toContain('rooms.json')
  await known.noteRoom(room(7))
  expect((await openKnownRooms(folder.dir)).rooms('h')).toEqual([room(7)])
})
