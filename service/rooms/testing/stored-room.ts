import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RoomCopy } from '../../../contract/callbacks/copy.ts'
import { manualClock, type ManualClock } from '../../../platform/testing/manual-clock.ts'
import { createMemoryBus } from '../../bus/memory-bus.ts'
import { createMemoryJournal } from '../../journal/memory-journal.ts'
import { madeAgain } from '../../journal/testing/made-again.ts'
import type { RoomLineTable, RoomMemberTable, RoomTable } from '../../storage/room-tables.ts'
import { messagingSettings } from '../../storage/schema.ts'
import { openStore } from '../../storage/testing/open-store.ts'
import type { Store } from '../../storage/store.ts'
import { createRoomContext, type RoomContext, type RoomLimits } from '../room-context.ts'
import { createRoomPushes, type RoomPushes } from '../room-pushes.ts'
import { nobody, type Room } from '../room.ts'
import { createRoomRegistry, type RoomRegistry } from '../rooms-registry.ts'
import { loadRooms } from '../rooms-store.ts'

/** A frame that a session got, without its header. */
export type ToldFrame = Readonly<Record<string, unknown>> & { readonly t: string }

/** What all handlers of rooms share, over a real store; accounts, names and copies are plain objects. */
export interface StoredRoom {
  readonly context: RoomContext
  readonly registry: RoomRegistry
  readonly store: Store
  readonly clock: ManualClock
  /** Room 7 of cara. */
  readonly room: Room
  /** Names of accounts; others do not exist. */
  readonly accounts: Map<string, string>
  /** Last names in the room. */
  readonly names: Map<string, string>
  readonly limits: { -readonly [K in keyof RoomLimits]: RoomLimits[K] }
  readonly copies: RoomCopy[]
  readonly wanted: { copies: boolean }
  readonly kept: RoomLineTable[]
  /** How many were inside for each line of a guest. */
  readonly delivered: number[]
  /** How often figures may have changed. */
  readonly touched: () => number
  /** Puts an account inside, with a session; returns what the session is told from then on. */
  enter(accid: string, session?: string): ToldFrame[]
  /** Gives an account marks, without a notice. */
  mark(accid: string, marks: Partial<RoomMemberTable>): void
  /** The room as it is read after a restart. */
  reread(): Promise<Room>
  close(): Promise<void>
}

const throwing = (fields: { readonly err?: unknown }): never => {
  throw fields.err
}

/** What those inside are told, over a bus of its own, in which nothing may throw. */
export const pushesOf = (
  registry: Parameters<typeof createRoomPushes>[0]['registry'],
  others: Partial<Pick<Parameters<typeof createRoomPushes>[0], 'deliveries' | 'counts'>> = {},
): RoomPushes =>
  createRoomPushes({
    bus: createMemoryBus({ log: { error: throwing } }),
    registry,
    deliveries: { deliver: (_readers, hand) => hand() },
    counts: { touched: () => undefined },
    ...others,
  })

/** Application of the room. */
export const storedUid = 1

/** Makes a room of cara. */
export async function startStoredRoom(row: Partial<RoomTable> = {}): Promise<StoredRoom> {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-room-'))
  const store = await openStore(folder)
  const clock = manualClock()
  const registry = createRoomRegistry(await loadRooms(store.db), clock)
  const accounts = new Map(['cara', 'adam', 'mona', 'mike', 'nora', 'stan'].map((name) => [name, name.toUpperCase()]))
  const names = new Map<string, string>()
  const limits = { roomsPerCreator: 9, roomAdmins: 9, roomLimited: 9, roomRobots: 9, roomNotices: 9 }
  const copies: RoomCopy[] = []
  const kept: RoomLineTable[] = []
  const delivered: number[] = []
  const wanted = { copies: true }
  let touched = 0
  let lines = 0
  let random = 0
  const counts = { touched: () => void touched++ }
  const context = createRoomContext({
    journal: madeAgain(createMemoryJournal(store)),
    registry,
    accounts: {
      find: (_uid, accid) => (accounts.has(accid) ? { name: accounts.get(accid)!, icon: '' } : undefined),
    },
    names: { of: (_roomid, accid) => names.get(accid) },
    copies: {
      wants: (_uid, kind) => wanted.copies && kind === 4,
      enqueue(_transaction, _uid, copy) {
        copies.push(copy)
        return Promise.resolve()
      },
    },
    history: {
      take: (_transaction, count) => Promise.resolve((lines += count) - count + 1),
      keep(_transaction, line) {
        kept.push(line)
        return Promise.resolve()
      },
    },
    limits: () => limits,
    counts,
    pushes: pushesOf(registry, {
      deliveries: {
        deliver(readers, hand) {
          delivered.push(readers)
          hand()
        },
      },
      counts,
    }),
    clock,
    random: (bytes) => Buffer.alloc(bytes, ++random),
  })
  const texts = { announcement: '', broadcasturl: '', ext: '' }
  const made = { roomid: 7, uid: storedUid, creator: 'cara', name: 'room', ...texts }
  const state = { valid: 1, muted: 0, slow: 0, queueLimit: 3, cid: null, created: registry.created() }
  await store.db
    .insertInto('application')
    .values({
      uid: storedUid,
      name: 'main',
      created: 0,
      ownerPresent: 1,
      liveEnabled: 1,
      vodEnabled: 1,
      frozen: 0,
      oneTimeCheckSum: 0,
      pushLifeDays: 30,
      localTargets: null,
      recordingDays: 0,
      recordingGigabytes: 0,
      recordingLinkHours: 24,
      ...messagingSettings,
    })
    .execute()
  await store.db
    .insertInto('room')
    .values({ ...made, ...state, ...row })
    .execute()
  registry.apply(7, { room: { ...made, ...state, ...row } })
  const room = registry.get(7)!
  return {
    context,
    registry,
    store,
    clock,
    room,
    accounts,
    names,
    limits,
    copies,
    wanted,
    kept,
    delivered,
    touched: () => touched,
    enter(accid, session = accid) {
      const told: ToldFrame[] = []
      // Several frames may come in one write.
      const write = (frames: Buffer): void => {
        for (let at = 0; at < frames.length;) {
          const short = frames[at + 1]!
          const begin = at + (short < 126 ? 2 : 4)
          at = begin + (short < 126 ? short : frames.readUInt16BE(at + 2))
          told.push(JSON.parse(frames.subarray(begin, at).toString()) as ToldFrame)
        }
      }
      registry.enter(room, accid, session, { write }, { nick: accid.toUpperCase(), avatar: '', ext: '' })
      return told
    },
    mark: (accid, marks) =>
      registry.apply(7, { member: { roomid: 7, accid, ...nobody, updated: registry.stamp(room), ...marks } }),
    reread: async () => createRoomRegistry(await loadRooms(store.db), clock).get(7)!,
    async close() {
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
