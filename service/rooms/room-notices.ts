import { roomMessageCopy, type ClientKind } from '../../contract/callbacks/copy-builders.ts'
import { isForLeaders, noticeType, type RoomNoticeId } from '../../contract/catalogue/notices.ts'
import { textFrame } from '../link/frame.ts'
import type { RoomLineTable } from '../storage/room-tables.ts'
import { leadersOf, type Room } from './room.ts'

/** Entries, exits and changes of appearance: only to leaders in large rooms, and not copied. */
export const comesOrGoes = ({ id }: Pick<RoomNotice, 'id'>): boolean => isForLeaders(id)
/** Longest extension in such a notice, in characters; longer ones are only in lists. */
const maxPassingExt = 512
/** A notice to those inside. */
export interface RoomNotice {
  readonly id: RoomNoticeId
  readonly operator: string
  readonly clientType: ClientKind
  readonly target?: readonly string[] | undefined
  readonly ext?: string | undefined
  /** Seconds of a temporary mute. */
  readonly muteDuration?: number | undefined
  /** Name of the operator, if it cannot be looked up any more. */
  readonly operatorNick?: string | undefined
  /** Further members of `data`. */
  readonly more?: object | undefined
  /** Further members for leaders and targets only; of entries, exits and changes of appearance. */
  readonly confidential?: object | undefined
}

/** Builds a notice; `nickOf` gives names, `clientId` is a unique number, `line` the number of its history entry. */
export function readyNotice(
  room: Room,
  notice: RoomNotice,
  { at, clientId, line }: { readonly at: number; readonly clientId: string; readonly line: number | undefined },
  nickOf: (accid: string) => string,
) {
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
  const textOf = (told: string): string =>
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
    })
  return {
    text: textOf(attach),
    /** With confidential members; undefined without any. */
    fullText:
      Object.keys(confidential).length > 0
        ? textOf(JSON.stringify({ data: { ...data, ...confidential }, id }))
        : undefined,
    /** Absent for entries and exits. */
    copy: isPassing
      ? undefined
      : roomMessageCopy({ roomid, from: operator, nick, clientType, at, type: noticeType, attach, clientId }),
    /** Its history entry, if kept. */
    line:
      line === undefined
        ? undefined
        : ({
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
          } satisfies RoomLineTable),
  }
}

/** Sends to creator and admins inside, and to one more, except one session. */
export function tellLeaders(
  room: Room,
  frame: Buffer,
  { also, without }: { readonly also?: string | undefined; readonly without?: string | undefined } = {},
): void {
  for (const accid of new Set([...leadersOf(room), ...(also === undefined ? [] : [also])]))
    for (const [session, listener] of room.inside.get(accid)?.sessions ?? [])
      if (session !== without) listener.write(frame)
}
/** Sessions inside that may see confidential members: those of leaders and targets. */
export function sessionsThatKnow(room: Room, targets: readonly string[]): ReadonlySet<string> {
  const knowing = new Set<string>()
  for (const accid of [...leadersOf(room), ...targets])
    for (const session of room.inside.get(accid)?.sessions.keys() ?? []) knowing.add(session)
  return knowing
}

/** Frame for a session removed from a room. */
export const outFrame = (roomid: number, reason: 'closed' | 'blacklisted'): Buffer =>
  textFrame(JSON.stringify({ t: 'roomOut', roomid, reason }))
