import type { Channels } from '../channels/channels.ts'
import type { RoomRegistry } from '../rooms/rooms-registry.ts'
import type { WatchEntry } from '../access/watch-entry.ts'
import type { Guests } from './guests.ts'
import type { WatchOptions } from './watch-routes.ts'

/** What viewers may know of channels and of the rooms linked to them. */
export const watched = (
  channels: Pick<Channels, 'get'>,
  rooms: Pick<RoomRegistry, 'ofChannel'>,
  /** Start of a push that is over, and whose rest viewers still get. */
  restOf: (cid: string) => number | undefined = () => undefined,
): Pick<WatchOptions, 'channel' | 'room'> => ({
  channel(cid) {
    const found = channels.get(cid)
    return (
      found && {
        uid: found.row.uid,
        name: found.row.name,
        disabled: found.row.disabled === 1,
        since: found.since ?? restOf(cid),
      }
    )
  },
  room(uid, cid) {
    const row = rooms.ofChannel(uid, cid)?.row
    return (
      row && {
        roomid: row.roomid,
        name: row.name,
        announcement: row.announcement,
        open: row.valid === 1,
        muted: row.muted === 1,
      }
    )
  },
})

/** Whether what a guest asks of its room is of a channel that it may watch. Others than guests may. */
export const guestsMayWatch =
  (options: {
    readonly guests: Pick<Guests, 'find'>
    readonly rooms: Pick<RoomRegistry, 'get'>
    readonly entry: Pick<WatchEntry, 'guestMay'>
  }) =>
  (uid: number, accid: string): boolean => {
    const guest = options.guests.find(uid, accid)
    const cid = guest && options.rooms.get(guest.roomid)?.row.cid
    return guest === undefined || !cid || options.entry.guestMay(uid, accid, cid)
  }
