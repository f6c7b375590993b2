import { expect, it } from 'vitest'
import type { Room } from './room.ts'
import type { RoomContext } from './room-context.ts'
import { createRoomSettings } from './room-settings.ts'

/** Settings of rooms of cara, who may have two open ones; a commit takes until `finish`. */
function made(row: Partial<Room['row']> = {}, open = 0) {
  const commits: unknown[][] = []
  const finishing: (() => void)[] = []
  const told: string[] = []
  const out: number[] = []
  const room = (roomid: number) =>
    ({
      row: { roomid, uid: 1, creator: 'cara', valid: 1, muted: 0, announcement: 'old', name: 'room', ...row },
      members: new Map(),
      robots: new Map([['robot', {}]]),
      listeners: { tell: (frame: Buffer) => told.push(frame.toString().slice(frame.indexOf('{'))) },
    }) as unknown as Room
  const settings = createRoomSettings({
    mustExist: () => undefined,
    on: (_uid: number, roomid: number, _missing: number, work: (of: Room) => unknown) => work(room(roomid)),
    commit: (_room: Room, ...what: unknown[]) => {
      commits.push(what)
      return new Promise<void>((resolve) => finishing.push(resolve))
    },
    options: {
      registry: { openOf: () => open, putOut: ({ row: { roomid } }: Room) => out.push(roomid) },
      limits: () => ({ roomsPerCreator: 2 }),
    },
  } as unknown as RoomContext)
  return { settings, commits, told, out, finish: () => finishing.splice(0).forEach((resolve) => resolve()) }
}
const cara = { accid: 'cara', clientType: 'WEB' } as const
const quiet = { needNotify: false }

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
  const { settings, commits, told, out, finish } = made()
  const closed = settings.setOpen(1, 7, cara, false)
  finish()
  await closed
  expect(commits).toMatchObject([[{ room: { valid: 0 }, robotsOut: ['robot'] }, [{ operator: 'cara' }]]])
  expect([told, out]).toEqual([['{"t":"roomOut","roomid":7,"reason":"closed"}'], [7]])
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
