import { roomMessageCopy, type CopyClient } from '../../contract/callbacks/copy-builders.ts'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import type { roomMessageTypes } from '../../contract/operations/chatrooms.ts'
import { isSeen, lineText } from '../../contract/seen-text.ts'
import { Refused } from '../refusal.ts'
import { textFrame } from '../link/frame.ts'
import { readAntispamCustom, readBody } from '../messaging/messages/body.ts'
import type { Inside, Room } from './room.ts'
import type { RoomDeliveries } from './room-deliveries.ts'
import type { RoomGate } from './room-gate.ts'
import type { Line, RoomLines } from './room-lines.ts'
import { tellLeaders } from './room-notices.ts'
import type { RoomContext } from './room-context.ts'

/** A line to say (3-chatrooms sendMsg). */
export interface OutgoingLine {
  readonly roomid: number
  readonly from: string
  readonly clientType: CopyClient
  /** The sender's own id: a second line with it is not said again. */
  readonly clientId: string
  readonly type: number
  readonly attach: string
  readonly ext?: string | undefined
  readonly resend?: number | undefined
  /** The word list is applied to `antispamCustom` instead of the line; for signed calls only. */
  readonly antispam?: boolean
  readonly antispamCustom?: string | undefined
  /** The link session that says it and gets no push of it. */
  readonly session?: string | undefined
  /** Where that session comes from (`Client.subnet`). */
  readonly subnet?: string | undefined
}

/** What a frame of a line has besides what its sender gives, in bytes. */
const frameBytes = 256

/** The word list, as far as lines that it catches wait. */
export interface RoomWords {
  read(uid: number): { readonly hold: boolean }
}

/** Says lines for the API and the link alike, and takes them back. */
export interface RoomMessages {
  /** Resolves with the line as it is stored; throws `Refused`: 414 for what is wrong or not there, 403 for who may not speak, 416 in slow mode. */
  say(uid: number, line: OutgoingLine): Promise<Line>
  /** Lets a held line through, or drops it; throws `Refused` 403 where its sender may not be heard now. */
  decide(room: Room, line: Line, allow: boolean): Promise<void>
  /** Deletes a line; those inside see a recall. */
  remove(room: Room, line: Line, operator: string, ext: string | undefined): Promise<void>
}

/** Types whose attach may be anything; the others are JSON by type. */
const freeTypes = new Set([0, 10, 100])

/** Types of which people see nothing but their text. */
const textTypes = new Set([0, 10])
/** Refuses a line of the link of which nothing can be seen: everybody would get an empty one. Signed calls may say what the specification takes. */
function mustBeSeen(type: number, attach: string): void {
  if (textTypes.has(type) && !isSeen(lineText(attach))) throw new Refused(414, 'nothing of the text can be seen')
}

/** What people read of a line; refused with 414 when it has not the shape of its type. Text may be plain, or JSON as in 2-messaging. */
function readAttach(type: number, attach: string): string {
  if (freeTypes.has(type)) {
    // As it stands and unescaped: which of them clients show is theirs to choose.
    const unescaped = readAntispamCustom(attach)
    return unescaped === attach ? attach : `${attach}\n${unescaped}`
  }
  let value: unknown
  try {
    value = JSON.parse(attach)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refused(414, 'attach must be a JSON object')
  return readBody(type, attach)
}

/** A stored line as pushes and the history give it. */
export const lineMembers = (line: Line) => ({
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
/** A stored line as those inside get it, framed once for all of them; a held one goes to those who decide. */
const frameOf = (line: Line, fromExt: string, resend?: number): Buffer =>
  textFrame(
    JSON.stringify({
      t: line.state === 'held' ? 'roomHeld' : 'roomMessage',
      ...lineMembers(line),
      ...(fromExt !== '' && { fromExt }),
      ...(resend !== undefined && { resend }),
    }),
  )

/** Makes the messages of rooms, all of which passes the gate. */
export function createRoomMessages(options: {
  readonly context: RoomContext
  readonly lines: RoomLines
  readonly words: Pick<RoomWords, 'read'>
  readonly gate: Pick<RoomGate, 'speak' | 'requireCanSpeak'>
  readonly deliveries: Pick<RoomDeliveries, 'deliver'>
  /** Whether an account is a guest of the watch page. */
  readonly isGuest: (uid: number, accid: string) => boolean
}): RoomMessages {
  const { context, lines, words, gate, deliveries } = options
  const { registry, accounts, clock } = context.options
  const copyOf = (
    line: Line,
    from: Pick<Inside, 'ext' | 'changed'> | undefined,
    antispam: boolean,
    resend?: number,
  ): RoomCopy =>
    roomMessageCopy({
      roomid: line.roomid,
      from: line.sender,
      nick: line.nick,
      ...(line.avatar !== '' && { avatar: line.avatar }),
      ...(from && from.ext !== '' && { fromExt: from.ext }),
      clientType: line.clientType as CopyClient,
      at: line.at,
      type: line.type as (typeof roomMessageTypes)[number],
      attach: line.attach,
      clientId: line.clientId,
      resend,
      ...(from && { cardChanged: from.changed }),
      ...(line.ext !== '' && { ext: line.ext }),
      antispam,
    })

  return {
    async say(
      uid,
      { roomid, from, clientType, clientId, type, attach, ext = '', resend, antispam, antispamCustom, session, subnet },
    ) {
      const room = context.must(uid, roomid, 414)
      const read = readAttach(type, attach)
      if (subnet !== undefined) mustBeSeen(type, attach)
      context.mustExist(uid, [from], 414)
      const texts =
        antispam && antispamCustom !== undefined
          ? [readAntispamCustom(antispamCustom)]
          : [read, ...(ext === '' ? [] : [readAntispamCustom(ext)])]
      const inside = room.inside.get(from)
      const card = accounts.find(uid, from)
      const told = [attach, ext, clientId, inside?.nick, inside?.avatar, inside?.ext]
      const isGuest = subnet !== undefined && options.isGuest(uid, from)
      const link =
        subnet === undefined
          ? undefined
          : { subnet, isGuest, bytes: frameBytes + Buffer.byteLength(JSON.stringify(told)) }
      const isCaught = gate.speak(room, { from, clientId, texts, link })
      const at = registry.stamp(room)
      const state = isCaught ? (words.read(uid).hold ? 'held' : 'caught') : 'shown'
      const line: Line = {
        line: lines.next(),
        uid,
        roomid,
        sender: from,
        clientId,
        at,
        type,
        attach,
        ext,
        nick: inside?.nick ?? card?.name ?? '',
        avatar: inside?.avatar ?? card?.icon ?? '',
        clientType,
        heldAt: null,
        state,
      }
      const fromExt = inside?.ext ?? ''
      const statEvent = { uid, roomid, accid: from, at, what: 'msgs' } as const
      const first = await lines.write(uid, {
        line,
        copy: copyOf(line, inside, isCaught, resend),
        ...(!isCaught && { statEvent }),
      })
      if (first) return first
      if (state === 'held') tellLeaders(room, frameOf(line, fromExt, resend), session)
      if (isCaught) return line
      // Muted while it was under way: what was not shown by then never is.
      try {
        gate.requireCanSpeak(room, from)
      } catch (error) {
        await lines.withdraw(line)
        throw error
      }
      const tell = (): void => room.listeners.tell(frameOf(line, fromExt, resend), session)
      if (isGuest) deliveries.deliver(room.listeners.size, tell)
      else tell()
      return line
    },
    async decide(room, line, allow) {
      if (allow) gate.requireCanSpeak(room, line.sender)
      // It stands where those inside get it, and so it does for whoever comes later: not among lines that they have read already.
      const change = allow
        ? ({ state: 'shown', at: registry.stamp(room), heldAt: line.at } as const)
        : ({ state: 'caught' } as const)
      const decided: Line = { ...line, ...change }
      await lines.setState(line, change, allow ? copyOf(decided, room.inside.get(line.sender), false) : undefined)
      if (allow) room.listeners.tell(frameOf(decided, ''))
      const held = allow ? { heldAt: line.at } : {}
      tellLeaders(
        room,
        textFrame(JSON.stringify({ t: 'roomDecided', roomid: line.roomid, msgid: String(line.line), allow, ...held })),
      )
    },
    async remove(room, line, operator, ext) {
      await lines.setState(line, { state: 'removed' })
      const { roomid, sender: from, clientId, line: number } = line
      room.listeners.tell(
        textFrame(
          JSON.stringify({
            t: 'roomRecall',
            roomid,
            msgid: String(number),
            from,
            clientId,
            operator,
            at: clock(),
            ...(ext !== undefined && { ext }),
          }),
        ),
      )
    },
  }
}
