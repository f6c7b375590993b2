import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Operation } from '../../contract/operation.ts'
import { chatrooms, live, local } from '../../contract/operations/index.ts'
import type { Measure, RoomAction } from '../../contract/rpc/index.ts'
import { startRooms, type RoomRig } from '../../service/rooms/testing/rig.ts'
import { testCredentials } from '../../service/testing/start-service.ts'
import { createClient, type Client } from '../client/client.ts'
import { createTransport, type Transport } from '../client/transport.ts'
import { systemClock } from '../../platform/clock.ts'
import { failureOf, scratch } from '../testing/rig.ts'
import { openActionLog } from './action-log.ts'
import { openRooms, type Rooms } from './rooms.ts'
import { isLocal } from '../profiles/profiles.ts'

const folder = scratch()
const limited = 5_001
/** Rooms that were made since the one that is asked for: of 100 in a part of the list. */
const newer = 950
const strangers = 500
let service: RoomRig
let transport: Transport
let rooms: Rooms
let roomid = 0
let quiet = 0
/** Paths of the signed calls since a test began. */
let calls: string[] = []
beforeEach(() => {
  calls = []
})

beforeAll(async () => {
  service = await startRooms()
  roomid = await service.room({ roles: true })
  quiet = await service.room()
  const mona = await service.user('mona')
  await mona.request('roomEnter', { roomid: quiet, nick: 'Mona of the night' })
  await service.stop()
  using outside = new DatabaseSync(path.join(service.dataDir, 'sidestage.db'))
  const insert = outside.prepare(
    'insert into roomMember (roomid, accid, admin, ordinary, blacklisted, muted, mutedUntil, mutedBy, updated) values (?, ?, 0, 0, 1, 1, 0, null, ?)',
  )
  const later = Date.now() + 1_000
  const insertRoom = outside.prepare(
    `insert into room (roomid, uid, creator, name, announcement, broadcasturl, ext, valid, muted, slow, queueLimit, cid, created)
      select ?, uid, creator, ?, announcement, broadcasturl, ext, 0, 0, 0, queueLimit, null, created + ? from room where roomid = ?`,
  )
  outside.exec('begin')
  for (let index = 0; index < limited; index++) insert.run(roomid, `troll${index}`, later + index)
  for (let index = 1; index <= newer; index++) insertRoom.run(index, `Room ${index}`, index + 1_000, roomid)
  outside.exec('commit')
  service = await startRooms({ dataDir: service.dataDir })

  const log = openActionLog(path.join(folder.dir, 'actions.db'))
  for (let index = 0; index < strangers; index++) {
    const target = index === 7 ? 'mona' : `guest-${index}`
    const what = { kind: 'blacklist', target, on: true } as const
    log.begin({
      profileId: 'local',
      roomid: quiet,
      at: index + 1,
      operator: 'cara',
      seat: false,
      what,
      why: '',
      undoes: null,
    })
  }
  log.close()
  transport = createTransport()
  const { baseUrl: liveUrl, imBaseUrl: messagingUrl } = service.service.ready
  const client = createClient(
    { liveUrl, messagingUrl, ...testCredentials },
    { transport, clock: systemClock, random: randomBytes },
  )
  const counting = {
    call: (operation: Operation, args: never) => {
      calls.push(operation.path)
      return client.call(operation, args)
    },
  } as unknown as Client
  const none = (): Promise<never> => Promise.reject(new Error('not asked for here'))
  rooms = await openRooms({
    dataDir: folder.dir,
    clock: systemClock,
    random: randomBytes,
    client: () => Promise.resolve(counting),
    isExtended: isLocal,
    openSocket: () => expect.fail('no link is opened'),
    device: 'test',
    accounts: { createAccount: none, refreshToken: none, ownAccount: none },
    token: none,
    receiver: () => ({ phase: 'off', url: null }),
    changed: () => undefined,
    pushed: () => undefined,
    log: () => undefined,
  })
})
afterAll(async () => {
  rooms?.close()
  transport?.close()
  await service?.close()
  folder[Symbol.dispose]()
})

const announce = (profileId: string, as: string) =>
  rooms.act({ profileId, roomid, measure: { kind: 'announce', text: `by ${as}` }, why: '' }, as)

it('finds a room far down the list, and then with one call, also when others were made since', async () => {
  const { cid } = (await service.call(live.create, { name: 'beside', type: 0 })).ret!
  await rooms.link('local', cid, roomid)
  calls = []
  expect(await rooms.find('local', roomid)).toMatchObject({ roomid, name: 'the room', creator: 'cara', cid })
  expect(calls).toEqual([local.roomDetails.path])
  await service.room()
  for (let time = 0; time < 3; time++) expect((await rooms.find('local', roomid))?.cid).toBe(cid)
  expect(calls).toHaveLength(4)
})

it('finds one that is on the first part, and says when there is none', async () => {
  const { rooms: first } = await rooms.list('local', undefined)
  calls = []
  expect(await rooms.find('local', first[0]!.roomid)).toEqual(first[0])
  expect(calls).toHaveLength(1)
  expect(await rooms.find('local', 999_999)).toBeUndefined()
  expect(calls).toHaveLength(2)
})

it.each([
  [{ kind: 'announce', text: 'x' }, local.changeRoom],
  [{ kind: 'mute', target: 'mona', on: true }, chatrooms.setMemberRole],
  [{ kind: 'temporaryMute', target: 'mike', seconds: 60 }, chatrooms.temporaryMute],
  [{ kind: 'slowMode', seconds: 0 }, local.slowMode],
] as const satisfies readonly (readonly [Measure, Operation])[])(
  'a measure of a moderator asks once who it is, and reads no list: %j',
  async (measure, operation) => {
    await rooms.act({ profileId: 'local', roomid, measure, why: '' }, 'adam')
    expect(calls.filter((one) => one !== local.roomPeople.path)).toEqual([operation.path])
    expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(4)
  },
)

it('a moderator behind 5,001 who were blacklisted since is found with a handful of calls', async () => {
  expect(await announce('local', 'adam')).toMatchObject({ action: { result: 'done' } })
  expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(6)
  calls = []
  for (const accid of ['mona', 'nora', 'troll7', 'nobody', 'cara'])
    expect(await failureOf(announce('local', accid))).toMatchObject({ kind: 'code', code: 403 })
  expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(5 * 6)
})

it('a timed mute in a room with 5,001 who are muted asks for its target only', async () => {
  const mute = (seconds: number) =>
    rooms.act({ profileId: 'local', roomid, measure: { kind: 'temporaryMute', target: 'mike', seconds }, why: '' })
  expect(await mute(600)).toMatchObject({ action: { result: 'done' } })
  expect(await failureOf(mute(60))).toMatchObject({ kind: 'outlasted' })
  // Of the muted there are half a megabyte.
  expect(calls).toContain(local.roomPeople.path)
  expect(calls).not.toContain(local.muted.path)
})

it('of a hosted room nobody is called no moderator while the search is not at its end, which goes on from there and remembers the place', async () => {
  const pages = () => calls.filter((one) => one.includes('membersByPage')).length
  expect(await failureOf(announce('hosted', 'adam'))).toMatchObject({ kind: 'untold' })
  expect(pages()).toBe(50)
  calls = []
  expect(await announce('hosted', 'adam')).toMatchObject({ action: { result: 'done' } })
  expect(pages()).toBeLessThanOrEqual(3)
  calls = []
  expect(await announce('hosted', 'adam')).toMatchObject({ action: { result: 'done' } })
  expect(pages()).toBe(1)
  // Others are at hand of whom all members were read once.
  expect(await failureOf(announce('hosted', 'stan'))).toMatchObject({ kind: 'untold' })
  expect(await failureOf(announce('hosted', 'stan'))).toMatchObject({ kind: 'code', code: 403 })
  calls = []
  expect(await failureOf(announce('hosted', 'stan'))).toMatchObject({ kind: 'code', code: 403 })
  expect(pages()).toBe(1)
  // Made one since, it stands before those who were read; unset, the place that is remembered is another's.
  expect(await service.role(roomid, 'stan', 1)).toBe(200)
  expect(await announce('hosted', 'stan')).toMatchObject({ action: { result: 'done' } })
  expect(await service.role(roomid, 'stan', 1, false)).toBe(200)
  expect(await failureOf(announce('hosted', 'stan'))).not.toMatchObject({ kind: 'internal' })
  expect(await service.role(roomid, 'adam', 1, false)).toBe(200)
  expect(await service.role(roomid, 'adam', 2)).toBe(200)
  expect(await failureOf(announce('hosted', 'adam'))).toMatchObject({ kind: 'code', code: 403 })
})

it('a part of an export with 500 people who are gone asks for their names with a few calls', async () => {
  const { text, next } = await rooms.exportActions({ profileId: 'local', roomid: quiet, format: 'json' })
  expect(calls.length, calls.slice(0, 20).join(' ')).toBeLessThanOrEqual(10)
  expect(next).not.toBeNull()
  const actions = JSON.parse(`${text}]`) as RoomAction[]
  expect(actions).toHaveLength(strangers)
  const named = actions
    .filter(({ targetName }) => targetName !== '')
    .map(({ targetName, operatorName }) => [operatorName, targetName])
  expect(named).toEqual([['CARA', 'Mona of the night']])
})
