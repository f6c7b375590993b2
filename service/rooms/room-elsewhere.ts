import { roomNotices } from '../../contract/catalogue/notices.ts'
import { inBackground } from '../background.ts'
import type { Log } from '../log.ts'
import type { EntryPlace, Presence } from '../presence/presence.ts'
import type { Room } from './room.ts'
import type { RoomContext } from './room-context.ts'
import type { InsideElsewhere } from './rooms-registry.ts'

/** Who is inside rooms at other services. */
export interface RoomElsewhere {
  /** What `read` answers once all services have heard who entered and left here so far. */
  inOrder<T>(read: () => T): Promise<T>
  /** Whether an account is inside at another service. */
  has(room: Room, accid: string): boolean
}

/** Tells other services who is inside by this one, and has the registry know who is inside by others. */
export function createRoomElsewhere(options: {
  readonly presence: Presence
  readonly context: RoomContext
  readonly log: Pick<Log, 'warn'>
}): RoomElsewhere {
  const { presence, context, log } = options
  const { registry, counts } = context.options
  const roomidOf = (key: string): number => Number(key.slice(0, key.indexOf(' ')))
  const placeOf = ({ node, key }: EntryPlace): string => `${node} ${key}`

  const touched = (roomid: number): void => {
    const room = registry.get(roomid)
    if (room && room.listeners.size > 0) counts.touched(room)
  }
  /** A service that was lost cannot say it itself. */
  const sayLeft = (room: Room, accid: string, operatorNick: string): void =>
    inBackground(
      context.commit(room, {}, [
        { id: roomNotices.left, operator: accid, operatorNick, clientType: 'REST', target: [accid] },
      ]),
      log,
      'announcing who was inside by another service',
    )
  const kind = presence.kind<InsideElsewhere>('room', {
    came(from, entry) {
      const roomid = roomidOf(from.key)
      registry.enteredElsewhere(roomid, placeOf(from), entry)
      touched(roomid)
    },
    gone(from, { accid }, isOurs) {
      const roomid = roomidOf(from.key)
      const room = registry.get(roomid)
      const nick = room && isOurs ? context.nickOf(room, accid) : ''
      const isOutside = registry.leftElsewhere(roomid, placeOf(from), accid)
      if (room && isOutside && isOurs) sayLeft(room, accid, nick)
      touched(roomid)
    },
  })
  registry.onSessions({
    entered: (roomid, session, entry) => kind.put(`${roomid} ${session}`, entry),
    left: (roomid, session) => kind.remove(`${roomid} ${session}`),
  })
  return { inOrder: presence.inOrder, has: (room, accid) => registry.isElsewhere(room, accid) }
}
