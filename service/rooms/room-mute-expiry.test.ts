import type { Clock } from '../../platform/clock.ts'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { roleOptions } from '../../contract/operations/chatrooms.ts'
import { noticeType, roomNotices } from '../../contract/catalogue/notices.ts'
import { createApplications } from '../applications.ts'
import { silentLog } from '../log.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { eventually } from '../testing/eventually.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { testCredentials } from '../testing/start-service.ts'
import { mutedFor, muteReason, type Room } from './room.ts'
import { createRoomLines } from './room-lines.ts'
import { createRoomMembers, type RoomMembers } from './room-members.ts'
import { createRoomMuteExpiry, type RoomMuteExpiry } from './room-mute-expiry.ts'
import { createRoomSettings } from './room-settings.ts'
import { createRoomPeriods } from './room-periods.ts'
import { createRoomStatistics } from './room-statistics.ts'
import { createRoomContext } from './room-context.ts'
import { createRoomRegistry } from './rooms-registry.ts'
import { pushesOf } from './testing/stored-room.ts'
import { loadRooms } from './rooms-store.ts'

const day = 86_400_000
let dataDir: string
let store: Store
let uid: number
let roomid: number
/** Steady time, and the offset of the wall clock. */
let time: ManualClock
let moved: number
let readings = 0
const clock: Clock = {
  now: () => time.now() + moved,
  // Fractions as the system's clock has them, each another.
  monotonic: () => time.monotonic() + ++readings / 1024,
  after: (ms, call) => time.after(ms, call),
}
let room: Room
let members: RoomMembers
let ends: RoomMuteExpiry
let lines: ReturnType<typeof createRoomLines>
/** What the last start was made with. */
let parts: Pick<Parameters<typeof createRoomMuteExpiry>[0], 'context'>

/** Starts rooms over the stored state; the first start makes a room of cara. */
async function start(): Promise<void> {
  const registry = createRoomRegistry(await loadRooms(store.db), clock)
  const statistics = await createRoomStatistics(store.db, createRoomPeriods('UTC'), clock)
  const copies = { wants: () => false, enqueue: () => Promise.resolve() }
  lines = createRoomLines(store.db, { statistics, copies })
  const limits = () => ({ roomsPerCreator: 9, roomAdmins: 9, roomLimited: 9, roomRobots: 9, roomNotices: 9 })
  const accounts = {
    find: (_uid: number, accid: string) => ({ name: accid.startsWith('guest') ? '' : accid.toUpperCase(), icon: '' }),
  }
  const context = createRoomContext({
    journal: createMemoryJournal(store),
    registry,
    accounts,
    names: {
      of: (_roomid: number, accid: string) =>
        ({ 'guest-1': 'Kestrel', lookalike: 'CARA 2' } as Readonly<Record<string, string>>)[accid],
    },
    copies,
    history: lines,
    limits,
    counts: { touched: () => undefined },
    pushes: pushesOf(registry),
    clock,
    random: randomBytes,
  })
  roomid ||= (
    await createRoomSettings(context).create(uid, 'cara', { name: 'x', announcement: '', broadcasturl: '', ext: '' })
  ).row.roomid
  room = registry.get(roomid)!
  parts = { context }
  ends = createRoomMuteExpiry({ context, uids: [uid], log: silentLog })
  members = createRoomMembers(context, ends)
}
async function restart(down = 0): Promise<void> {
  await ends.close()
  time.advance(down)
  await start()
}
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-mutes-'))
  store = await openStore(dataDir)
  time = manualClock()
  moved = 0
  roomid = 0
  await createApplications(store.db, [{ name: 'main', credentials: testCredentials }], {
    journal: createMemoryJournal(store),
    clock,
    random: randomBytes,
    localTargets: true,
  })
  uid = (await store.db.selectFrom('application').select('uid').executeTakeFirstOrThrow()).uid
  await start()
})
afterEach(async () => {
  await ends.close()
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const cara = { accid: 'cara', clientType: 'REST' } as const
const mute = (target: string, seconds: number, needNotify = true) =>
  members.muteForAWhile(uid, roomid, { operator: cara, target, seconds, needNotify })
/** Announced mutes, oldest first: id, account, whether it expired. */
const told = async (): Promise<(string | number)[][]> => {
  const rows = await lines.query({ roomid, states: ['shown'], notices: true, limit: 100 })
  return rows.toReversed().map(({ type, sender, attach }) => {
    const { id, data } = JSON.parse(attach) as { id: number; data: { target: string[]; expired?: boolean } }
    expect([type, sender]).toEqual([noticeType, 'cara'])
    return [id, ...data.target, ...(data.expired ? ['expired'] : [])]
  })
}
/** Advances the time, leaving time for timers. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    time.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
const isMuted = (accid: string): boolean => muteReason(room, accid, clock.now()) !== undefined
const left = (accid: string): number => mutedFor(room, accid, clock.now())

describe('the end of a temporary mute', () => {
  it.each([1, 59, 2_592_000])('of %i s comes in its ms and is told', async (seconds) => {
    await mute('tim', seconds)
    time.advance(seconds * 1000 - 1)
    expect([isMuted('tim'), left('tim')]).toEqual([true, 1])
    time.advance(1)
    expect([isMuted('tim'), left('tim')]).toEqual([false, 0])
    await eventually(async () =>
      expect(await told()).toEqual([
        [314, 'tim'],
        [315, 'tim', 'expired'],
      ]),
    )
    expect(room.members.has('tim')).toBe(false)
    expect(await store.db.selectFrom('roomMember').selectAll().execute()).toEqual([])
  })

  it('counts down by the second', async () => {
    await mute('tim', 3)
    const seen: number[] = []
    for (let step = 0; step < 7; step++) {
      seen.push(left('tim'))
      time.advance(500)
    }
    expect(seen).toEqual([3, 3, 2, 2, 1, 1, 0])
  })

  it('comes for each of many in their order, and says who, with what nick and for whom', async () => {
    await Promise.all([mute('tim', 30), mute('stan', 10), mute('mona', 20)])
    time.advance(30_000)
    await eventually(async () => expect((await told()).slice(3)).toHaveLength(3))
    expect((await told()).slice(3).toSorted()).toEqual([
      [315, 'mona', 'expired'],
      [315, 'stan', 'expired'],
      [315, 'tim', 'expired'],
    ])
    const [last] = await lines.query({ roomid, states: ['shown'], notices: true, limit: 1 })
    expect((JSON.parse(last!.attach) as { data: object }).data).toMatchObject({
      operator: 'cara',
      opeNick: 'CARA',
      muteDuration: 0,
      expired: true,
    })
  })

  it('names an account that has left as it was called in the room, where another has the name that it has elsewhere', async () => {
    await mute('lookalike', 5)
    const [row] = await lines.query({ roomid, states: ['shown'], notices: true, limit: 1 })
    expect((JSON.parse(row!.attach) as { data: object }).data).toMatchObject({ opeNick: 'CARA', tarNick: ['CARA 2'] })
  })

  it('names a guest who has left as they were called last', async () => {
    await mute('guest-1', 5)
    time.advance(5000)
    await eventually(async () => expect(await told()).toHaveLength(2))
    const rows = await lines.query({ roomid, states: ['shown'], notices: true, limit: 2 })
    expect(rows.map(({ attach }) => (JSON.parse(attach) as { data: { tarNick: string[] } }).data.tarNick)).toEqual([
      ['Kestrel'],
      ['Kestrel'],
    ])
  })

  it('says of one of two mutes that another one holds, whichever ends first and how', async () => {
    const still = async (): Promise<(number | boolean)[][]> =>
      (await lines.query({ roomid, states: ['shown'], notices: true, limit: 100 }))
        .map(({ attach }) => JSON.parse(attach) as { id: number; data: { stillMuted?: boolean } })
        .filter(({ id }) => id === roomNotices.unmuted || id === roomNotices.muteForAWhileLifted)
        .map(({ id, data }) => [id, data.stillMuted === true])
        .toReversed()
    const untilLifted = (on: boolean) =>
      members.setRole(uid, roomid, { operator: cara, target: 'tim', option: roleOptions.mute, on })
    await untilLifted(true)
    await mute('tim', 5)
    time.advance(5000)
    await eventually(async () => expect(await still()).toEqual([[315, true]]))
    await mute('tim', 60)
    await mute('tim', 0)
    await mute('tim', 60)
    await untilLifted(false)
    await mute('tim', 0)
    expect((await still()).slice(1)).toEqual([
      [315, true],
      [306, true],
      [315, false],
    ])
  })

  it('is not told where the mute was not, and once where it was lifted', async () => {
    await mute('tim', 10, false)
    await mute('stan', 10)
    await mute('stan', 0)
    time.advance(20_000)
    await eventually(() => expect(room.members.has('tim')).toBe(false))
    expect(await told()).toEqual([
      [314, 'stan'],
      [315, 'stan'],
    ])
  })

  it('is that of the last one set, be it sooner or later', async () => {
    await mute('tim', 60)
    await mute('tim', 5)
    time.advance(5000)
    expect(isMuted('tim')).toBe(false)
    await mute('stan', 5)
    await mute('stan', 60)
    time.advance(5000)
    expect(isMuted('stan')).toBe(true)
    time.advance(55_000)
    expect(isMuted('stan')).toBe(false)
  })

  it('leaves a permanent mute, which outlives it; and a permanent mute that is lifted leaves it', async () => {
    const permanently = (target: string, on: boolean) =>
      members.setRole(uid, roomid, { operator: cara, target, option: -2, on })
    await permanently('nora', true)
    await mute('nora', 5)
    time.advance(5000)
    await eventually(async () => expect((await told()).at(-1)).toEqual([315, 'nora', 'expired']))
    expect(isMuted('nora')).toBe(true)
    await mute('nora', 60)
    await permanently('nora', false)
    expect([isMuted('nora'), left('nora')]).toEqual([true, 60])
    time.advance(60_000)
    expect(isMuted('nora')).toBe(false)
  })
})

it('a mute in a room of an application that is not served waits until it is', async () => {
  await mute('tim', 60)
  await ends.close()
  const { context } = parts
  ends = createRoomMuteExpiry({ context, uids: [uid + 1], log: silentLog })
  time.advance(120_000)
  await ends.close()
  expect(room.members.has('tim')).toBe(true)
  ends = createRoomMuteExpiry({ context, uids: [uid], log: silentLog })
  await eventually(async () => expect((await told()).at(-1)).toEqual([315, 'tim', 'expired']))
  expect(room.members.has('tim')).toBe(false)
})

describe('a restart', () => {
  it('lets a mute run on, and its end is told as if nothing had been', async () => {
    await mute('tim', 60)
    time.advance(20_000)
    await restart(10_000)
    expect(left('tim')).toBe(30)
    time.advance(30_000)
    expect(isMuted('tim')).toBe(false)
    await eventually(async () => expect((await told()).at(-1)).toEqual([315, 'tim', 'expired']))
  })

  it('tells the end of a mute that was over meanwhile, and keeps a permanent one', async () => {
    await mute('tim', 60)
    await members.setRole(uid, roomid, { operator: cara, target: 'nora', option: -2, on: true })
    await mute('nora', 60)
    await restart(2 * day)
    expect([isMuted('tim'), isMuted('nora')]).toEqual([false, true])
    await eventually(async () => expect((await told()).filter(([id]) => id === 315)).toHaveLength(2))
    expect(await store.db.selectFrom('roomMember').select(['accid', 'mutedUntil']).execute()).toEqual([
      { accid: 'nora', mutedUntil: 0 },
    ])
  })

  it('with a clock that had been years ahead mutes nobody for more than 30 days', async () => {
    moved = 3650 * day
    await restart()
    await mute('tim', 60)
    moved = 0
    await restart()
    await eventually(() => expect(left('tim')).toBe(2_592_000))
  })
})

describe('a clock that is', () => {
  it.each([15_000, 3_600_000, 400 * day])('set back by %i ms prolongs no mute', async (by) => {
    await mute('tim', 60)
    await mute('stan', 4000)
    await pass(20)
    moved -= by
    await pass(10)
    await eventually(() => expect([left('tim'), left('stan')]).toEqual([30, 3970]))
    expect(room.members.get('stan')!.mutedUntil % 1).toBe(0)
    time.advance(30_000)
    expect([isMuted('tim'), isMuted('stan')]).toEqual([false, true])
    await eventually(async () => expect((await told()).at(-1)).toEqual([315, 'tim', 'expired']))
    await restart()
    expect(left('stan')).toBe(3940)
  })

  it('set back does not shorten what is set from then on', async () => {
    await mute('tim', 600)
    time.advance(3000)
    moved -= 3_600_000
    await mute('stan', 60)
    expect([left('tim'), left('stan')]).toEqual([597, 60])
    time.advance(59_999)
    expect(isMuted('stan')).toBe(true)
    time.advance(1)
    expect([isMuted('stan'), left('tim')]).toEqual([false, 537])
  })

  it('set forward ends what is over by then, and nothing else', async () => {
    await mute('tim', 60)
    await mute('stan', 7200)
    moved += 3_600_000
    expect([isMuted('tim'), left('stan')]).toEqual([false, 3600])
    time.advance(10_000)
    await eventually(async () => expect((await told()).at(-1)).toEqual([315, 'tim', 'expired']))
    expect(left('stan')).toBe(3590)
  })
})
