import { roomMessageCopy, type CopyClient } from '../../contract/callbacks/copy-builders.ts'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import { noticeType, roomNotices, type RoomNoticeId } from '../../contract/room-notices.ts'
import { textFrame } from '../link/frame.ts'
import type { RoomLineTable } from '../storage/schema.ts'
import { leadersOf, type Room } from './room.ts'

/** Who comes and goes and what a queue holds is told and forgotten: it would bury what was said. */
const passing: ReadonlySet<number> = new Set([
  roomNotices.entered,
  roomNotices.left,
  roomNotices.appearanceChanged,
  roomNotices.queueChanged,
  roomNotices.queueEmptied,
])
/** Who comes, goes, and shows itself in another way: told to creator and admins only where many are inside, and no message that is copied. */
export const comesOrGoes = ({ id }: Pick<RoomNotice, 'id'>): boolean =>
  id === roomNotices.entered || id === roomNotices.left || id === roomNotices.appearanceChanged
/** Characters of an extension that such a notice carries; a longer one is in the lists of members only. */
const maxPassingExt = 512
/** Whether a notice stays in the history of its room, for those who ask for notices there. */
export const staysInHistory = ({ id }: RoomNotice): boolean => !passing.has(id)

/** Something that those inside a room are told. */
export interface RoomNotice {
  readonly id: RoomNoticeId
  /** Who did it; with what. */
  readonly operator: string
  readonly clientType: CopyClient
  readonly target?: readonly string[] | undefined
  /** The caller's `notifyExt`. */
  readonly ext?: string | undefined
  /** Seconds of a temporary mute. */
  readonly muteDuration?: number | undefined
  /** What the operator was called, where that cannot be looked up any more. */
  readonly operatorNick?: string | undefined
  /** Further members of `data`. */
  readonly more?: object | undefined
  /** Further ones that only creator, admins and the targets are told; of who comes, goes and shows itself in another way. */
  readonly confidential?: object | undefined
}

/** A notice ready to be told: framed once for everybody, and its copy. */
export interface ReadyNotice {
  readonly frame: Buffer
  /** The frame with what is confidential; undefined where nothing is. */
  readonly fullFrame: Buffer | undefined
  /** Absent for who comes and goes: that is no message. */
  readonly copy: RoomCopy | undefined
  /** What is kept of it in the history; undefined for nothing. */
  readonly line: RoomLineTable | undefined
}

/** Makes a notice with its place; `nickOf` names those it speaks of, `clientId` is a number of its own, `line` the one of its line where it is kept. */
export function readyNotice(
  room: Room,
  notice: RoomNotice,
  { at, clientId, line }: { readonly at: number; readonly clientId: string; readonly line: number | undefined },
  nickOf: (accid: string) => string,
): ReadyNotice {
  const { id, operator, clientType, target = [], muteDuration, more, confidential = {}, operatorNick } = notice
  const isPassing = comesOrGoes(notice)
  const ext = isPassing && (notice.ext ?? '').length > maxPassingExt ? '' : (notice.ext ?? '')
  const nick = operatorNick ?? nickOf(operator)
  const data = {
    operator,
    opeNick: nick,
    target: [...target],
    tarNick: target.map((accid) => (accid === operator ? nick : nickOf(accid))),
    ext,
    ...(muteDuration !== undefined && { muteDuration }),
    ...more,
  }
  const attach = JSON.stringify({ data, id })
  const { roomid, uid } = room.row
  const msgid = line === undefined ? clientId : String(line)
  const frameOf = (told: string): Buffer =>
    textFrame(
      JSON.stringify({
        t: 'roomMessage',
        roomid,
        msgid,
        at,
        from: operator,
        fromNick: nick,
        fromClientType: clientType,
        type: noticeType,
        attach: told,
      }),
    )
  return {
    frame: frameOf(attach),
    fullFrame:
      Object.keys(confidential).length > 0
        ? frameOf(JSON.stringify({ data: { ...data, ...confidential }, id }))
        : undefined,
    copy: isPassing
      ? undefined
      : roomMessageCopy({ roomid, from: operator, nick, clientType, at, type: noticeType, attach, clientId }),
    line:
      line === undefined
        ? undefined
        : {
            line,
            uid,
            roomid,
            sender: operator,
            clientId,
            at,
            type: noticeType,
            attach,
            ext: '',
            nick,
            avatar: '',
            clientType,
            heldAt: null,
            state: 'shown',
          },
  }
}

/** Writes a frame to creator and admins who are inside, but not to one session. */
export function tellLeaders(room: Room, frame: Buffer, without?: string): void {
  for (const accid of leadersOf(room))
    for (const [session, listener] of room.inside.get(accid)?.sessions ?? [])
      if (session !== without) listener.write(frame)
}
/** Sessions inside that are told what is confidential of somebody: those who lead the room, and one's own. */
export function sessionsThatKnow(room: Room, targets: readonly string[]): ReadonlySet<string> {
  const knowing = new Set<string>()
  for (const accid of [...leadersOf(room), ...targets])
    for (const session of room.inside.get(accid)?.sessions.keys() ?? []) knowing.add(session)
  return knowing
}

/** The frame that tells a session that it is in a room no more: `closed`, `blacklisted`. */
export const outFrame = (roomid: number, reason: 'closed' | 'blacklisted'): Buffer =>
  textFrame(JSON.stringify({ t: 'roomOut', roomid, reason }))
