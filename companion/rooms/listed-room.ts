import type { ListedRoom } from '../../contract/rpc/index.ts'
import type { Rooms } from './rooms.ts'

/** Places in the list that are remembered; the oldest goes. */
const maxPlaces = 1_000

/** Makes the search for one room in the list of a profile's rooms; undefined when it is not there. Rooms are listed by when they were made, so a place that was found once is still right. */
export function createListedRoom(
  list: Rooms['list'],
): (profileId: string, roomid: number) => Promise<ListedRoom | undefined> {
  /** By room, the time before which the part of the list begins that has it; null for the first part. */
  const places = new Map<string, number | null>()
  return async (profileId, roomid) => {
    const key = `${profileId} ${roomid}`
    const part = (before: number | null) => list(profileId, before ?? undefined)
    const place = places.get(key)
    if (place !== undefined) {
      const found = (await part(place)).rooms.find((room) => room.roomid === roomid)
      if (found) return found
    }
    for (let before: number | null = null; ;) {
      const { rooms, next } = await part(before)
      const found = rooms.find((room) => room.roomid === roomid)
      if (found) {
        places.delete(key)
        if (places.size >= maxPlaces) places.delete(places.keys().next().value ?? '')
        places.set(key, before)
        return found
      }
      if (next === null) return undefined
      before = next
    }
  }
}
