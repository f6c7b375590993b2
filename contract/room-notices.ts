/** Type of lines that are notices; their `attach` is `{data, id}`. */
export const noticeType = 5

/** Ids of room notices (behaviour.md#notices). */
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
/** Id of a room notice. */
export type RoomNoticeId = (typeof roomNotices)[keyof typeof roomNotices]

const known: ReadonlySet<number> = new Set(Object.values(roomNotices))
/** Whether a notice is known; services may have others. */
export const isRoomNotice = (id: number): id is RoomNoticeId => known.has(id)

const passing: ReadonlySet<number> = new Set([
  roomNotices.entered,
  roomNotices.left,
  roomNotices.appearanceChanged,
  roomNotices.queueChanged,
  roomNotices.queueEmptied,
])
/** Whether the history has a notice. Entries, exits, changes of appearance and of the queue would bury the lines. */
export const isKeptNotice = (id: number): boolean => !passing.has(id)

/** A notice as received; members of `data` are not validated. */
export interface SentNotice {
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}
/** Parses the `attach` of a line of type 5; undefined if it is no notice. */
export function readNotice(attach: string): SentNotice | undefined {
  try {
    const { id, data } = JSON.parse(attach) as { readonly id?: unknown; readonly data?: unknown }
    if (typeof id !== 'number' || typeof data !== 'object' || data === null || Array.isArray(data)) return undefined
    return { id, data: data as Readonly<Record<string, unknown>> }
  } catch {
    return undefined
  }
}
