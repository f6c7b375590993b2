import { afterAll, beforeAll, expect, it } from 'vitest'
import { accounts, chatrooms } from '../../contract/operations/index.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { failureOf, openPage, type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { hostOf } from './viewer-chat.ts'

const folder = scratch()
const profileId = 'local'
let rig: Rig
const begin = async (): Promise<void> => {
  // The secrets of a keychain that is not there end with the app.
  rig = await startRig(folder.dir, { vault: sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }) })
  await rig.companion.serviceReady(40_000)
}
const again = async (): Promise<void> => {
  await rig.close()
  await begin()
}
beforeAll(begin)
afterAll(async () => {
  await rig.close()
  folder[Symbol.dispose]()
})

const rooms = () => rig.page.rpc.rooms
const newChannel = async (name: string) => (await rig.page.rpc.channels.create({ profileId, name })).cid
const roomsOf = async (cid: string) => {
  const { rooms: list } = await rooms().list({ profileId })
  return list.filter(({ creator }) => creator === hostOf(cid))
}
const signed = (path: string, parameters: Record<string, string | number | boolean>) =>
  rig.page.rpc.console.call({ profileId, path, parameters })
const inside = (roomid: number) =>
  until(
    'the app to be inside',
    () => rig.page.newest('room', ({ panel }) => panel.roomid === roomid)?.panel.phase === 'inside',
  )
const enter = async (roomid: number): Promise<void> => {
  await rooms().enter({ profileId, roomid, renew: false })
  await inside(roomid)
}

it('makes account and room of a channel, in the name of the channel, and closes and opens the same one', async () => {
  const cid = await newChannel('Night_Radio')
  const of = { profileId, cid }
  expect(await rooms().chat(of)).toEqual({ on: false, roomid: null, people: 0 })
  const { roomid, ...on } = await rooms().switchChat({ ...of, on: true })
  expect(on).toEqual({ on: true, people: 0 })
  expect(await rooms().linked(of)).toEqual({ roomid })
  expect(await roomsOf(cid)).toMatchObject([{ roomid, name: 'Night_Radio', valid: true, cid }])
  expect(rig.page.newest('chat')).toMatchObject(of)

  await enter(roomid!)
  await rooms().say({ profileId, roomid: roomid!, text: 'Good evening' })
  // The app's own account is nobody who is asked about.
  expect(await rooms().switchChat({ ...of, on: true })).toEqual({ on: true, roomid, people: 0 })

  expect(await rooms().switchChat({ ...of, on: false })).toEqual({ on: false, roomid, people: 0 })
  await until(
    'the app to be put out',
    () => rig.page.newest('room', ({ panel }) => panel.roomid === roomid)?.panel.phase === 'refused',
  )
  expect(await rooms().switchChat({ ...of, on: false })).toMatchObject({ on: false, roomid })
  expect(await rooms().switchChat({ ...of, on: true })).toMatchObject({ on: true, roomid })
  await enter(roomid!)
  expect((await rooms().history({ profileId, call: { roomid: roomid! } })).ret.list).toMatchObject([
    { attach: 'Good evening', nick: 'Night_Radio' },
  ])
})

it('lives after a restart of the app without a keychain: the token is renewed by the app', async () => {
  const cid = await newChannel('Lives_on')
  const { roomid } = await rooms().switchChat({ profileId, cid, on: true })
  await enter(roomid!)
  await again()
  expect(await rooms().chat({ profileId, cid })).toEqual({ on: true, roomid, people: 0 })
  await enter(roomid!)
  await rooms().say({ profileId, roomid: roomid!, text: 'Back' })
})

it('makes one room for two pages that press at once, and none for a channel that is gone', async () => {
  const cid = await newChannel('Pressed_twice')
  const other = openPage(rig.companion)
  const both = await Promise.all([rig.page, other].map(({ rpc }) => rpc.rooms.switchChat({ profileId, cid, on: true })))
  other.close()
  expect(both[0]).toEqual(both[1])
  expect(await roomsOf(cid)).toHaveLength(1)
  const gone = 'f'.repeat(32)
  expect(await failureOf(rooms().switchChat({ profileId, cid: gone, on: true }))).toMatchObject({
    kind: 'code',
    code: 618,
  })
  expect(await roomsOf(gone)).toEqual([])
})

it.each(['account', 'room', 'link', 'closed'] as const)(
  'completes what was made up to the %s when the app was killed, and makes nothing twice',
  async (reached) => {
    const cid = await newChannel(`Killed_${reached}`)
    const creator = hostOf(cid)
    // As the service has it at each step; the app that did it kept nothing.
    await signed(accounts.create.path, { accid: creator, name: 'Killed' })
    const steps = { account: 0, room: 1, link: 2, closed: 3 }[reached]
    if (steps >= 1) await signed(chatrooms.create.path, { creator, name: 'Killed' })
    const before = await roomsOf(cid)
    expect(before).toHaveLength(Math.min(steps, 1))
    if (steps >= 2) await rooms().link({ profileId, cid, roomid: before[0]!.roomid })
    if (steps >= 3)
      await signed(chatrooms.toggleCloseStat.path, { roomid: before[0]!.roomid, operator: creator, valid: false })
    const { on, roomid } = await rooms().switchChat({ profileId, cid, on: true })
    expect(on).toBe(true)
    expect((await roomsOf(cid)).map((room) => room.roomid)).toEqual([roomid])
    if (before[0]) expect(roomid).toBe(before[0].roomid)
    // The app has a token for it.
    await enter(roomid!)
  },
)

it('goes on over a restart of the service in between', async () => {
  const cid = await newChannel('Restarted')
  const first = rooms().switchChat({ profileId, cid, on: true })
  rig.processes.at(-1)!.kill()
  await first.catch(() => undefined)
  await until('the service to be back', () => rig.page.newest('service')?.service.phase === 'running')
  const chat = await until('the switch to be on', () =>
    rooms()
      .switchChat({ profileId, cid, on: true })
      .catch(() => undefined),
  )
  expect((await roomsOf(cid)).map(({ roomid }) => roomid)).toEqual([chat.roomid])
})

it('leaves a room of its own that another channel has, and finds an unlinked one again', async () => {
  const [cid, taker] = [await newChannel('Giver'), await newChannel('Taker')]
  const { roomid } = await rooms().switchChat({ profileId, cid, on: true })
  await rooms().link({ profileId, cid, roomid: null })
  expect(await rooms().switchChat({ profileId, cid, on: true })).toMatchObject({ on: true, roomid })
  await rooms().link({ profileId, cid: taker, roomid })
  const second = await rooms().switchChat({ profileId, cid, on: true })
  expect(second.roomid).not.toBe(roomid)
  expect(await rooms().linked({ profileId, cid: taker })).toEqual({ roomid })
})
