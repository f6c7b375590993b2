import { roomMessageCopy, type CopyClient } from '../../contract/callbacks/copy-builders.ts'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import { textFrame } from '../link/frame.ts'
import type { Room } from './room.ts'

/** Ids of notifications in a room (decisions, Chatrooms). */
export const roomNotices = {
  entered: 301,
  left: 302,
  blacklisted: 303,
  unblacklisted: 304,
  muted: 305,
  unmuted: 306,
  adminSet: 307,
  adminUnset: 308,
  ordinarySet: 309,
  ordinaryUnset: 310,
  closed: 311,
  updated: 312,
  kicked: 313,
  mutedForAWhile: 314,
  muteForAWhileLifted: 315,
  appearanceChanged: 316,
  queueChanged: 317,
  roomMuted: 318,
  roomUnmuted: 319,
  queueEmptied: 320,
} as const

/** Something that those inside a room are told. */
export interface RoomNotice {
  readonly id: (typeof roomNotices)[keyof typeof roomNotices]
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
}

/** A notice ready to be told: framed once for everybody, and its copy. */
export interface ReadyNotice {
  readonly frame: Buffer
  /** Absent for who comes and goes: that is no message. */
  readonly copy: RoomCopy | undefined
}

/** Makes a notice with its place; `nickOf` names those it speaks of, `clientId` is a number of its own. */
export function readyNotice(room: Room, notice: RoomNotice, at: number, clientId: string, nickOf: (accid: string) => string): ReadyNotice {
  const { id, operator, clientType, target = [], ext = '', muteDuration, more, operatorNick } = notice
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
  const { roomid } = room.row
  const frame = textFrame(
    JSON.stringify({ t: 'roomMessage', roomid, msgid: clientId, at, from: operator, fromNick: nick, fromClientType: clientType, type: 5, attach }),
  )
  const comesOrGoes = id === roomNotices.entered || id === roomNotices.left || id === roomNotices.appearanceChanged
  return { frame, copy: comesOrGoes ? undefined : roomMessageCopy({ roomid, from: operator, nick, clientType, at, type: 5, attach, clientId }) }
}

/** Writes a frame to everybody inside, but not to one session. */
export function broadcast({ inside }: Room, frame: Buffer, without?: string): void {
  for (const { sessions } of inside.values()) for (const [session, write] of sessions) if (session !== without) write(frame)
}

/** The frame that tells a session that it is in a room no more: `closed`, `blacklisted`. */
export const outFrame = (roomid: number, reason: 'closed' | 'blacklisted'): Buffer => textFrame(JSON.stringify({ t: 'roomOut', roomid, reason }))
