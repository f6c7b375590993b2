import { expect, it, onTestFinished } from 'vitest'
import type { Room } from './room.ts'
import type { RoomContext } from './room-context.ts'
import type { RoomPush } from './room-pushes.ts'
import { createRoomSettings, roomFields } from './room-settings.ts'
import { startStoredRoom } from './testing/stored-room.ts'

/** Settings of rooms of cara, who may have two open ones; a commit takes until `finish`. */
function made(row: Partial<Room['row']> = {}, open = 0) {
  const commits: unknown[][] = []
  const finishing: (() => void)[] = []
  const told: unknown[] = []
  const room = (roomid: number) =>
    ({
      row: { roomid, uid: 1, creator: 'cara', valid: 1, muted: 0, announcement: 'old', name: 'room', ...row },
      members: new Map(),
      robots: new Map([['robot', {}]]),
    }) as unknown as Room
  const settings = createRoomSettings({
    mustExist: () => undefined,
    on: (_uid: number, roomid: number, _missing: number, work: (of: Room) => unknown) => work(room(roomid)),
    commit: (_room: Room, ...what: unknown[]) => {
      commits.push(what)
      return new Promise<void>((resolve) => finishing.push(resolve))
    },
    tell: ({ row: { roomid } }: Room, push: RoomPush) => told.push([roomid, push]),
    options: {
      registry: { openOf: () => open },
      limits: () => ({ roomsPerCreator: 2 }),
    },
  } as unknown as RoomContext)
  return { settings, commits, told, finish: () => finishing.splice(0).forEach((resolve) => resolve()) }
}
const cara = { accid: 'cara', clientType: 'WEB' } as const
const quiet = { needNotify: false }
/** The room of cara over a real store. */
const stored = async () => {
  const rig = await startStoredRoom()
  onTestFinished(() => rig.close())
  return rig
}

it('rooms that are being opened count as open, so that two at once do not exceed what a creator may have', async () => {
  const { settings, finish } = made({ valid: 0 }, 1)
  const first = settings.setOpen(1, 7, cara, true)
  await expect(settings.setOpen(1, 8, cara, true)).rejects.toMatchObject({ code: 419 })
  finish()
  await first
  const again = settings.setOpen(1, 8, cara, true)
  finish()
  await again
})

it('closing a room tells those inside, puts everybody and all robots out, and is told in its history', async () => {
  const { settings, commits, told, finish } = made()
  const closed = settings.setOpen(1, 7, cara, false)
  finish()
  await closed
  expect(commits).toMatchObject([[{ room: { valid: 0 }, robotsOut: ['robot'] }, [{ operator: 'cara' }]]])
  expect(told).toEqual([[7, { to: 'out', reason: 'closed' }]])
})

it('a change of a room keeps what is absent, and is told only where that is wanted', async () => {
  const { settings, commits, finish } = made()
  for (const needNotify of [false, true]) {
    const changed = settings.update(1, 7, { announcement: '' }, { needNotify, notifyExt: 'x', was: 'old' })
    finish()
    await changed
  }
  expect(commits).toMatchObject([
    [{ room: { name: 'room', announcement: '' } }, []],
    [{ room: { name: 'room', announcement: '' } }, [{ operator: 'cara', ext: 'x' }]],
  ])
})

it('muting the whole room is told only where that is wanted, and changes nothing where it is so already', async () => {
  const { settings, commits, finish } = made()
  for (const notify of [quiet, { needNotify: true }]) {
    const muted = settings.setMuted(1, 7, cara, true, notify)
    finish()
    await muted
  }
  await settings.setMuted(1, 7, cara, false, { needNotify: true })
  expect(commits).toMatchObject([
    [{ room: { muted: 1 } }, []],
    [{ room: { muted: 1 } }, [{ operator: 'cara' }]],
  ])
})

it.each([
  [
    'somebody else closes it',
    403,
    {},
    (settings: ReturnType<typeof createRoomSettings>) =>
      settings.setOpen(1, 7, { accid: 'mona', clientType: 'WEB' }, false),
  ],
  [
    'it is open already',
    417,
    {},
    (settings: ReturnType<typeof createRoomSettings>) => settings.setOpen(1, 7, cara, true),
  ],
  [
    'it is changed while closed',
    13002,
    { valid: 0 },
    (settings: ReturnType<typeof createRoomSettings>) => settings.update(1, 7, { name: 'x' }, quiet),
  ],
  [
    'somebody else changes it',
    403,
    {},
    (settings: ReturnType<typeof createRoomSettings>) =>
      settings.update(1, 7, { name: 'x' }, { ...quiet, operator: 'mona' }),
  ],
  [
    'its announcement is another one by now',
    417,
    {},
    (settings: ReturnType<typeof createRoomSettings>) =>
      settings.update(1, 7, { announcement: 'new' }, { ...quiet, was: 'older' }),
  ],
  [
    'somebody else mutes it',
    403,
    {},
    (settings: ReturnType<typeof createRoomSettings>) =>
      settings.setMuted(1, 7, { accid: 'mona', clientType: 'WEB' }, true, quiet),
  ],
] as const)('a room is not changed where %s: %i', async (_what, code, row, change) => {
  const { settings, commits } = made(row)
  await expect((async () => await change(settings))()).rejects.toMatchObject({ code })
  expect(commits).toEqual([])
})

it('a new room is open, not muted, without slow mode or channel, has a queue of 100, and is stored so', async () => {
  const { context, registry, store, clock } = await stored()
  const { row } = await createRoomSettings(context).create(1, 'cara', { name: 'new', ext: 'e' })
  expect(row).toEqual({
    roomid: row.roomid,
    uid: 1,
    creator: 'cara',
    name: 'new',
    announcement: '',
    broadcasturl: '',
    ext: 'e',
    valid: 1,
    muted: 0,
    slow: 0,
    queueLimit: 100,
    cid: null,
    created: row.created,
  })
  expect(registry.get(row.roomid)!.row).toEqual(row)
  expect(row.created).toBeGreaterThanOrEqual(clock.now())
  expect(await store.db.selectFrom('room').selectAll().where('roomid', '=', row.roomid).executeTakeFirst()).toEqual(row)
  await expect(createRoomSettings(context).create(1, 'nobody', { name: 'x' })).rejects.toMatchObject({ code: 414 })
})

it('a room has a number of ten digits or more that no other room has', async () => {
  const { context } = await stored()
  const numbers = [0, 0, 0xffff_ffff]
  const random = (bytes: number): Buffer => {
    const made = Buffer.alloc(bytes)
    made.writeUInt32BE(numbers.shift()!)
    return made
  }
  const { create } = createRoomSettings({ ...context, options: { ...context.options, random } })
  const made = [await create(1, 'cara', { name: 'one' }), await create(1, 'cara', { name: 'two' })]
  expect(made.map(({ row }) => row.roomid)).toEqual([1_000_000_000, 1_000_000_000 + 0xffff_ffff])
  expect(made[1]!.row.created).toBeGreaterThan(made[0]!.row.created)
})

it('a creator has as many open rooms as the settings allow, of which a closed one is none', async () => {
  const { context, limits, room } = await stored()
  limits.roomsPerCreator = 2
  const settings = createRoomSettings(context)
  await settings.create(1, 'cara', { name: 'second' })
  const third = () => settings.create(1, 'cara', { name: 'third' })
  await expect(third()).rejects.toMatchObject({ code: 419, message: 'cara has 2 open rooms already' })
  await settings.create(1, 'mona', { name: 'of another' })
  await settings.setOpen(1, 7, cara, false)
  expect(room.row.valid).toBe(0)
  await third()
  await expect(settings.setOpen(1, 7, cara, true)).rejects.toMatchObject({ code: 419 })
})

it('a change, a mute of all and a closed room are stored and told with operator and extension', async () => {
  const { context, enter, reread, registry, room } = await stored()
  const told = enter('mona')
  const settings = createRoomSettings(context)
  const notify = { needNotify: true, notifyExt: 'e' }
  await settings.update(1, 7, { announcement: 'new' }, notify)
  await settings.setMuted(1, 7, cara, true, notify)
  expect((await reread()).row).toMatchObject({ announcement: 'new', name: 'room', muted: 1 })
  await settings.setMuted(1, 7, cara, false, notify)
  await settings.setOpen(1, 7, cara, false)
  expect((await reread()).row).toMatchObject({ muted: 0, valid: 0 })
  const about = { operator: 'cara', opeNick: 'CARA', target: [], tarNick: [] }
  expect(
    told.map((frame) => ({
      by: frame['fromClientType'],
      ...(JSON.parse((frame['attach'] as string | undefined) ?? '{}') as object),
    })),
  ).toEqual([
    { by: 'REST', id: 312, data: { ...about, ext: 'e' } },
    { by: 'WEB', id: 318, data: { ...about, ext: 'e' } },
    { by: 'WEB', id: 319, data: { ...about, ext: 'e' } },
    { by: 'WEB', id: 311, data: { ...about, ext: '' } },
    { by: undefined },
  ])
  expect(told.at(-1)).toEqual({ t: 'roomOut', roomid: 7, reason: 'closed' })
  expect([room.inside.size, registry.ofSession('mona')]).toEqual([0, []])
})

it('texts that are absent are those from before, or empty', () => {
  const before = { name: 'a', announcement: 'b', broadcasturl: 'c', ext: 'd' }
  expect(roomFields({ announcement: '' }, before)).toEqual({ ...before, announcement: '' })
  expect(roomFields({ name: 'x' })).toEqual({ name: 'x', announcement: '', broadcasturl: '', ext: '' })
})
