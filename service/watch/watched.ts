import type { Channels } from '../channels/channels.ts'
import type { RoomRegistry } from '../rooms/rooms-registry.ts'
import type { WatchOptions } from './watch-routes.ts'

/** What viewers may know of channels and of the rooms linked to them. */
export const watched = (
  channels: Pick<Channels, 'get'>,
  rooms: Pick<RoomRegistry, 'ofChannel'>,
): Pick<WatchOptions, 'channel' | 'room'> => ({
  channel(cid) {
    const found = channels.get(cid)
    return found && { uid: found.row.uid, name: found.row.name, disabled: found.row.disabled === 1, since: found.since }
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
