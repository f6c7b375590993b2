import type { RoomTable } from '../storage/room-tables.ts'
import type { Room } from './room.ts'

/** Makes empty indexes of rooms for the queries on them. */
export function createRoomIndex() {
  /** Per application, by time of creation. */
  const inOrder = new Map<number, Room[]>()
  const byChannel = new Map<string, Set<Room>>()
  const open = new Map<string, number>()
  const creatorOf = ({ uid, creator }: RoomTable): string => `${uid} ${creator}`
  const channelOf = ({ uid, cid }: Pick<RoomTable, 'uid' | 'cid'>): string => `${uid} ${cid}`

  const add = (room: Room): void => {
    const { uid, created } = room.row
    const rooms = inOrder.get(uid)
    if (!rooms) return void inOrder.set(uid, [room])
    // Rooms made at once may arrive out of order.
    let place = rooms.length
    while (place > 0 && rooms[place - 1]!.row.created > created) place--
    rooms.splice(place, 0, room)
  }
  const unindex = (room: Room, row: RoomTable): void => {
    if (row.valid === 1) {
      const key = creatorOf(row)
      const left = open.get(key)! - 1
      if (left > 0) open.set(key, left)
      else open.delete(key)
    }
    if (row.cid === null) return
    const linked = byChannel.get(channelOf(row))
    linked?.delete(room)
    if (linked?.size === 0) byChannel.delete(channelOf(row))
  }
  const index = (room: Room, row: RoomTable): void => {
    if (row.valid === 1) open.set(creatorOf(row), (open.get(creatorOf(row)) ?? 0) + 1)
    if (row.cid === null) return
    const linked = byChannel.get(channelOf(row))
    if (linked) linked.add(room)
    else byChannel.set(channelOf(row), new Set([room]))
  }

  return {
    /** Adds or updates a room; `before` is its old row. */
    put(room: Room, before: RoomTable | undefined): void {
      if (before) unindex(room, before)
      else add(room)
      index(room, room.row)
    },
    /** Rooms made before a time in ms, newest first. */
    newest(uid: number, before: number | undefined, limit: number): Room[] {
      const rooms = inOrder.get(uid) ?? []
      let [low, high] = [0, rooms.length]
      while (before !== undefined && low < high) {
        const middle = (low + high) >> 1
        if (rooms[middle]!.row.created < before) low = middle + 1
        else high = middle
      }
      const end = before === undefined ? rooms.length : low
      return rooms.slice(Math.max(0, end - limit), end).reverse()
    },
    ofChannel: (uid: number, cid: string): Room | undefined =>
      byChannel.get(channelOf({ uid, cid }))?.values().next().value,
    openOf: (uid: number, creator: string): number => open.get(`${uid} ${creator}`) ?? 0,
  }
}
