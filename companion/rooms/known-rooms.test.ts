import { expect, it } from 'vitest'
import { scratch } from '../testing/rig.ts'
import { openKnownRooms } from './known-rooms.ts'

const [cid, other] = ['a'.repeat(32), 'b'.repeat(32)]

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
