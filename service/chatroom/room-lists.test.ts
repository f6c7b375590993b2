import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, chatrooms, robots } from '../../contract/operations/index.ts'
import type { LinkUser } from '../link/testing/link-user.ts'
import { eventually } from '../testing/eventually.ts'
import { promised } from '../testing/machine-pace.ts'
import { testClock } from '../testing/start-service.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

let rig: RoomRig
const users = new Map<string, LinkUser>()
beforeAll(async () => {
  // Its clock stands still, so that seconds that remain are the same on both ways.
  rig = await startRooms({ clock: testClock() })
  for (const accid of ['cara', 'adam', 'mona', 'nora', 'mike', 'stan']) users.set(accid, await rig.user(accid))
})
afterAll(() => rig.close())

interface Member {
  readonly accid: string
  readonly type: number
  readonly onlineStat: boolean
  readonly enterTime?: number
  readonly updateTime?: number
  readonly isRobot?: boolean
}
const enter = async (roomid: number, ...accids: string[]): Promise<void> => {
  for (const accid of accids) await users.get(accid)!.request('roomEnter', { roomid })
}
/** Members of a kind, read in pages of a size by the API and by the link. */
async function paged(roomid: number, type: number, limit: number): Promise<Member[]> {
  const read: Member[] = []
  for (let endtime = 0; ;) {
    const { data } = (await rig.call(chatrooms.membersByPage, { roomid, type, endtime, limit })).desc as unknown as { data: Member[] }
    expect((await users.get('cara')!.request('roomMembers', { roomid, type, endtime, limit })).members).toEqual(data)
    if (data.length === 0) return read
    expect(data.length).toBeLessThanOrEqual(limit)
    read.push(...data)
    const last = data.at(-1)!
    endtime = (last.enterTime ?? last.updateTime)!
  }
}

describe('members by page', () => {
  it.each([1, 2, 100])('of each kind have no gap and no repeat in pages of %i, the latest first', async (limit) => {
    const roomid = await rig.room({ roles: true })
    await enter(roomid, 'cara', 'mona', 'nora', 'stan')
    await rig.call(robots.add, { roomid, accids: ['tim', 'abby'] })
    const names = async (type: number) => (await paged(roomid, type, limit)).map(({ accid, type: kind, onlineStat }) => [accid, kind, onlineStat])
    expect(await names(0)).toEqual([
      ['bill', -1, false],
      ['nora', -1, true],
      ['mike', 0, false],
      ['mona', 0, true],
      ['abby', 2, true],
      ['adam', 2, false],
      ['cara', 1, true],
    ])
    // An admin who is a robot too stays what it is; somebody muted for a while is no fixed member.
    expect(await names(1)).toEqual([
      ['tim', 3, true],
      ['stan', 3, true],
    ])
    expect(await names(2)).toEqual([
      ['nora', -1, true],
      ['mona', 0, true],
      ['abby', 2, true],
      ['cara', 1, true],
    ])
    expect((await paged(roomid, 1, limit)).map(({ isRobot }) => isRobot === true)).toEqual([true, false])
    for (const user of users.values()) await user.request('roomLeave', { roomid }).catch(() => undefined)
  })
})

describe('notifications', () => {
  it('are left out where they are not wanted, and carry the extension where they are', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'mona')
    const told = () =>
      users
        .get('mona')!
        .of('roomMessage')
        .flatMap((push) => (push.roomid === roomid ? [JSON.parse(push.attach) as { id: number; data: { ext: string } }] : []))
        .map(({ id, data }) => [id, data.ext])
    for (const needNotify of [false, true]) {
      const telling = { roomid, needNotify, notifyExt: `told ${needNotify}` }
      await rig.call(chatrooms.update, { ...telling, name: `name ${needNotify}` })
      await rig.call(chatrooms.muteRoom, { ...telling, operator: 'cara', mute: true })
      await rig.call(chatrooms.muteRoom, { ...telling, operator: 'cara', mute: false })
      for (const muteDuration of [60, 0]) await rig.call(chatrooms.temporaryMute, { ...telling, operator: 'cara', target: 'mona', muteDuration })
    }
    await eventually(() => expect(told()).toEqual([[301, ''], ...[312, 318, 319, 314, 315].map((id) => [id, 'told true'])]))
  })
})

describe('an account that is blocked with needkick', () => {
  it('is out of its rooms in under a second, and those inside are told', async () => {
    const roomid = await rig.room()
    await enter(roomid, 'cara', 'stan')
    await promised(1000, async () => {
      expect((await rig.call(accounts.block, { accid: 'stan', needkick: true })).code).toBe(200)
      await eventually(async () => expect((await rig.call(chatrooms.queryMembers, { roomid, accids: ['stan'] })).desc).toEqual({ data: [] }))
    })
    const last = () => JSON.parse(users.get('cara')!.of('roomMessage').at(-1)!.attach) as unknown
    await eventually(() => expect(last()).toMatchObject({ id: 302, data: { operator: 'stan' } }))
    await eventually(() => expect(users.get('stan')!.state).toMatchObject({ at: 'out', reason: 'blocked' }))
  })
})
