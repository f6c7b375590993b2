import type { Kysely } from 'kysely'
import type { CopyClient } from '../../contract/callbacks/copy-builders.ts'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import type { CopyKind } from '../../contract/operations/copy-kinds.ts'
import { Refused } from '../refusal.ts'
import type { RoomLineTable, Tables } from '../storage/schema.ts'
import { leads, roleOf, type Room, type RoomRole } from './room.ts'
import type { RoomCounts } from './room-counts.ts'
import type { RoomNames } from './room-names.ts'
import {
  comesOrGoes,
  readyNotice,
  sessionsThatKnow,
  staysInHistory,
  tellLeaders,
  type RoomNotice,
} from './room-notices.ts'
import type { RoomRegistry } from './rooms-registry.ts'
import { writeRoom, type RoomChange } from './rooms-store.ts'

/** Accounts as rooms need them. */
export interface RoomAccounts {
  find(uid: number, accid: string): { readonly name: string; readonly icon: string } | undefined
}
/** Where copies of what happens in rooms go. */
export interface RoomCopies {
  wants(uid: number, kind: CopyKind): boolean
  enqueue(transaction: Kysely<Tables>, uid: number, copy: RoomCopy): Promise<void>
}
/** The history of rooms, as far as notices stay in it. */
export interface RoomHistory {
  /** A number for a new line, greater than every one before. */
  next(): number
  keep(transaction: Kysely<Tables>, line: RoomLineTable): Promise<void>
}
/** Settings of an application; beyond them 419 (behaviour.md#permissions-in-a-room). */
export interface RoomLimits {
  readonly roomsPerCreator: number
  readonly roomAdmins: number
  readonly roomLimited: number
  readonly roomRobots: number
  /** Up to so many people inside everybody is told who comes and goes. */
  readonly roomNotices: number
}

/** What rooms are made of. */
export interface RoomWorkOptions {
  readonly db: Kysely<Tables>
  readonly registry: RoomRegistry
  readonly accounts: RoomAccounts
  /** Who was called what, also when they are gone. */
  readonly names: Pick<RoomNames, 'of'>
  readonly copies: RoomCopies
  readonly history: RoomHistory
  readonly limits: (uid: number) => RoomLimits
  /** Learns of everything that figures depend on. */
  readonly counts: Pick<RoomCounts, 'touched'>
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Unguessable bytes. */
  readonly random: (bytes: number) => Buffer
}

/** Who does something to a room, and with what. */
export interface RoomActor {
  readonly accid: string
  readonly clientType: CopyClient
}

/** What all handlers on rooms have in common. */
export interface RoomContext {
  readonly options: RoomWorkOptions
  /** A room of the application; refused with `missing`, 404 or 414, when it has none of this number. */
  must(uid: number, roomid: number, missing: 404 | 414): Room
  /** Refuses with `missing` unless the accounts exist; `room` knows guests by what was done to them, also when they are gone. */
  mustExist(uid: number, accids: readonly string[], missing: 404 | 414, room?: Room): void
  /** Works on a room in turn. */
  on<T>(uid: number, roomid: number, missing: 404 | 414, work: (room: Room) => Promise<T>): Promise<T>
  /** What an account is called: as it entered the room, else as it is registered, else as it was called there last: guests that are gone are not registered. */
  nickOf(room: Room, accid: string): string
  /** Stores a change with the copies of its notices, makes it count, then tells those who are inside at that moment. */
  commit(room: Room, change: RoomChange, notices?: readonly RoomNotice[]): Promise<void>
}

/** The role of an operator; refused with 403 unless it leads the room (3-chatrooms Rules 2). */
export function mustLead(room: Room, operator: string): RoomRole {
  const role = roleOf(room, operator)
  if (!leads(role)) throw new Refused(403, `not allowed for this ${role} member of the room`)
  return role
}

/** Makes what the handlers work with. */
export function createRoomContext(options: RoomWorkOptions): RoomContext {
  const { db, registry, accounts, names, copies, history, random, limits, counts } = options

  const must = (uid: number, roomid: number, missing: 404 | 414): Room => {
    const room = registry.get(roomid)
    if (room?.row.uid !== uid) throw new Refused(missing, 'no such room', 'missing')
    return room
  }
  // Whoever has left is called as they were called there last: their account may have the name of somebody else in the room, as that of the host.
  const nickOf = (room: Room, accid: string): string => {
    const { inside, row } = room
    const last = (): string => names.of(row.roomid, accid) ?? ''
    const account = (): string => accounts.find(row.uid, accid)?.name ?? ''
    return inside.get(accid)?.nick || (leads(roleOf(room, accid)) ? account() || last() : last() || account())
  }
  return {
    options,
    must,
    nickOf,
    mustExist(uid, accids, missing, room) {
      for (const accid of accids)
        if (!accounts.find(uid, accid) && !room?.members.has(accid))
          throw new Refused(missing, `${accid} is not registered`, 'missing')
    },
    on(uid, roomid, missing, work) {
      const room = must(uid, roomid, missing)
      return registry.inTurn(roomid, () => work(room))
    },
    async commit(room, change, notices = []) {
      const { roomid, uid } = room.row
      const ready = notices.map((notice) => {
        // A line's number and time are taken at once, so that the history is in the order of both.
        const place = {
          at: registry.stamp(room),
          clientId: random(16).toString('hex'),
          line: staysInHistory(notice) ? history.next() : undefined,
        }
        return {
          ...readyNotice(room, notice, place, (accid) => nickOf(room, accid)),
          isPassing: comesOrGoes(notice),
          targets: notice.target ?? [],
        }
      })
      const kept = ready.flatMap(({ line }) => (line ? [line] : []))
      const copied = copies.wants(uid, 4) ? ready.flatMap(({ copy }) => (copy ? [copy] : [])) : []
      if (kept.length > 0 || copied.length > 0 || Object.keys(change).length > 0)
        await db.transaction().execute(async (transaction) => {
          await writeRoom(transaction, roomid, change)
          for (const line of kept) await history.keep(transaction, line)
          await Promise.all(copied.map((copy) => copies.enqueue(transaction, uid, copy)))
        })
      registry.apply(roomid, change)
      const isLarge = room.inside.size > limits(uid).roomNotices
      for (const { frame, fullFrame, isPassing, targets } of ready)
        if (!isPassing) room.listeners.tell(frame)
        else if (isLarge) tellLeaders(room, fullFrame ?? frame)
        else if (fullFrame) room.listeners.tellApart(frame, fullFrame, sessionsThatKnow(room, targets))
        else room.listeners.tellSoon(frame)
      if (ready.some(({ isPassing }) => isPassing) || change.member || change.robots || change.robotsOut)
        counts.touched(room)
    },
  }
}
