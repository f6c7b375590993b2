import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SmallDisk, smallDisk } from '../../platform/testing/small-disk.ts'
import type { Room } from '../rooms/room.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { createRoomNames } from '../rooms/room-names.ts'
import { createAcks } from '../link/acks.ts'
import { createLoginAudit, type LogInRecord } from '../link/login-audit.ts'
import { createAdmissionLog } from '../channels/channels-admissions.ts'
import { createCursors } from '../stream/cursors.ts'

import type { RoomTable } from './room-tables.ts'
import { openSqliteStore } from './store-sqlite.ts'
import type { Store } from './store.ts'

/** Background writes have no caller to be refused: they must be made once there is space. */
const isRoot = process.platform === 'linux' && process.getuid?.() === 0
let dir: string
let disk: SmallDisk
let store: Store
const said: string[] = []
const log = { warn: (_details: object, what: string) => void said.push(what) }

beforeAll(async () => {
  if (!isRoot) return
  dir = mkdtempSync(path.join(tmpdir(), 'sidestage-behind-'))
  disk = smallDisk(dir, 16)
  store = await openSqliteStore(dir)
})
afterAll(async () => {
  if (!isRoot) return
  await store.close()
  disk.remove()
  rmSync(dir, { recursive: true })
})

it.skipIf(!isRoot)('keeps admissions that a full disk refused, and writes them with the next', async () => {
  const admissions = createAdmissionLog(store.db, log)
  disk.fill()
  admissions.note({ cid: 'a', wsTime: 1, lastPacket: 10 })
  admissions.note({ cid: 'b', wsTime: 1, lastPacket: 10 })
  await admissions.settled()
  disk.empty()
  expect(await admissions.load()).toEqual([])
  admissions.note({ cid: 'a', wsTime: 1, lastPacket: 20 })
  await admissions.settled()
  expect((await admissions.load()).map(({ cid, lastPacket }) => [cid, lastPacket]).sort()).toEqual([
    ['a', 20],
    ['b', 10],
  ])
})

it.skipIf(!isRoot)('keeps how far devices are, and writes it the next time', async () => {
  const cursors = createCursors({ db: store.db, committed: () => 100 })
  const due: (() => void)[] = []
  const received = createAcks(
    cursors,
    {
      after: (_ms, call) => {
        due.push(call)
        return () => undefined
      },
    },
    log,
  )
  received.note(1, 'mei', 'phone', 7)
  disk.fill()
  await received.settle(1, 'mei')
  disk.empty()
  expect(await cursors.cursor(1, 'mei', 'phone')).toBe(undefined)
  // No older value replaces it meanwhile.
  received.note(1, 'mei', 'phone', 5)
  await received.close()
  expect(await cursors.cursor(1, 'mei', 'phone')).toBe(7)
})

it.skipIf(!isRoot)('keeps records of log-ins, and writes them in their order with the next', async () => {
  const records = createLoginAudit(store.db, { enqueue: () => Promise.resolve() }, log)
  const record = (at: number): LogInRecord => ({
    uid: 1,
    accid: 'mei',
    at,
    eventType: 2,
    clientIp: '::1',
    sdkVersion: '1',
    clientType: 'web',
    code: 200,
  })
  const stored = async (): Promise<number[]> =>
    (await records.query({ uid: 1, accid: 'mei', begin: 0, end: 100, limit: 100, ascending: true })).map(({ at }) => at)
  disk.fill()
  for (const at of [1, 2]) records.note(record(at))
  await records.settled()
  disk.empty()
  expect(await stored()).toEqual([])
  records.note(record(3))
  await records.settled()
  expect(await stored()).toEqual([1, 2, 3])
})

it.skipIf(!isRoot)('lets nobody in under a name that was not stored, and stores it at the next entry', async () => {
  const names = await createRoomNames({
    db: store.db,
    journal: createMemoryJournal(store),
    clock: manualWallClock(),
    random: () => 0,
    find: () => undefined,
  })
  const room: Room = {
    row: { roomid: 7, uid: 1, creator: 'cara' } as RoomTable,
    memberChanges: 0,
    members: new Map(),
    robots: new Map(),
    inside: new Map(),
    listeners: undefined as never,
    queue: new Map(),
  }
  const rows = async (): Promise<string[]> =>
    (await store.db.selectFrom('roomName').select('name').execute()).map(({ name }) => name)
  disk.fill()
  names.give(room, 'a', 'Kestrel', true, '')
  await expect(names.stored(7, 'a')).rejects.toMatchObject({ errcode: 13 })
  disk.empty()
  expect(await rows()).toEqual([])
  names.give(room, 'a', 'Kestrel', true, '')
  await names.stored(7, 'a')
  expect(await rows()).toEqual(['Kestrel'])
})
