import type { EventHub } from '../hub/event-hub.ts'
import type { Moderators } from '../moderators/moderators.ts'
import type { RoomMedia } from '../rooms/room-media.ts'
import type { Rooms } from '../rooms/rooms.ts'
import { forwarded } from './forward.ts'
import type { RpcImplementer } from './implementer.ts'
import { panelFor } from './seat-gate.ts'

/** Procedures of rooms. */
export function roomsRouter(
  os: RpcImplementer['rooms'],
  ports: {
    readonly rooms: Rooms
    readonly roomMedia: RoomMedia
    readonly moderators: Pick<Moderators, 'relinked'>
    readonly hub: Pick<EventHub, 'post'>
  },
) {
  const { rooms } = ports

  return {
    ...forwarded('rooms', os, rooms),
    list: os.list.handler(async ({ input: { profileId, before }, context: { connection } }) => {
      if (!connection.seat) return rooms.list(profileId, before)
      const own = await rooms.find(profileId, connection.seat.roomid)
      return { complete: true, next: null, rooms: own ? [own] : [] }
    }),
    link: os.link.handler(async ({ input }) => {
      const { profileId, cid, roomid } = input
      await rooms.link(profileId, cid, roomid)
      // What viewers have is another room now, or none.
      ports.hub.post({ type: 'chat', profileId, cid })
      await ports.moderators.relinked(profileId)
    }),
    switchChat: os.switchChat.handler(async ({ input }) => {
      const { profileId, cid } = input
      try {
        return await rooms.switchChat(input)
      } finally {
        // Also of what was cut short.
        ports.hub.post({ type: 'chat', profileId, cid })
        await ports.moderators.relinked(profileId)
      }
    }),
    enter: os.enter.handler(async ({ input, context: { connection } }) =>
      panelFor(await rooms.enter(input.profileId, input.roomid, input.renew), connection.seat),
    ),
    // Others use the app's session too.
    leave: os.leave.handler(({ input, context: { connection } }) =>
      connection.seat ? undefined : rooms.leave(input.profileId, input.roomid),
    ),
    panels: os.panels.handler(({ input, context: { connection } }) =>
      rooms
        .panels(input.profileId)
        .filter(({ roomid }) => !connection.seat || connection.seat.roomid === roomid)
        .map((panel) => panelFor(panel, connection.seat)),
    ),
    // Refused actions are not noted.
    say: os.say.handler(async ({ input, context: { connection } }) => {
      const said = await rooms.say(input.profileId, input.roomid, input.text, connection.seat?.accid)
      connection.seat?.did('say')
      return said
    }),
    act: os.act.handler(async ({ input, context: { connection } }) => {
      const done = await rooms.act(input, connection.seat?.accid)
      connection.seat?.did(input.measure.kind)
      return done
    }),
    second: os.second.handler(({ input }) => ports.roomMedia.second(input.profileId, input.roomid, input.at)),
  }
}
