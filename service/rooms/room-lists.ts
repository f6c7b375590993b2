import type { Clock } from '../../platform/clock.ts'
import { isBlacklisted, leads, mutedFor, roleNumbers, roleOf, type Room } from './room.ts'

/** Members of a room: 0 fixed, 1 others inside, 2 fixed and inside (3-chatrooms membersByPage). */
export type MemberKind = 0 | 1 | 2

interface Standing {
  readonly accid: string
  readonly at: number
}

const isFixed = (room: Room, accid: string): boolean => roleOf(room, accid) !== 'temporary'
const isOnline = (room: Room, accid: string): boolean => room.inside.has(accid) || room.robots.has(accid)

/** Who may see measures on a member: creator, admins, the member, and signed calls (no reader). */
const mayKnow = (room: Room, accid: string, reader: string | undefined): boolean =>
  reader === undefined || reader === accid || leads(roleOf(room, reader))

/** Names and icons of accounts in lists. */
export interface ListedCards {
  nickOf(room: Room, accid: string): string
  iconOf(uid: number, accid: string): string | undefined
}

/** A member as a reader sees it; `now` in ms. */
function described(room: Room, accid: string, reader: string | undefined, now: number, cards: ListedCards) {
  const inside = room.inside.get(accid)
  const robot = inside ? undefined : room.robots.get(accid)
  const member = room.members.get(accid)
  const avator = inside ? inside.avatar : (cards.iconOf(room.row.uid, accid) ?? '')
  const ext = inside?.ext ?? robot?.ext ?? ''
  const isKnown = mayKnow(room, accid, reader)
  const seconds = isKnown ? mutedFor(room, accid, now) : 0
  const fixed = isFixed(room, accid)
  return {
    roomid: room.row.roomid,
    accid,
    nick: cards.nickOf(room, accid),
    type: roleNumbers[roleOf(room, accid)],
    onlineStat: isOnline(room, accid),
    ...(avator !== '' && { avator }),
    ...(ext !== '' && { ext }),
    ...(fixed
      ? { updateTime: member?.updated ?? room.row.created }
      : { enterTime: inside?.entered ?? robot?.entered ?? 0 }),
    ...(isKnown && member?.blacklisted === 1 && { blacklisted: true }),
    ...(isKnown && member?.muted === 1 && { muted: true }),
    ...(seconds > 0 && { tempMuted: true, tempMuteTtl: seconds }),
    ...(robot && { isRobot: true }),
  }
}

/** A member in lists (3-chatrooms Room member). */
export type ListedMember = ReturnType<typeof described>

/** The newest non-fixed members inside up to `end`. */
function temporary(room: Room, end: number, limit: number): Standing[] {
  const found: Standing[] = []
  const inside = [...room.inside.values()]
  if (room.isMixed) inside.sort((one, other) => one.entered - other.entered)
  for (let index = inside.length - 1; index >= 0 && found.length < limit; index--) {
    const { accid, entered } = inside[index]!
    if (entered < end && !isFixed(room, accid)) found.push({ accid, at: entered })
  }
  for (const { accid, entered } of room.robots.values())
    if (entered < end && !room.inside.has(accid) && !isFixed(room, accid)) found.push({ accid, at: entered })
  return found.sort((one, other) => other.at - one.at).slice(0, limit)
}

/** Makes the lists. */
export function createRoomLists(cards: ListedCards, clock: Pick<Clock, 'now'>) {
  /** Fixed members, latest first; sorted only after a change. */
  const sorted = new WeakMap<Room, { readonly changes: number; readonly list: readonly Standing[] }>()
  const fixed = (room: Room): readonly Standing[] => {
    const known = sorted.get(room)
    if (known?.changes === room.memberChanges) return known.list
    const { creator, created } = room.row
    const list: Standing[] = [{ accid: creator, at: created }]
    for (const { accid, updated } of room.members.values())
      if (accid !== creator && isFixed(room, accid)) list.push({ accid, at: updated })
    list.sort((one, other) => other.at - one.at)
    sorted.set(room, { changes: room.memberChanges, list })
    return list
  }
  const standings = (
    room: Room,
    kind: MemberKind,
    end: number,
    limit: number,
    reader: string | undefined,
  ): readonly Standing[] => {
    if (kind === 1) return temporary(room, end, limit)
    const found: Standing[] = []
    for (const standing of fixed(room)) {
      if (found.length === limit) break
      const { accid, at } = standing
      if (
        at < end &&
        (kind === 0 || isOnline(room, accid)) &&
        (!isBlacklisted(room, accid) || mayKnow(room, accid, reader))
      )
        found.push(standing)
    }
    return found
  }
  const describe = (room: Room, accid: string, reader?: string): ListedMember =>
    described(room, accid, reader, clock.now(), cards)
  return {
    describe,
    /** A page of members as `reader` sees it; complete without a reader, for signed calls. */
    page: (room: Room, kind: MemberKind, endtime: number, limit: number, reader?: string): ListedMember[] =>
      standings(room, kind, endtime === 0 ? Infinity : endtime, limit, reader).map(({ accid }) =>
        describe(room, accid, reader),
      ),
    online: (room: Room, accids: readonly string[]): ListedMember[] =>
      [...new Set(accids)].filter((accid) => isOnline(room, accid)).map((accid) => describe(room, accid)),
  }
}

/** The lists of members. */
export type RoomLists = ReturnType<typeof createRoomLists>
