import type { Clock } from '../../platform/clock.ts'
import { isKeptNotice } from '../../contract/catalogue/notices.ts'
import type { Kysely } from 'kysely'
import type { ClientKind } from '../../contract/callbacks/copy-builders.ts'
import type { RoomCopy } from '../../contract/callbacks/copy.ts'
import type { CopyKind } from '../../contract/operations/copy-kinds.ts'
import type { Journal } from '../journal/journal.ts'
import { Refused } from '../refusal.ts'
import type { RoomLineTable, RoomTable } from '../storage/room-tables.ts'
import type { ApplicationTable, Tables } from '../storage/schema.ts'
import { leads, roleOf, type Room, type RoomRole } from './room.ts'
import type { RoomCounts } from './room-counts.ts'
import type { RoomNames } from './room-names.ts'
import { comesOrGoes, readyNotice, type RoomNotice } from './room-notices.ts'
import type { RoomPush, RoomPushes } from './room-pushes.ts'
import type { RoomRegistry } from './rooms-registry.ts'
import { writeRoom, type RoomChange } from './rooms-store.ts'

/** Queues copies of room events. */
export interface RoomCopies {
  wants(uid: number, kind: CopyKind): boolean
  enqueue(transaction: Kysely<Tables>, uid: number, copy: RoomCopy): Promise<void>
}
/** Stores notices in the history. */
export interface RoomHistory {
  /** The first of so many numbers for new lines, greater than all before. */
  take(transaction: Kysely<Tables>, count: number): Promise<number>
  keep(transaction: Kysely<Tables>, line: RoomLineTable): Promise<void>
}
/** Limits of an application; beyond them 419 (behaviour.md#permissions-in-a-room). */
export type RoomLimits = Readonly<
  Pick<ApplicationTable, 'roomsPerCreator' | 'roomAdmins' | 'roomLimited' | 'roomRobots' | 'roomNotices'>
>

/** Options of rooms. */
export interface RoomWorkOptions {
  readonly journal: Journal
  readonly registry: RoomRegistry
  readonly accounts: { find(uid: number, accid: string): { readonly name: string; readonly icon: string } | undefined }
  /** Names used in rooms, also by accounts that are gone. */
  readonly names: Pick<RoomNames, 'of'>
  readonly copies: RoomCopies
  readonly history: RoomHistory
  readonly limits: (uid: number) => RoomLimits
  readonly counts: Pick<RoomCounts, 'touched'>
  readonly pushes: RoomPushes
  readonly clock: Clock
  readonly random: (bytes: number) => Buffer
}

/** Who acts on a room. */
export interface RoomActor {
  readonly accid: string
  readonly clientType: ClientKind
}

/** The operator's role; throws 403 unless creator or admin (3-chatrooms Rules 2). */
export function mustLead(room: Room, operator: string): RoomRole {
  const role = roleOf(room, operator)
  if (!leads(role)) throw new Refused(403, `not allowed for this ${role} member of the room`)
  return role
}

/** Makes what all handlers of rooms share. */
export function createRoomContext(options: RoomWorkOptions) {
  const { journal, registry, accounts, names, copies, history, random, limits, counts, pushes } = options

  const changes = journal.kind<{ readonly roomid: number; readonly change: RoomChange }>('room', {
    store: (transaction, { roomid, change }) => writeRoom(transaction, roomid, change),
    apply: ({ roomid, change }) => registry.apply(roomid, change),
  })

  /** The application's room; throws `Refused` with `missing`. */
  const must = (uid: number, roomid: number, missing: 404 | 414): Room => {
    const room = registry.get(roomid)
    if (room?.row.uid !== uid) throw new Refused(missing, 'no such room', 'missing')
    return room
  }
  /** Display name; of accounts that have left the last one here, as the registered one may equal somebody else's. */
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
    /** Tells those inside of what is stored. */
    tell: (room: Room, push: RoomPush): void => pushes.tell(room, push),
    tellAgain: pushes.tellAgain,
    /** Throws `Refused` unless the accounts exist; with `room`, guests that are gone are known by measures. */
    mustExist(uid: number, accids: readonly string[], missing: 404 | 414, room?: Room): void {
      for (const accid of accids)
        if (!accounts.find(uid, accid) && !room?.members.has(accid))
          throw new Refused(missing, `${accid} is not registered`, 'missing')
    },
    on<T>(uid: number, roomid: number, missing: 404 | 414, work: (room: Room) => Promise<T>): Promise<T> {
      const room = must(uid, roomid, missing)
      return changes.inTurn(roomid, () => work(room))
    },
    /** Stores a new room. */
    async make(room: RoomTable): Promise<Room> {
      const { roomid } = room
      await changes.commit({ roomid, change: { room } })
      return registry.get(roomid)!
    },
    /** Stores a change with copies of its notices, applies it, then notifies those inside. */
    async commit(room: Room, change: RoomChange, notices: readonly RoomNotice[] = []): Promise<void> {
      const { roomid, uid } = room.row
      /** As they are told; those that are kept have the numbers from `first`. */
      const readied = (first: number) => {
        let line = first
        return notices.map((notice) => {
          const place = {
            at: registry.stamp(room),
            clientId: random(16).toString('hex'),
            line: isKeptNotice(notice.id) ? line++ : undefined,
          }
          return {
            ...readyNotice(room, notice, place, (accid) => nickOf(room, accid)),
            isPassing: comesOrGoes(notice),
            targets: notice.target ?? [],
          }
        })
      }
      const kept = notices.filter(({ id }) => isKeptNotice(id)).length
      const isCopied = copies.wants(uid, 4) && !notices.every(comesOrGoes)
      let ready: ReturnType<typeof readied> | undefined
      if (kept > 0 || isCopied || Object.keys(change).length > 0)
        await changes.commit({ roomid, change }, async (transaction) => {
          // Number and time are taken together, so that the history is ordered by both.
          ready = readied(kept > 0 ? await history.take(transaction, kept) : 0)
          for (const { line } of ready) if (line) await history.keep(transaction, line)
          const copied = isCopied ? ready.flatMap(({ copy }) => (copy ? [copy] : [])) : []
          await Promise.all(copied.map((copy) => copies.enqueue(transaction, uid, copy)))
        })
      ready ??= readied(0)
      const isLarge = room.inside.size > limits(uid).roomNotices
      for (const { text, fullText: full, isPassing, targets, line } of ready)
        if (!isPassing) pushes.tell(room, { to: 'all', text, ...(line && { line: line.line }) })
        else if (isLarge) pushes.tell(room, { to: 'leaders', text: full ?? text })
        else if (full !== undefined) pushes.tell(room, { to: 'apart', text, full, targets })
        else pushes.tell(room, { to: 'allSoon', text })
      if (ready.some(({ isPassing }) => isPassing) || change.member || change.robots || change.robotsOut)
        counts.touched(room)
    },
  }
}

/** What all handlers of rooms share. */
export type RoomContext = ReturnType<typeof createRoomContext>
