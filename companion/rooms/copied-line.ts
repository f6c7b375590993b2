import { createHash } from 'node:crypto'
import { copyTypeNames } from '../../contract/callbacks/copy-builders.ts'
import type { RoomPush } from '../../contract/rpc/index.ts'

/** A line of a room, as the link of the embedded service pushes it. */
export type SaidLine = RoomPush & { t: 'roomMessage' }

/** Characters of a line's content: the 4,096 of the specification (3-chatrooms Limits), and as much again for what a notification names. */
const maxAttach = 8192
/** Characters of a nickname, an avatar's address and an extension; what is longer is left out, or cut in the case of a nickname. */
const most = { accid: 64, nick: 128, avatar: 1024, ext: 4096 }
/** How far a sender's clock may be ahead in ms: a line from further on would stand last for good. */
const maxAhead = 300_000
const types = new Map(Object.entries(copyTypeNames).map(([type, name]) => [name as string, Number(type)]))
const roomShape = /^[1-9][0-9]{0,15}$/
const timeShape = /^[1-9][0-9]{0,15}$/

/** The id of a line within its room, where only its sender's own id of it is known: the same for a copy that comes again and for a line that was said here. */
export const copiedId = (from: string, clientId: string): string =>
  `c${createHash('sha256').update(`${from}\n${clientId}`).digest('hex').slice(0, 31)}`

/**
 * Reads the fields of a copy of a room's line (3-chatrooms eventType 4) that came at `now`, in ms. Absent fields are no fault, except the room
 * and the content; undefined when those are missing or longer than a line may be.
 */
export function readCopiedLine(fields: Readonly<Record<string, string>>, now: number): SaidLine | undefined {
  const { roomId = '', attach, msgTimestamp = '', msgType = '', fromClientType = '', fromAvator, fromExt, ext } = fields
  const roomid = Number(roomId)
  if (!roomShape.test(roomId) || !Number.isSafeInteger(roomid) || attach === undefined || attach.length > maxAttach)
    return undefined
  const from = (fields['fromAccount'] ?? '').slice(0, most.accid).toLowerCase()
  const clientId = fields['msgidClient'] ?? ''
  const given = timeShape.test(msgTimestamp) ? Number(msgTimestamp) : now
  // Without an id of its own it is known by what it says and when.
  const own = clientId || fields['msgidServer'] || `${msgTimestamp}\n${msgType}\n${attach}`
  const kept = (name: 'fromAvatar' | 'fromExt' | 'ext', value: string | undefined, limit: number) =>
    value && value.length <= limit ? { [name]: value } : {}
  return {
    t: 'roomMessage',
    roomid,
    msgid: copiedId(from, own),
    at: Math.min(given, now + maxAhead),
    from,
    fromNick: (fields['fromNick'] ?? '').slice(0, most.nick).toWellFormed(),
    fromClientType: fromClientType.slice(0, 16),
    // A kind that has no number of its own is shown by its content.
    type: types.get(msgType) ?? 100,
    attach,
    ...kept('fromAvatar', fromAvator, most.avatar),
    ...kept('fromExt', fromExt, most.ext),
    ...kept('ext', ext, most.ext),
    ...(clientId !== '' && clientId.length <= 128 && { clientId }),
  }
}
