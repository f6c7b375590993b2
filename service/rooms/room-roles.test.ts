import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, local, robots } from '../../contract/operations/index.ts'
import type { LinkUser } from '../link/testing/link-user.ts'

import { startRooms, type RoomRig } from './testing/rig.ts'

// Who may do what to whom: every operation and link request, by each kind of person against each kind
// (3-chatrooms States and Rules; behaviour.md#permissions-in-a-room).

/** Creator, admin, ordinary, muted, temporarily muted, blacklisted, stranger. */
const actors = ['cara', 'adam', 'mona', 'nora', 'tim', 'bill', 'stan'] as const
/** The same kinds as targets, with another admin. */
const targets = ['cara', 'abby', 'mike', 'nora', 'tim', 'bill', 'stan'] as const

const clock = manualWallClock()
let rig: RoomRig
const users = new Map<string, LinkUser>()
beforeAll(async () => {
  rig = await startRooms({ clock })
  for (const accid of actors) users.set(accid, await rig.user(accid))
})
afterAll(() => rig.close())

/** The complete state of a room's people. */
const standing = async (roomid: number) => [
  (await rig.call(chatrooms.membersByPage, { roomid, type: 0, limit: 100 })).desc,
  (await rig.call(local.muted, { roomid })).ret,
  (await rig.call(local.blacklisted, { roomid })).ret,
]

type Deed = (roomid: number, operator: string, target: string) => Promise<number>
const set =
  (opt: 1 | 2 | -1 | -2, optvalue: boolean): Deed =>
  (roomid, operator, target) =>
    rig.role(roomid, target, opt, optvalue, operator)
const mute =
  (seconds: number): Deed =>
  (roomid, operator, target) =>
    rig.mute(roomid, target, seconds, operator)

/**
 * Codes for the creator on: creator, admin, ordinary, muted, temporarily muted, blacklisted, stranger. An admin gets
 * the same, but may not make admins.
 */
const actions: readonly (readonly [string, Deed, readonly number[]])[] = [
  ['makes an admin of', set(1, true), [403, 417, 200, 403, 403, 403, 200]],
  ['makes no admin of', set(1, false), [403, 200, 417, 417, 417, 417, 417]],
  ['makes ordinary', set(2, true), [403, 403, 417, 200, 200, 200, 200]],
  ['makes not ordinary', set(2, false), [403, 403, 200, 417, 417, 417, 417]],
  ['blacklists', set(-1, true), [403, 403, 200, 200, 200, 417, 200]],
  ['takes off the blacklist', set(-1, false), [403, 403, 417, 417, 417, 200, 417]],
  ['mutes', set(-2, true), [403, 403, 200, 417, 200, 200, 200]],
  ['unmutes', set(-2, false), [403, 403, 417, 200, 417, 417, 417]],
  ['mutes for a while', mute(60), [403, 403, 200, 200, 200, 200, 200]],
  ['lifts the temporary mute of', mute(0), [403, 403, 200, 200, 200, 200, 200]],
]
const isForCreator = (action: string): boolean => action.includes('admin')

describe.each(actions)('%s', (action, attempt, codes) => {
  it.each(['cara', 'adam'])('by %s', async (operator) => {
    let roomid = await rig.room({ roles: true })
    for (const [index, target] of targets.entries()) {
      const before = await standing(roomid)
      const wanted = operator === 'adam' && isForCreator(action) ? 403 : codes[index]
      expect([target, await attempt(roomid, operator, target)]).toEqual([target, wanted])
      if (wanted === 200) roomid = await rig.room({ roles: true })
      else expect(await standing(roomid)).toEqual(before)
    }
  })

  it('by nobody else, and changes nothing then', async () => {
    const roomid = await rig.room({ roles: true })
    const before = await standing(roomid)
    for (const operator of actors.slice(2))
      for (const target of targets)
        expect([operator, target, await attempt(roomid, operator, target)]).toEqual([operator, target, 403])
    expect(await attempt(roomid, 'no-one', 'mike')).toBe(404)
    expect(await attempt(roomid, 'cara', 'no-one')).toBe(404)
    expect(await standing(roomid)).toEqual(before)
  })
})

/** Codes by actor: creator, admin, ordinary, muted, temporarily muted, blacklisted, stranger. */
const byActor = async (attempt: (accid: string) => Promise<number>): Promise<number[]> => {
  const codes: number[] = []
  for (const accid of actors) codes.push(await attempt(accid))
  return codes
}
let count = 0
const say = async (roomid: number, fromAccid: string): Promise<number> =>
  (await rig.call(chatrooms.sendMsg, { roomid, fromAccid, msgId: `r${++count}`, msgType: 0, attach: 'x' })).code
/** Code of a link request; 200 on success. */
const ask = async (answer: Promise<unknown>): Promise<number> => {
  try {
    await answer
    return 200
  } catch (error) {
    return (error as { code: number }).code
  }
}
const enter = (roomid: number, accid: string): Promise<number> =>
  ask(users.get(accid)!.request('roomEnter', { roomid }))
const sayOnLink = (roomid: number, accid: string): Promise<number> =>
  ask(users.get(accid)!.request('roomSend', { roomid, type: 0, attach: 'x', clientId: `l${++count}` }))

describe('a room', () => {
  it('is muted and unmuted by creator and admins, and closed and opened by the creator', async () => {
    const roomid = await rig.room({ roles: true })
    const toggle = async (operator: string, valid: boolean) =>
      (await rig.call(chatrooms.toggleCloseStat, { roomid, operator, valid })).code
    for (const value of [true, false])
      expect(
        await byActor(async (operator) => (await rig.call(chatrooms.muteRoom, { roomid, operator, mute: value })).code),
      ).toEqual([200, 200, 403, 403, 403, 403, 403])
    for (const valid of [false, true]) {
      expect(await byActor((operator) => (operator === 'cara' ? Promise.resolve(0) : toggle(operator, valid)))).toEqual(
        [0, 403, 403, 403, 403, 403, 403],
      )
      expect(await toggle('cara', valid)).toBe(200)
    }
  })

  it('is spoken in by those who are under no measure, and while it is muted by creator and admins', async () => {
    const roomid = await rig.room({ roles: true })
    expect(await byActor((accid) => say(roomid, accid))).toEqual([200, 200, 200, 403, 403, 403, 200])
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: true })
    expect(await byActor((accid) => say(roomid, accid))).toEqual([200, 200, 403, 403, 403, 403, 403])
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    expect(await byActor((accid) => say(roomid, accid))).toEqual([403, 403, 403, 403, 403, 403, 403])
  })

  it('is entered by all who are not blacklisted, while it is open; inside, the same may speak', async () => {
    const roomid = await rig.room({ roles: true })
    const address = async (accid: string) => (await rig.call(chatrooms.requestAddr, { roomid, accid })).code
    expect(await byActor(address)).toEqual([200, 200, 200, 200, 200, 403, 200])
    expect(await byActor((accid) => sayOnLink(roomid, accid))).toEqual([403, 403, 403, 403, 403, 403, 403])
    expect(await byActor((accid) => enter(roomid, accid))).toEqual([200, 200, 200, 200, 200, 13003, 200])
    expect(await byActor((accid) => sayOnLink(roomid, accid))).toEqual([200, 200, 200, 403, 403, 403, 200])
    for (const kind of ['roomHistory', 'roomQueue'] as const)
      expect(await byActor((accid) => ask(users.get(accid)!.request(kind, { roomid })))).toEqual([
        200, 200, 200, 200, 200, 403, 200,
      ])
    expect(await byActor((accid) => ask(users.get(accid)!.request('roomMembers', { roomid, type: 0 })))).toEqual([
      200, 200, 200, 200, 200, 403, 200,
    ])
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'adam', mute: true })
    expect(await byActor((accid) => sayOnLink(roomid, accid))).toEqual([200, 200, 403, 403, 403, 403, 403])
    expect(await byActor((accid) => ask(users.get(accid)!.request('roomLeave', { roomid })))).toEqual([
      200, 200, 200, 200, 200, 403, 200,
    ])
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    expect(await byActor(address)).toEqual([13002, 13002, 13002, 13002, 13002, 403, 13002])
    expect(await byActor((accid) => enter(roomid, accid))).toEqual([13002, 13002, 13002, 13002, 13002, 13002, 13002])
  })

  it('has robots of everybody but the blacklisted', async () => {
    const roomid = await rig.room({ roles: true })
    expect(await byActor(async (accid) => (await rig.call(robots.add, { roomid, accids: [accid] })).code)).toEqual([
      200, 200, 200, 200, 200, 13003, 200,
    ])
    expect(await byActor(async (accid) => (await rig.call(robots.add, { roomid, accids: [accid] })).code)).toEqual([
      417, 417, 417, 417, 417, 13003, 417,
    ])
  })

  it('loses lines by its leaders: the creator deletes all, an admin those of people and its own', async () => {
    const roomid = await rig.room({ roles: true })
    const senders = ['cara', 'adam', 'abby', 'mike', 'stan']
    const codesOf = async (operator: string): Promise<number[]> => {
      const codes: number[] = []
      for (const sender of senders) {
        await say(roomid, sender)
        const [line] = (await rig.call(local.roomHistory, { roomid, limit: 1 })).ret!.list
        codes.push((await rig.call(local.removeLine, { roomid, operator, msgid: line!.msgid })).code)
      }
      return codes
    }
    const codes = new Map<string, number[]>()
    for (const operator of actors) codes.set(operator, await codesOf(operator))
    const none = [631, 631, 631, 631, 631]
    expect([...codes.values()]).toEqual([
      [200, 200, 200, 200, 200],
      [631, 200, 631, 200, 200],
      none,
      none,
      none,
      none,
      none,
    ])
  })
})
