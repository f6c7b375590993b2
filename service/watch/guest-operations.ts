import { local } from '../../contract/operations/index.ts'
import { serve, type Served } from '../http/dispatch.ts'
import { Refused } from '../refusal.ts'
import type { Guests } from './guests.ts'

/** What this operation reads of rooms. */
export interface OwnedRooms {
  get(roomid: number): { readonly row: { readonly uid: number } } | undefined
}

/** The operation that turns guests of a room on and off. */
export const guestOperations = (guests: Pick<Guests, 'allow'>, rooms: OwnedRooms): Served[] => [
  serve(local.guests, async ({ roomid, allow }, { application: { uid } }) => {
    const room = rooms.get(roomid)
    if (!room) throw new Refused(local.guests.unknown, 'there is no such room', 'missing')
    if (room.row.uid !== uid) throw new Refused(local.guests.foreign, 'the room belongs to another application')
    await guests.allow(roomid, allow)
    return {}
  }),
]
