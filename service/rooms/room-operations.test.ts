import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, local } from '../../contract/operations/index.ts'

import { startRooms, type RoomRig } from './testing/rig.ts'

const clock = manualWallClock()
let rig: RoomRig
beforeAll(async () => {
  rig = await startRooms({ clock })
})
afterAll(() => rig.close())

const unknown = 999_999_999
const membersOf = async (roomid: number, type = 0, more: { readonly endtime?: number; readonly limit?: number } = {}) =>
  (await rig.call(chatrooms.membersByPage, { roomid, type, limit: 100, ...more })).desc as unknown as {
    data: { accid: string; type: number }[]
  }
const kindOf = async (roomid: number, accid: string): Promise<number | undefined> =>
  (await membersOf(roomid)).data.find((member) => member.accid === accid)?.type

describe('a room', () => {
  it('is created with what was given, and read with its counts when they are asked for', async () => {
    const given = { name: '房间 1', announcement: 'welcome', broadcasturl: 'http://x/y', ext: '{"a":1}' }
    const { chatroom } = await rig.call(chatrooms.create, { creator: 'CARA', ...given })
    expect(chatroom).toEqual({ roomid: chatroom!.roomid, valid: true, creator: 'cara', ...given })
    const { roomid } = chatroom!
    expect((await rig.call(chatrooms.get, { roomid })).chatroom).toEqual({ ...chatroom, muted: false })
    expect((await rig.call(chatrooms.get, { roomid, needOnlineUserCount: true })).chatroom).toMatchObject({
      onlineusercount: 0,
    })
    expect((await rig.call(chatrooms.get, { roomid: unknown })).code).toBe(404)
    expect((await rig.other.call(chatrooms.get, { roomid })).code).toBe(404)
    expect((await rig.call(chatrooms.create, { creator: 'no-one', name: 'x' })).code).toBe(414)
  })

  it('changes, keeps what is absent and clears what is empty, but not while it is closed', async () => {
    const roomid = await rig.room()
    expect((await rig.call(chatrooms.update, { roomid, name: 'new', announcement: 'a' })).chatroom).toMatchObject({
      name: 'new',
      announcement: 'a',
    })
    expect((await rig.call(chatrooms.update, { roomid, ext: 'e' })).chatroom).toMatchObject({
      name: 'new',
      announcement: 'a',
      ext: 'e',
    })
    expect((await rig.call(chatrooms.update, { roomid, announcement: '' })).code).toBe(200)
    expect((await rig.call(chatrooms.update, { roomid: unknown, name: 'x' })).code).toBe(404)
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    expect((await rig.call(chatrooms.update, { roomid, name: 'x' })).code).toBe(13002)
  })

  it('is the same after a restart, with texts, states and slow mode', async () => {
    const roomid = await rig.room()
    await rig.call(chatrooms.update, { roomid, name: 'n', announcement: 'a', broadcasturl: 'http://x/', ext: 'e' })
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: true })
    await rig.call(local.slowMode, { roomid, seconds: 9 })
    const closed = await rig.room()
    await rig.call(chatrooms.toggleCloseStat, { roomid: closed, operator: 'cara', valid: false })
    const read = async () => [
      (await rig.call(chatrooms.get, { roomid })).chatroom,
      (await rig.call(chatrooms.get, { roomid: closed })).chatroom,
    ]
    const before = await read()
    expect(before).toMatchObject([
      { name: 'n', announcement: 'a', ext: 'e', muted: true, valid: true },
      { valid: false },
    ])
    await rig.stop()
    rig = await startRooms({ clock, dataDir: rig.dataDir })
    expect(await read()).toEqual(before)
    const mona = await rig.user('mona')
    expect(await mona.request('roomEnter', { roomid })).toMatchObject({ room: { slow: 9 } })
  })

  it('is opened and closed by its creator alone, and not into the state that it has', async () => {
    const roomid = await rig.room({ roles: true })
    const toggle = async (operator: string, valid: boolean, room = roomid) =>
      rig.call(chatrooms.toggleCloseStat, { roomid: room, operator, valid })
    expect((await toggle('cara', true)).code).toBe(417)
    expect((await toggle('adam', false)).code).toBe(403)
    expect((await toggle('cara', false, unknown)).code).toBe(404)
    expect((await toggle('no-one', false)).code).toBe(404)
    expect((await toggle('cara', false)).desc).toMatchObject({ roomid, valid: false, creator: 'cara' })
    expect((await toggle('cara', false)).code).toBe(417)
    expect((await toggle('cara', true)).desc).toMatchObject({ valid: true })
  })

  it('is one of as many open ones as a creator may have', async () => {
    await rig.call(local.updateSettings, { roomsPerCreator: 1 })
    const roomid = await rig.room({ creator: 'stan' })
    expect((await rig.call(chatrooms.create, { creator: 'stan', name: 'second' })).code).toBe(419)
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'stan', valid: false })
    const both = await Promise.all(
      [1, 2].map((name) => rig.call(chatrooms.create, { creator: 'stan', name: `${name}` })),
    )
    expect(both.map(({ code }) => code).sort()).toEqual([200, 419])
    expect((await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'stan', valid: true })).code).toBe(419)
    await rig.call(local.updateSettings, { roomsPerCreator: 1000 })
    expect((await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'stan', valid: true })).code).toBe(200)
  })

  it('is muted as a whole by creator and admins', async () => {
    const roomid = await rig.room({ roles: true })
    const mute = async (operator: string, mute: boolean, room = roomid) =>
      rig.call(chatrooms.muteRoom, { roomid: room, operator, mute })
    expect((await mute('mona', true)).code).toBe(403)
    expect((await mute('adam', true)).desc).toEqual({ success: true })
    expect((await rig.call(chatrooms.get, { roomid })).chatroom).toMatchObject({ muted: true })
    expect((await mute('cara', false)).desc).toEqual({ success: true })
    expect((await mute('cara', true, unknown)).code).toBe(414)
    expect((await mute('no-one', true)).code).toBe(414)
  })
})

describe('a role', () => {
  it('is set and unset, and says what the person is then', async () => {
    const roomid = await rig.room()
    const set = (target: string, opt: number, optvalue: boolean, operator = 'cara') =>
      rig.call(chatrooms.setMemberRole, { roomid, operator, target, opt, optvalue, notifyExt: '{}' })
    expect((await set('MONA', 1, true)).desc).toEqual({ roomid, level: 0, accid: 'mona', type: 'MANAGER' })
    expect((await set('mona', 1, true)).code).toBe(417)
    expect((await set('mona', 1, false)).desc).toMatchObject({ type: 'TEMPORARY' })
    expect((await set('mona', 2, true)).desc).toMatchObject({ type: 'COMMON' })
    expect((await set('mona', -2, true)).desc).toMatchObject({ type: 'LIMITED' })
    expect((await set('mona', -1, true)).desc).toMatchObject({ type: 'LIMITED' })
    expect((await set('mona', -2, false)).desc).toMatchObject({ type: 'LIMITED' })
    expect((await set('mona', -1, false)).desc).toMatchObject({ type: 'COMMON' })
    expect((await set('mona', -1, false)).code).toBe(417)
    expect((await set('no-one', 2, true)).code).toBe(404)
    expect((await set('mona', 2, true, 'no-one')).code).toBe(404)
    expect(
      (
        await rig.call(chatrooms.setMemberRole, {
          roomid: unknown,
          operator: 'cara',
          target: 'mona',
          opt: 2,
          optvalue: true,
        })
      ).code,
    ).toBe(404)
  })

  it('of an admin is given by the creator to nobody who is muted or blacklisted', async () => {
    const roomid = await rig.room({ roles: true })
    expect(await rig.role(roomid, 'mike', 1, true, 'adam')).toBe(403)
    expect(await rig.role(roomid, 'cara', 1, true)).toBe(403)
    for (const target of ['nora', 'tim', 'bill'])
      expect([target, await rig.role(roomid, target, 1)]).toEqual([target, 403])
    for (const opt of [2, -1, -2] as const) expect([opt, await rig.role(roomid, 'adam', opt)]).toEqual([opt, 403])
  })

  it('is one of as many as the settings allow, and none in a closed room', async () => {
    const roomid = await rig.room()
    await rig.call(local.updateSettings, { roomAdmins: 1, roomLimited: 1 })
    expect([await rig.role(roomid, 'adam', 1), await rig.role(roomid, 'abby', 1)]).toEqual([200, 419])
    expect([
      await rig.role(roomid, 'nora', -2),
      await rig.role(roomid, 'nora', -1),
      await rig.role(roomid, 'bill', -1),
    ]).toEqual([200, 200, 419])
    expect([await rig.mute(roomid, 'tim', 60), await rig.mute(roomid, 'nora', 60)]).toEqual([419, 200])
    await rig.call(local.updateSettings, { roomAdmins: 100, roomLimited: 10_000 })
    expect(await rig.role(roomid, 'abby', 1)).toBe(200)
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    expect([await rig.role(roomid, 'mona', 2), await rig.mute(roomid, 'mona', 5)]).toEqual([13002, 13002])
  })
})

describe('a temporary mute', () => {
  const remaining = async (roomid: number, accid: string) => {
    const { data } = await membersOf(roomid)
    return data.find((member) => member.accid === accid)
  }
  it('lasts 1 to 2592000 seconds; 0 lifts it, also where there is none', async () => {
    const roomid = await rig.room()
    expect(await rig.mute(roomid, 'mona', 0)).toBe(200)
    for (const seconds of [-1, 2_592_001])
      expect((await rig.send(chatrooms.temporaryMute, wrong(roomid, seconds))).code).toBe(414)
    for (const seconds of [1, 2_592_000]) expect(await rig.mute(roomid, 'mona', seconds)).toBe(200)
    expect(await rig.mute(roomid, 'mona', 2_592_000)).toBe(417)
    expect(await rig.mute(roomid, 'mona', 60)).toBe(200)
    expect(await rig.mute(unknown, 'mona', 60)).toBe(404)
    expect(await rig.mute(roomid, 'no-one', 60)).toBe(404)
    expect(await rig.mute(roomid, 'mona', 60, 'stan')).toBe(403)
    expect(await rig.mute(roomid, 'cara', 60)).toBe(403)
  })
  const wrong = (roomid: number, muteDuration: number) => ({ roomid, operator: 'cara', target: 'mona', muteDuration })

  it('is answered with its seconds', async () => {
    const roomid = await rig.room()
    for (const muteDuration of [60, 0])
      expect(
        (await rig.call(chatrooms.temporaryMute, { roomid, operator: 'cara', target: 'mona', muteDuration })).desc,
      ).toEqual({ muteDuration })
  })

  it('and a permanent one stand beside each other: lifting one leaves the other', async () => {
    const roomid = await rig.room()
    await rig.role(roomid, 'mona', -2)
    await rig.mute(roomid, 'mona', 60)
    expect(await remaining(roomid, 'mona')).toMatchObject({ muted: true, tempMuted: true, tempMuteTtl: 60 })
    await rig.mute(roomid, 'mona', 0)
    expect(await remaining(roomid, 'mona')).toEqual(expect.not.objectContaining({ tempMuted: true }))
    expect(await kindOf(roomid, 'mona')).toBe(-1)
    await rig.role(roomid, 'mike', 2)
    await rig.role(roomid, 'mike', -2)
    await rig.mute(roomid, 'mike', 60)
    await rig.role(roomid, 'mike', -2, false)
    expect(await remaining(roomid, 'mike')).toMatchObject({ type: 0, tempMuted: true })
  })

  it('counts down, over a restart too, and ends by itself', async () => {
    const roomid = await rig.room({ roles: true })
    await rig.mute(roomid, 'mike', 60)
    clock.advance(20_000)
    await rig.stop()
    rig = await startRooms({ clock, dataDir: rig.dataDir })
    expect(await remaining(roomid, 'mike')).toMatchObject({ type: 0, tempMuteTtl: 40 })
    expect([await kindOf(roomid, 'cara'), await kindOf(roomid, 'adam'), await kindOf(roomid, 'nora')]).toEqual([
      1, 2, -1,
    ])
    clock.advance(40_000)
    expect(await remaining(roomid, 'mike')).toEqual(expect.not.objectContaining({ tempMuted: true }))
  })
})

describe('lists of members', () => {
  it('give fixed members by page, the latest first, without a gap or a repeat', async () => {
    const roomid = await rig.room({ roles: true })
    const all = (await membersOf(roomid)).data.map(({ accid }) => accid)
    expect(all).toEqual(['bill', 'nora', 'mike', 'mona', 'abby', 'adam', 'cara'])
    const paged: string[] = []
    for (let endtime = 0; ;) {
      const { data } = (await membersOf(roomid, 0, { endtime, limit: 2 })) as unknown as {
        data: { accid: string; updateTime: number }[]
      }
      if (data.length === 0) break
      paged.push(...data.map(({ accid }) => accid))
      endtime = data.at(-1)!.updateTime
    }
    expect(paged).toEqual(all)
    expect((await membersOf(roomid, 1)).data).toEqual([])
    expect((await membersOf(roomid, 2)).data).toEqual([])
    expect((await rig.call(chatrooms.queryMembers, { roomid, accids: ['cara', 'no-one'] })).desc).toEqual({ data: [] })
    expect((await rig.call(chatrooms.membersByPage, { roomid: unknown, type: 0, limit: 1 })).code).toBe(414)
    expect((await rig.call(chatrooms.queryMembers, { roomid: unknown, accids: ['cara'] })).code).toBe(414)
    for (const limit of [0, 101])
      expect((await rig.send(chatrooms.membersByPage, { roomid, type: 0, limit })).code).toBe(414)
  })
})
