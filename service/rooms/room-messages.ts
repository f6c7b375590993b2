import { roomMessageCopy, type ClientKind } from '../../contract/callbacks/copy-builders.ts'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import type { roomMessageTypes } from '../../contract/operations/chatrooms.ts'
import { isSeen, lineText } from '../../contract/seen-text.ts'
import { Refused } from '../refusal.ts'
import { readAntispamCustom, readBody } from '../messages/body.ts'
import { textOf } from './line-text.ts'
import type { Inside, Room } from './room.ts'
import type { RoomGate } from './room-gate.ts'
import type { Line, NewLine, RoomLines } from './room-lines.ts'
import type { RoomContext } from './room-context.ts'

/** A line to say (3-chatrooms sendMsg). */
export interface OutgoingLine {
  readonly roomid: number
  readonly from: string
  readonly clientType: ClientKind
  readonly clientId: string
  readonly type: number
  readonly attach: string
  readonly ext?: string | undefined
  readonly resend?: number | undefined
  /** Apply the word list to `antispamCustom` instead; signed calls only. */
  readonly antispam?: boolean
  readonly antispamCustom?: string | undefined
  /** The sending session, which gets no push. */
  readonly session?: string | undefined
  /** Address of that session (`Client.subnet`). */
  readonly subnet?: string | undefined
}

/** How long a line is told again when it is said again, in ms: as long as clients try. */
const toldAgainFor = 60_000
/** Overhead of a line's frame, in bytes. */
const frameBytes = 256

/** Whether caught lines are held. */
export interface RoomWords {
  read(uid: number): { readonly hold: boolean }
}

/** Says and removes lines, for API and link. */
export interface RoomMessages {
  /** Resolves with the stored line. Throws `Refused`: 414 invalid, 403 may not speak, 416 too fast. */
  say(uid: number, line: OutgoingLine): Promise<Line>
  /** Releases or drops a held line; throws `Refused` 403 if its sender may not speak now. */
  decide(room: Room, line: Line, allow: boolean): Promise<void>
  /** Deletes a line; those inside get a recall. */
  remove(room: Room, line: Line, operator: string, ext: string | undefined): Promise<void>
}

/** Types with any attach; others are JSON. */
const freeTypes = new Set([0, 10, 100])

/** Types of which only the text is visible. */
const textTypes = new Set([0, 10])
/** Refuses an invisible line of the link. Signed calls may say what the specification allows. */
function mustBeSeen(type: number, attach: string): void {
  if (textTypes.has(type) && !isSeen(lineText(attach))) throw new Refused(414, 'nothing of the text can be seen')
}

/** Visible texts of a line; 414 if the format is not that of its type. Text may be plain, or JSON as in 2-messaging. */
function readAttach(type: number, attach: string): string {
  if (freeTypes.has(type)) {
    // Both escaped and unescaped, as clients differ.
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

/** Makes the messages of rooms, all checked by the gate. */
export function createRoomMessages(options: {
  readonly context: RoomContext
  readonly lines: RoomLines
  readonly words: Pick<RoomWords, 'read'>
  readonly gate: Pick<RoomGate, 'speak' | 'requireCanSpeak'> & Partial<Pick<RoomGate, 'speakTogether'>>
  readonly isGuest: (uid: number, accid: string) => boolean
}): RoomMessages {
  const { context, lines, words, gate } = options
  const { registry, accounts, clock } = context.options
  const copyOf = (
    line: NewLine,
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
      clientType: line.clientType as ClientKind,
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
      const spoken = { from, clientId, texts, link }
      const isCaught = gate.speakTogether ? await gate.speakTogether(room, spoken) : gate.speak(room, spoken)
      const at = registry.stamp(room)
      const state = isCaught ? (words.read(uid).hold ? 'held' : 'caught') : 'shown'
      const said: NewLine = {
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
      const { line, isRepeated } = await lines.write(uid, {
        line: said,
        copy: copyOf(said, inside, isCaught, resend),
        ...(!isCaught && { statEvent }),
      })
      const text = textOf(line, fromExt, resend)
      const toAll = { to: 'all', text, without: session, line: line.line, ...(isGuest && { isGuests: true }) } as const
      if (isRepeated) {
        // Whoever stored it may have ended before it told it. Lines that waited for a moderator are told otherwise.
        if (line.state === 'shown' && line.heldAt === null && at - line.at < toldAgainFor)
          context.tellAgain(room, toAll)
        return line
      }
      if (state === 'held') context.tell(room, { to: 'leaders', text, without: session })
      if (isCaught) return line
      // A line whose sender was muted before it was shown is not shown.
      try {
        gate.requireCanSpeak(room, from)
      } catch (error) {
        await lines.withdraw(line)
        throw error
      }
      context.tell(room, toAll)
      return line
    },
    async decide(room, line, allow) {
      if (allow) gate.requireCanSpeak(room, line.sender)
      // A released line is positioned when it is shown, not among lines already read.
      const change = allow
        ? ({ state: 'shown', at: registry.stamp(room), heldAt: line.at } as const)
        : ({ state: 'caught' } as const)
      const decided: Line = { ...line, ...change }
      await lines.setState(line, change, allow ? copyOf(decided, room.inside.get(line.sender), false) : undefined)
      if (allow) context.tell(room, { to: 'all', text: textOf(decided, ''), line: line.line })
      const held = allow ? { heldAt: line.at } : {}
      const told = { t: 'roomDecided', roomid: line.roomid, msgid: String(line.line), allow, ...held }
      context.tell(room, { to: 'leaders', text: JSON.stringify(told), also: line.sender })
    },
    async remove(room, line, operator, ext) {
      await lines.setState(line, { state: 'removed' })
      const { roomid, sender: from, clientId, line: number } = line
      const told = { t: 'roomRecall', roomid, msgid: String(number), from, clientId, operator, at: clock.now() }
      context.tell(room, { to: 'all', text: JSON.stringify({ ...told, ...(ext !== undefined && { ext }) }) })
    },
  }
}
