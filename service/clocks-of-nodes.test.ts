import { afterEach, beforeEach, expect, it } from 'vitest'
import { chatrooms, local } from '../contract/operations/index.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import { startRooms, type RoomRig } from './rooms/testing/rig.ts'
import { testDatabase } from './storage/testing/open-store.ts'
import { describeOnRedis, redisUrl } from './testing/engines.ts'
import { startService, type TestService } from './testing/start-service.ts'

describeOnRedis.each([60_000, -60_000])('a service whose computer has its clock set by %i ms', (skew) => {
  const wrong: Clock = { ...systemClock, now: () => Date.now() + skew }
  const name = `clocks ${process.pid} ${skew}`
  let right: RoomRig
  let off: TestService
  let roomid: number
  beforeEach(async () => {
    const database = await testDatabase(name)
    const among = (node: string) => ({
      database,
      cluster: { node, redis: { url: redisUrl!, prefix: name.replaceAll(/\W/g, '_') } },
    })
    right = await startRooms(among('a'))
    off = await startService({ ...among('b'), clock: wrong })
    roomid = await right.room()
  })
  afterEach(async () => {
    await right.close()
    await off.close()
  })
  let lines = 0
  const say = async (at: TestService, fromAccid: string): Promise<number> => {
    const attach = `line ${++lines}`
    return (await at.call(chatrooms.sendMsg, { roomid, fromAccid, msgId: attach, msgType: 0, attach })).code
  }
  /** For less time than it is wrong. */
  const mute = (at: TestService, target: string) =>
    at.call(chatrooms.temporaryMute, { roomid, operator: 'cara', target, muteDuration: 59 })

  it('keeps to mutes of others, and mutes for as long as it says', async () => {
    expect((await mute(right, 'tim')).code).toBe(200)
    expect(await say(off, 'tim')).toBe(403)
    expect((await mute(off, 'stan')).code).toBe(200)
    expect(await say(right, 'stan')).toBe(403)
    const { mutedFor } = await (await right.user('stan')).request('roomEnter', { roomid })
    expect(mutedFor).toBeGreaterThan(0)
    expect(mutedFor).toBeLessThanOrEqual(59)
  })

  it('says lines between those of others, in their order', async () => {
    const begun = Date.now() - 1000
    for (const at of [right, off, right, off]) expect(await say(at, 'cara')).toBe(200)
    for (const at of [right, off]) {
      const { list } = (await at.call(local.roomHistory, { roomid, limit: 10 })).ret!
      expect(list.map(({ attach }) => attach)).toEqual([0, 1, 2, 3].map((back) => `line ${lines - back}`))
      expect(Math.min(...list.map((line) => line.at))).toBeGreaterThan(begun)
      expect(Math.max(...list.map((line) => line.at))).toBeLessThan(Date.now() + 1000)
    }
  })
})
