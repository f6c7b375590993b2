import type { RoomLineTable } from '../storage/room-tables.ts'

/** A line in pushes and history. */
export const lineMembers = (line: Readonly<RoomLineTable>) => ({
  roomid: line.roomid,
  msgid: String(line.line),
  at: line.at,
  from: line.sender,
  fromNick: line.nick,
  ...(line.avatar !== '' && { fromAvatar: line.avatar }),
  fromClientType: line.clientType,
  type: line.type,
  attach: line.attach,
  ...(line.ext !== '' && { ext: line.ext }),
  clientId: line.clientId,
})
/** The text of a line's frame; held ones go to leaders. */
export const textOf = (line: Readonly<RoomLineTable>, fromExt: string, resend?: number): string =>
  JSON.stringify({
    t: line.state === 'held' ? 'roomHeld' : 'roomMessage',
    ...lineMembers(line),
    ...(fromExt !== '' && { fromExt }),
    ...(resend !== undefined && { resend }),
  })
