import { expect, it } from 'vitest'
import { createListedRoom } from './listed-room.ts'

/** Rooms made at 1, 2, …, the newest first, ten in a part. */
let made = 95
let calls = 0
const list = (_profileId: string, before = Infinity) => {
  calls += 1
  const ids = Array.from({ length: made }, (_, index) => made - index).filter((id) => id < before)
  const rooms = ids
    .slice(0, 10)
    .map((roomid) => ({ roomid, name: `Room ${roomid}`, creator: 'ann', valid: true, online: 0, cid: null }))
  return Promise.resolve({ complete: true, next: rooms.length === 10 ? rooms.at(-1)!.roomid : null, rooms })
}

it('finds a room far down the list, and then with one call, also when others were made since', async () => {
  const roomOf = createListedRoom(list)
  expect((await roomOf('local', 7))?.name).toBe('Room 7')
  expect(calls).toBe(9)
  calls = 0
  made = 123
  for (let time = 0; time < 3; time++) expect((await roomOf('local', 7))?.name).toBe('Room 7')
  expect(calls).toBe(3)
})

it('finds one that is on the first part, and says when there is none', async () => {
  const roomOf = createListedRoom(list)
  calls = 0
  expect((await roomOf('local', made))?.roomid).toBe(made)
  expect(calls).toBe(1)
  expect(await roomOf('local', 9_999)).toBeUndefined()
})
