import type { RoomMemberTable, RoomRobotTable, RoomTable } from '../storage/schema.ts'
import type { RoomListener, RoomListeners } from './room-listeners.ts'

/** What an account is in a room (3-chatrooms Room member). A limited one is blacklisted or muted; a temporary one is no fixed member. */
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

/** How an account shows itself in a room. */
export interface Appearance {
  readonly nick: string
  readonly avatar: string
  readonly ext: string
}

/** An account that is in a room now, with the sessions by which it is. */
export interface Inside extends Appearance {
  readonly accid: string
  /** Entry in ms; no two of a room have the same. */
  readonly entered: number
  /** Last change of how it shows itself, in ms. */
  readonly changed: number
  readonly sessions: ReadonlyMap<string, RoomListener>
}

/** A room in memory. */
export interface Room {
  readonly row: Readonly<RoomTable>
  /** Everybody of whom something is stored; the creator is not among them. */
  readonly members: ReadonlyMap<string, Readonly<RoomMemberTable>>
  /** How often something of a member has changed: while it is the same, so are the lists of them. */
  readonly memberChanges: number
  readonly robots: ReadonlyMap<string, Readonly<RoomRobotTable>>
  readonly inside: ReadonlyMap<string, Inside>
  /** The sessions of those inside. */
  readonly listeners: RoomListeners
  /** Elements of the queue in order: value and place by key. */
  readonly queue: ReadonlyMap<string, { readonly value: string; readonly place: number }>
}

/** Nothing is known of an account. */
export const nobody = { admin: 0, ordinary: 0, blacklisted: 0, muted: 0, mutedUntil: 0, mutedBy: null } as const

/** What an account is in a room; a temporary mute is no role. */
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
/** The accounts that lead a room, found anew when something of a member has changed: they are asked for with everybody who comes or goes. */
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
/** Whether an account may not be in the room. */
export const isBlacklisted = ({ members }: Room, accid: string): boolean => members.get(accid)?.blacklisted === 1
/** Seconds for which an account is still muted temporarily; 0 when it is not. */
export const mutedFor = ({ members }: Room, accid: string, now: number): number =>
  Math.max(0, Math.ceil(((members.get(accid)?.mutedUntil ?? 0) - now) / 1000))

/** Why an account may not speak; undefined when it may (3-chatrooms States; behaviour.md#mutes). */
export function muteReason(room: Room, accid: string, now: number): string | undefined {
  if (room.row.valid === 0) return 'the room is closed'
  const role = roleOf(room, accid)
  if (leads(role)) return undefined
  if (isBlacklisted(room, accid)) return 'blacklisted from the room'
  if (role === 'limited') return 'muted in the room'
  if (mutedFor(room, accid, now) > 0) return 'muted in the room for a while'
  return room.row.muted === 1 ? 'the whole room is muted' : undefined
}

/** Accounts that count as online: those inside and the robots. */
export function onlineCount({ inside, robots }: Room): number {
  let count = inside.size
  for (const accid of robots.keys()) if (!inside.has(accid)) count += 1
  return count
}
