import { expect, it, vi } from 'vitest'
import { refusal, roomStage } from '../../testing/room-stage.ts'
import { useCompanion } from '../../data/companion.ts'
import { useRoomLink } from './room-link.ts'

const [a, b] = ['a'.repeat(32), 'b'.repeat(32)]
const room = (roomid: number) => ({
  roomid,
  name: `Room ${roomid}`,
  creator: 'host',
  valid: true,
  online: 0,
  cid: null,
})

it('knows the room of a channel, links one to one, and ends a link', async () => {
  const on = roomStage(
    {
      linked: () => ({ roomid: 7 }),
      link: () => Promise.resolve(),
      list: () => ({ complete: true, rooms: [room(7)], next: null }),
    },
    1,
  )
  const link = useRoomLink()
  expect(link.roomOf('local', a)).toBeUndefined()
  await link.read('local', a)
  expect([link.roomOf('local', a), link.roomOf('h', a)]).toEqual([7, undefined])
  expect(await link.link('local', b, 7)).toBe(true)
  expect([link.roomOf('local', a), link.roomOf('local', b)]).toEqual([null, 7])
  expect(await link.link('local', b, null)).toBe(true)
  expect(link.roomOf('local', b)).toBeNull()
  expect(on.calls('link')).toEqual([
    { profileId: 'local', cid: b, roomid: 7 },
    { profileId: 'local', cid: b, roomid: null },
  ])
})

it('keeps the link that was when a change is refused, and says why', async () => {
  roomStage(
    {
      linked: () => ({ roomid: 7 }),
      link: () => Promise.reject(refusal(618)),
      list: () => ({ complete: true, rooms: [], next: null }),
    },
    1,
  )
  const link = useRoomLink()
  await link.read('local', a)
  expect(await link.link('local', a, null)).toBe(false)
  expect([link.roomOf('local', a), link.failureOf('local', a)?.code]).toEqual([7, 618])
  await link.read('local', a)
  expect(link.failureOf('local', a)).toBeNull()
})

it('lists rooms page by page', async () => {
  const on = roomStage(
    {
      list: ({ before }) => ({
        complete: true,
        rooms: [room(before === undefined ? 2 : 1)],
        next: before === undefined ? 50 : null,
      }),
    },
    1,
  )
  const link = useRoomLink()
  await link.readRooms('local')
  await link.readRooms('local', true)
  expect(link.rooms?.list.map(({ roomid }) => roomid)).toEqual([2, 1])
  expect([link.rooms?.next, link.listed('local', 1)?.name, on.calls('list').at(-1)]).toEqual([
    null,
    'Room 1',
    { profileId: 'local', before: 50 },
  ])
})

it('has a watch page on this computer only, while the service runs', async () => {
  const on = roomStage({ openLink: () => Promise.resolve() }, 1)
  const link = useRoomLink()
  expect(link.watchAddress(a)).toBe(`http://127.0.0.1:2/watch/${a}`)
  await link.openWatchPage(a)
  expect(on.calls('openLink')).toEqual([{ url: `http://127.0.0.1:2/watch/${a}` }])
  on.companion.choose('h')
  expect(link.watchAddress(a)).toBeNull()
})

it('opens the watch page in a tab of the browser that the page lies in, and in the desktop app by the companion', async () => {
  const open = vi.fn()
  vi.stubGlobal('window', { open })
  const on = roomStage({ openLink: () => undefined }, 1)
  const link = useRoomLink()
  for (const shell of ['browser', 'electron'] as const) {
    useCompanion().about = { version: '1', shell, platform: '', capabilities: [], shellReason: null, seat: null }
    await link.openWatchPage(a)
  }
  vi.unstubAllGlobals()
  const address = link.watchAddress(a)
  expect(open.mock.calls).toEqual([[address, '_blank', 'noopener,noreferrer']])
  expect(on.calls('openLink')).toEqual([{ url: address }])
})
