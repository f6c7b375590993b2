import type { LoggedAction, Measure, RoomAction } from '../../../contract/rpc/index.ts'
import { roomNotices } from '../../../contract/catalogue/notices.ts'
import type { RoomNotice } from './room-log.ts'

/** How long a measure can be undone, in ms. */
export const undoFor = 5_000

/** 0 seconds: until lifted. */
export const muteFor = (target: string, seconds: number): Measure =>
  seconds === 0 ? { kind: 'mute', target, on: true } : { kind: 'temporaryMute', target, seconds }

/** The undo; null for none. `rest` of a replaced mute, in ms. */
export function inverseOf(measure: Measure, rest = 0): Measure | null {
  switch (measure.kind) {
    case 'temporaryMute':
      return measure.seconds === 0 ? null : { ...measure, seconds: Math.ceil(Math.max(0, rest) / 1000) }
    case 'mute':
    case 'blacklist':
    case 'admin':
    case 'ordinary':
    case 'muteRoom':
    case 'robots':
      return { ...measure, on: !measure.on }
    default:
      return null
  }
}

const setAndLifted: Partial<Record<LoggedAction['kind'], readonly [number, number]>> = {
  blacklist: [roomNotices.blacklisted, roomNotices.unblacklisted],
  mute: [roomNotices.muted, roomNotices.unmuted],
  admin: [roomNotices.adminSet, roomNotices.adminUnset],
  ordinary: [roomNotices.ordinarySet, roomNotices.ordinaryUnset],
  temporaryMute: [roomNotices.mutedForAWhile, roomNotices.muteForAWhileLifted],
  muteRoom: [roomNotices.roomMuted, roomNotices.roomUnmuted],
}
const isSet = (action: LoggedAction): boolean =>
  'on' in action ? action.on : 'seconds' in action && action.seconds > 0
const whomOf = (action: LoggedAction): string =>
  'target' in action ? action.target : 'accids' in action ? action.accids.join(' ') : ''

/** Whether a measure is in force after a notice; undefined if unknown. */
export function holdsSince({ id, target }: RoomNotice, action: LoggedAction): boolean | undefined {
  const index = setAndLifted[action.kind]?.indexOf(id) ?? -1
  if (index < 0 || ('target' in action && !target.includes(action.target))) return undefined
  return isSet(action) === (index === 0)
}
const aboutPeople: ReadonlySet<number> = new Set(
  Object.entries(setAndLifted).flatMap(([kind, ids]) => (kind === 'muteRoom' ? [] : ids)),
)
/** Whether a notice changes blacklist, mutes or roles. */
export const isAboutPeople = (id: number): boolean => aboutPeople.has(id)
/** Whether a notice is of a measure against a person, taken by somebody. */
export const isAgainst = ({ id, target, expired }: RoomNotice, accid: string): boolean =>
  id >= roomNotices.blacklisted && id <= roomNotices.muteForAWhileLifted && !expired && target.includes(accid)

/** What an undo took back; undefined for other entries, and for a temporary mute that the log has dropped. */
export function undoneBy({ undoes: id, what }: RoomAction, log: readonly RoomAction[]): LoggedAction | undefined {
  if (id === null) return undefined
  const undone = log.find((each) => each.id === id)?.what
  return undone ?? ('on' in what ? { ...what, on: !what.on } : undefined)
}

/** Whether a measure is the opposite of another. */
export const undoes = (measure: Measure, action: LoggedAction): boolean =>
  measure.kind === action.kind && isSet(measure) !== isSet(action) && whomOf(measure) === whomOf(action)

/** Whether a measure is about a line or its author. */
export const isAbout = (
  measure: Measure,
  { msgid, from }: { readonly msgid: string; readonly from: string },
): boolean => ('msgid' in measure ? measure.msgid === msgid : 'target' in measure && measure.target === from)

/** Why a person may not be muted, blacklisted or have lines deleted; null when they may. */
export function guardOf(
  target: string,
  acting: string,
  creator: string,
  roles: ReadonlyMap<string, number>,
): 'self' | 'creator' | 'admin' | null {
  if (target === acting) return 'self'
  if (target === creator || roles.get(target) === 1) return 'creator'
  // An admin must be unset first, also by the creator (behaviour.md#permissions-in-a-room).
  return roles.get(target) === 2 ? 'admin' : null
}
