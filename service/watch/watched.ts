import type { Channels } from '../channels/channels.ts'
import type { DelayedLines } from '../delay/delayed-lines.ts'
import type { RoomRegistry } from '../rooms/rooms-registry.ts'
import type { GuestsHere, WatchEntry } from '../access/watch-entry.ts'
import type { Sessions } from '../link/sessions.ts'
import type { Guests } from './guests.ts'
import type { WatchOptions } from './watch-routes.ts'

/** What viewers may know of channels and of the rooms linked to them. */
export const watched = (
  channels: Pick<Channels, 'get'>,
  rooms: Pick<RoomRegistry, 'ofChannel'>,
  /** Start of a push that is over, and whose rest viewers still get; and when they had that of the last one. */
  lines: Pick<DelayedLines, 'restOf' | 'endOf'>,
): Pick<WatchOptions, 'channel' | 'room'> => ({
  channel(cid) {
    const found = channels.get(cid)
    return (
      found && {
        uid: found.row.uid,
        name: found.row.name,
        disabled: found.row.disabled === 1,
        since: found.since ?? lines.restOf(cid),
        // A push has the next title until its broadcast is stored; its rest has that of the broadcast that it was of.
        title: found.since !== undefined && found.broadcastId === undefined ? found.nextTitle : found.title,
        ended: lines.endOf(cid),
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

/** Whether the room of a guest is of a channel that it may watch. Others than guests may. */
export const guestsMayWatch =
  (options: {
    readonly guests: Pick<Guests, 'find' | 'passOf'>
    readonly rooms: Pick<RoomRegistry, 'get'>
    readonly entry: Pick<WatchEntry, 'guestMay' | 'guestCame'>
  }) =>
  /** `token`: it logs in with that, which is right. */
  (uid: number, accid: string, token?: string): boolean => {
    const { guests, rooms, entry } = options
    const guest = guests.find(uid, accid)
    const cid = guest && rooms.get(guest.roomid)?.row.cid
    if (!cid) return true
    if (token !== undefined) entry.guestCame(uid, accid, cid, guests.passOf(uid, accid, token))
    return entry.guestMay(uid, accid, cid)
  }

/** Guests who are connected to this service, with the channels to which their rooms belong. */
export const guestsHere = (options: {
  readonly guests: Pick<Guests, 'find'>
  readonly rooms: Pick<RoomRegistry, 'get' | 'onLinked'>
  readonly sessions: Pick<Sessions, 'all' | 'of' | 'kick'>
}): GuestsHere => {
  const { guests, rooms, sessions } = options
  return {
    *all() {
      for (const { uid, accid, isGuest } of sessions.all()) {
        const cid = isGuest ? rooms.get(guests.find(uid, accid)?.roomid ?? 0)?.row.cid : undefined
        if (cid) yield { uid, accid, cid }
      }
    },
    has: (uid, accid) => sessions.of(uid, accid).length > 0,
    end: (uid, accid) => void sessions.kick(uid, accid, 'ended'),
    onLinked: rooms.onLinked,
  }
}
