import { createHash } from 'node:crypto'
import { copyTypeNames } from '../../contract/callbacks/copy-builders.ts'
import type { RoomPush } from '../../contract/rpc/index.ts'

/** A line of a room, as pushed by the link. */
export type SaidLine = RoomPush & { t: 'roomMessage' }

/** Characters: 4,096 (3-chatrooms Limits), and as much for names in notifications. */
const maxAttach = 8192
/** Characters; longer nicknames are cut, others omitted. */
const most = { accid: 64, nick: 128, avatar: 1024, ext: 4096 }
/** In ms: a line of a faster clock would stay last. */
const maxAhead = 300_000
const types = new Map(Object.entries(copyTypeNames).map(([type, name]) => [name as string, Number(type)]))
const roomShape = /^[1-9][0-9]{0,15}$/
const timeShape = /^[1-9][0-9]{0,15}$/

/** A line's id from its sender's id: the same for repeated copies. */
export const copiedId = (from: string, clientId: string): string =>
  `c${createHash('sha256').update(`${from}\n${clientId}`).digest('hex').slice(0, 31)}`

/** Reads a copied line (3-chatrooms eventType 4); undefined without room or content, or if too long. */
export function readCopiedLine(fields: Readonly<Record<string, string>>, now: number): SaidLine | undefined {
  const { roomId = '', attach, msgTimestamp = '', msgType = '', fromClientType = '', fromAvator, fromExt, ext } = fields
  const roomid = Number(roomId)
  if (!roomShape.test(roomId) || !Number.isSafeInteger(roomid) || attach === undefined || attach.length > maxAttach)
    return undefined
  const from = (fields['fromAccount'] ?? '').slice(0, most.accid).toLowerCase()
  const clientId = fields['msgidClient'] ?? ''
  const given = timeShape.test(msgTimestamp) ? Number(msgTimestamp) : now
  // Without an id: by content and time.
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
    // Unknown kinds are shown by content.
    type: types.get(msgType) ?? 100,
    attach,
    ...kept('fromAvatar', fromAvator, most.avatar),
    ...kept('fromExt', fromExt, most.ext),
    ...kept('ext', ext, most.ext),
    ...(clientId !== '' && clientId.length <= 128 && { clientId }),
  }
}
