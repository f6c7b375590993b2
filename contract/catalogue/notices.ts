/** Type of lines that are notices; their `attach` is `{data, id}`. */
export const noticeType = 5

/** Facts of a room notice. */
interface NoticeFacts {
  readonly id: number
  /** The history has it; others would bury the lines. */
  readonly isKept: boolean
  /** Who is told in large rooms; in others everybody inside is. */
  readonly inLargeRooms: 'everybody' | 'leaders'
}
const toAll = <const I extends number>(id: I) => ({ id, isKept: true, inLargeRooms: 'everybody' }) as const
const passing = <const I extends number, const A extends NoticeFacts['inLargeRooms']>(id: I, inLargeRooms: A) =>
  ({ id, isKept: false, inLargeRooms }) as const

/** Room notices (behaviour.md#notices). */
const notices = {
  entered: passing(301, 'leaders'),
  left: passing(302, 'leaders'),
  blacklisted: toAll(303),
  unblacklisted: toAll(304),
  muted: toAll(305),
  unmuted: toAll(306),
  adminSet: toAll(307),
  adminUnset: toAll(308),
  ordinarySet: toAll(309),
  ordinaryUnset: toAll(310),
  closed: toAll(311),
  updated: toAll(312),
  kicked: toAll(313),
  mutedForAWhile: toAll(314),
  muteForAWhileLifted: toAll(315),
  appearanceChanged: passing(316, 'leaders'),
  queueChanged: passing(317, 'everybody'),
  roomMuted: toAll(318),
  roomUnmuted: toAll(319),
  queueEmptied: passing(320, 'everybody'),
} as const satisfies Readonly<Record<string, NoticeFacts>>
type Notices = typeof notices
/** Ids of room notices by name. */
export const roomNotices = Object.fromEntries(Object.entries(notices).map(([name, { id }]) => [name, id])) as {
  readonly [N in keyof Notices]: Notices[N]['id']
}
/** Id of a room notice. */
export type RoomNoticeId = Notices[keyof Notices]['id']

const byId: ReadonlyMap<number, NoticeFacts> = new Map(Object.values(notices).map((facts) => [facts.id, facts]))
/** Whether a notice is known; services may have others. */
export const isRoomNotice = (id: number): id is RoomNoticeId => byId.has(id)
/** Whether the history has a notice; of unknown ones it may. */
export const isKeptNotice = (id: number): boolean => byId.get(id)?.isKept ?? true
/** Whether only creator and admins are told in large rooms: entries, exits and changes of appearance. */
export const isForLeaders = (id: number): boolean => byId.get(id)?.inLargeRooms === 'leaders'

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
