import type { RoomMemberTable, RoomRobotTable, RoomTable } from '../storage/room-tables.ts'
import type { RoomListener, RoomListeners } from './room-listeners.ts'

/** Limited: blacklisted or muted; temporary: not a fixed member (3-chatrooms Room member). */
export type RoomRole = 'creator' | 'admin' | 'limited' | 'ordinary' | 'temporary'
/** Names of roles in the result of setMemberRole. */
export const roleNames: Readonly<Record<RoomRole, string>> = {
  creator: 'CREATOR',
  admin: 'MANAGER',
  limited: 'LIMITED',
  ordinary: 'COMMON',
  temporary: 'TEMPORARY',
}
/** Numbers of roles in lists (behaviour.md#roles-and-lists). */
export const roleNumbers: Readonly<Record<RoomRole, number>> = {
  limited: -1,
  ordinary: 0,
  creator: 1,
  admin: 2,
  temporary: 3,
}

/** Appearance of an account in a room. */
export interface Appearance {
  readonly nick: string
  readonly avatar: string
  readonly ext: string
}

/** An account inside a room, with its sessions at this service. */
export interface Inside extends Appearance {
  readonly accid: string
  /** Entry in ms; unique within a room. */
  readonly entered: number
  /** Last change of its appearance, in ms. */
  readonly changed: number
  readonly sessions: ReadonlyMap<string, RoomListener>
}

/** A room in memory. */
export interface Room {
  readonly row: Readonly<RoomTable>
  /** Accounts with a stored state; without the creator. */
  readonly members: ReadonlyMap<string, Readonly<RoomMemberTable>>
  /** Version of the members, for caches of lists. */
  readonly memberChanges: number
  readonly robots: ReadonlyMap<string, Readonly<RoomRobotTable>>
  /** With those who are inside at other services only. */
  readonly inside: ReadonlyMap<string, Inside>
  /** Whether those inside are not in order of their entry, as some came from other services later. */
  readonly isMixed?: boolean
  readonly listeners: RoomListeners
  /** Elements in order: value and position by key. */
  readonly queue: ReadonlyMap<string, { readonly value: string; readonly place: number }>
}

/** State of an account without a row. */
export const nobody = { admin: 0, ordinary: 0, blacklisted: 0, muted: 0, mutedUntil: 0, mutedBy: null } as const

/** Role of an account; a temporary mute is no role. */
export function roleOf({ row, members }: Room, accid: string): RoomRole {
  if (accid === row.creator) return 'creator'
  const member = members.get(accid)
  if (!member) return 'temporary'
  if (member.blacklisted || member.muted) return 'limited'
  if (member.admin) return 'admin'
  return member.ordinary ? 'ordinary' : 'temporary'
}
/** Creator and admins. */
export const leads = (role: RoomRole): boolean => role === 'creator' || role === 'admin'
const leading = new WeakMap<Room, { readonly changes: number; readonly accids: readonly string[] }>()
/** Accounts that lead a room; cached until a member changes, as needed for every entry and exit. */
export function leadersOf(room: Room): readonly string[] {
  const { row, members, memberChanges: changes } = room
  const known = leading.get(room)
  if (known?.changes === changes) return known.accids
  const accids = [
    row.creator,
    ...[...members.keys()].filter((accid) => accid !== row.creator && leads(roleOf(room, accid))),
  ]
  leading.set(room, { changes, accids })
  return accids
}
/** Whether the account may not enter. */
export const isBlacklisted = ({ members }: Room, accid: string): boolean => members.get(accid)?.blacklisted === 1
/** Remaining seconds of a temporary mute; 0 for none. */
export const mutedFor = ({ members }: Room, accid: string, now: number): number =>
  Math.max(0, Math.ceil(((members.get(accid)?.mutedUntil ?? 0) - now) / 1000))

/** Why an account may not speak; undefined if it may (3-chatrooms States; behaviour.md#mutes). */
export function muteReason(room: Room, accid: string, now: number): string | undefined {
  if (room.row.valid === 0) return 'the room is closed'
  const role = roleOf(room, accid)
  if (leads(role)) return undefined
  if (isBlacklisted(room, accid)) return 'blacklisted from the room'
  if (role === 'limited') return 'muted in the room'
  if (mutedFor(room, accid, now) > 0) return 'muted in the room for a while'
  return room.row.muted === 1 ? 'the whole room is muted' : undefined
}

/** Accounts that count as online: those inside, and robots. */
export function onlineCount({ inside, robots }: Room): number {
  let count = inside.size
  for (const accid of robots.keys()) if (!inside.has(accid)) count += 1
  return count
}
