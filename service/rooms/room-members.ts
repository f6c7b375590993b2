import { roleOptions } from '../../contract/operations/chatrooms.ts'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import { Refused } from '../refusal.ts'
import type { RoomMemberTable } from '../storage/room-tables.ts'
import { leads, mutedFor, nobody, roleOf, type Room, type RoomRole } from './room.ts'
import type { RoomNotice } from './room-notices.ts'
import type { RoomMuteExpiry } from './room-mute-expiry.ts'
import type { NotifyOptions } from './room-settings.ts'
import { mustLead, type RoomActor, type RoomContext } from './room-context.ts'

/** Options of setMemberRole. */
export type RoleOption = (typeof roleOptions)[keyof typeof roleOptions]
type Mark = 'admin' | 'ordinary' | 'blacklisted' | 'muted'

/** Mark of an option, and its notices for set and unset. */
const marks = new Map<
  number,
  { readonly mark: Mark; readonly set: RoomNotice['id']; readonly unset: RoomNotice['id'] }
>([
  [roleOptions.admin, { mark: 'admin', set: roomNotices.adminSet, unset: roomNotices.adminUnset }],
  [roleOptions.ordinary, { mark: 'ordinary', set: roomNotices.ordinarySet, unset: roomNotices.ordinaryUnset }],
  [roleOptions.blacklist, { mark: 'blacklisted', set: roomNotices.blacklisted, unset: roomNotices.unblacklisted }],
  [roleOptions.mute, { mark: 'muted', set: roomNotices.muted, unset: roomNotices.unmuted }],
])

/** Roles and measures. Lifting a measure never lifts another (behaviour.md#mutes). */
export interface RoomMembers {
  setRole(uid: number, roomid: number, request: RoleRequest): Promise<RoomRole>
  /** Mutes for some seconds; 0 lifts the mute. */
  muteForAWhile(uid: number, roomid: number, request: MuteRequest): Promise<void>
}
/** A change of role. */
export interface RoleRequest {
  readonly operator: RoomActor
  readonly target: string
  readonly option: RoleOption
  readonly on: boolean
  readonly notifyExt?: string | undefined
}
/** A temporary mute. */
export interface MuteRequest extends NotifyOptions {
  readonly operator: RoomActor
  readonly target: string
  readonly seconds: number
}

/** Stored state of a member; an expired mute stays until its end is announced. */
const memberOf = ({ row, members }: Room, accid: string): RoomMemberTable =>
  members.get(accid) ?? { roomid: row.roomid, accid, ...nobody, updated: 0 }
const counted = ({ members }: Room, counts: (member: RoomMemberTable) => boolean): number =>
  [...members.values()].filter(counts).length

/** Makes the handlers; `muteExpiry` ends temporary mutes. */
export function createRoomMembers(
  context: RoomContext,
  muteExpiry: Pick<RoomMuteExpiry, 'adjustForClockChange' | 'expect'>,
): RoomMembers {
  const { registry, limits, clock } = context.options
  const isLimited = (member: RoomMemberTable): boolean =>
    member.blacklisted === 1 || member.muted === 1 || member.mutedUntil > clock.now()

  /** Refuses the creator as target, and admins before they are unset. */
  const mayMeasure = (room: Room, target: string): void => {
    const role = roleOf(room, target)
    if (leads(role)) throw new Refused(403, `not allowed on the ${role} of the room`)
  }
  const mustBeOpen = ({ row }: Room): void => {
    if (row.valid === 0) throw new Refused(13002, 'the room is closed')
  }
  const mayLimit = (room: Room, target: string): void => {
    const { roomLimited } = limits(room.row.uid)
    if (!isLimited(memberOf(room, target)) && counted(room, isLimited) >= roomLimited)
      throw new Refused(419, `${roomLimited} people are blacklisted or muted already`)
  }
  const mayBeAdmin = (room: Room, member: RoomMemberTable): void => {
    if (isLimited(member)) throw new Refused(403, 'blacklisted or muted: lift that first')
    const { roomAdmins } = limits(room.row.uid)
    if (counted(room, ({ admin }) => admin === 1) >= roomAdmins)
      throw new Refused(419, `the room has ${roomAdmins} admins already`)
  }

  return {
    setRole: (uid, roomid, { operator: { accid: operator, clientType }, target, option, on, notifyExt }) =>
      context.on(uid, roomid, 404, async (room) => {
        context.mustExist(uid, [operator, target], 404, room)
        const { mark, set, unset } = marks.get(option)!
        const operatorRole = mustLead(room, operator)
        if (mark === 'admin') {
          if (operatorRole !== 'creator') throw new Refused(403, 'only the creator makes admins')
          if (roleOf(room, target) === 'creator') throw new Refused(403, 'not allowed on the creator of the room')
        } else mayMeasure(room, target)
        mustBeOpen(room)
        const member = memberOf(room, target)
        if ((member[mark] === 1) === on) throw new Refused(417, `${target} is ${on ? 'set so already' : 'not set so'}`)
        if (on && mark === 'admin') mayBeAdmin(room, member)
        if (on && (mark === 'blacklisted' || mark === 'muted')) mayLimit(room, target)
        const stillMuted = mark === 'muted' && !on && member.mutedUntil > clock.now()
        const notices: RoomNotice[] = [
          {
            id: on ? set : unset,
            operator,
            clientType,
            target: [target],
            ext: notifyExt,
            ...(stillMuted && { more: { stillMuted } }),
          },
        ]
        const isPutOut = mark === 'blacklisted' && on && (room.inside.has(target) || room.robots.has(target))
        if (isPutOut) notices.push({ id: roomNotices.kicked, operator, clientType, target: [target], ext: notifyExt })
        await context.commit(
          room,
          {
            member: { ...member, [mark]: Number(on), updated: registry.stamp(room) },
            ...(isPutOut && { robotsOut: [target] }),
          },
          notices,
        )
        if (isPutOut) context.tell(room, { to: 'out', reason: 'blacklisted', accid: target })
        return roleOf(room, target)
      }),
    async muteForAWhile(
      uid,
      roomid,
      { operator: { accid: operator, clientType }, target, seconds, needNotify, notifyExt },
    ) {
      await muteExpiry.adjustForClockChange()
      await context.on(uid, roomid, 404, async (room) => {
        context.mustExist(uid, [operator, target], 404, room)
        mustLead(room, operator)
        mayMeasure(room, target)
        mustBeOpen(room)
        const now = clock.now()
        const remaining = mutedFor(room, target, now)
        if (seconds === 0 && remaining === 0) return
        if (seconds === remaining) throw new Refused(417, `${target} is muted for ${seconds} seconds already`)
        if (seconds > 0) mayLimit(room, target)
        const measure =
          seconds === 0
            ? { mutedUntil: 0, mutedBy: null }
            : { mutedUntil: now + seconds * 1000, mutedBy: needNotify ? operator : null }
        const member = { ...memberOf(room, target), ...measure }
        const id = seconds === 0 ? roomNotices.muteForAWhileLifted : roomNotices.mutedForAWhile
        const stillMuted = seconds === 0 && member.muted === 1
        const notice = {
          id,
          operator,
          clientType,
          target: [target],
          ext: notifyExt,
          muteDuration: seconds,
          ...(stillMuted && { more: { stillMuted } }),
        }
        await context.commit(room, { member }, needNotify ? [notice] : [])
      })
      muteExpiry.expect()
    },
  }
}
