import type { Rooms } from './rooms.ts'

/** Pages of rooms that are looked through. */
const maxPages = 100

/** The channel that a room is linked to now; null for none. Throws Failure. */
export async function channelOf(rooms: Pick<Rooms, 'list'>, profileId: string, roomid: number): Promise<string | null> {
  let before: number | undefined
  for (let page = 0; page < maxPages; page++) {
    const { rooms: list, next } = await rooms.list(profileId, before)
    const room = list.find((each) => each.roomid === roomid)
    if (room) return room.cid
    if (next === null) return null
    before = next
  }
  return null
}
