import type { WatchOptions } from './watch-routes.ts'

/** The channels of a service as the watch page reads them. */
export interface WatchedChannels {
  get(cid: string):
    | {
        readonly row: { readonly uid: number; readonly name: string; readonly disabled: number }
        readonly since: number | undefined
      }
    | undefined
}
/** The rooms of a service as the watch page reads them. */
export interface WatchedRooms {
  ofChannel(uid: number, cid: string): { readonly row: StoredRoom } | undefined
}
interface StoredRoom {
  readonly roomid: number
  readonly name: string
  readonly announcement: string
  readonly valid: number
  readonly muted: number
}

/** What viewers may know of channels and of the rooms that are linked to them. */
export const watched = (channels: WatchedChannels, rooms: WatchedRooms): Pick<WatchOptions, 'channel' | 'room'> => ({
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
