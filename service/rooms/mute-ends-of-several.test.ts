import { afterEach, beforeEach, expect, it } from 'vitest'
import { roomNotices } from '../../contract/catalogue/notices.ts'
import { chatrooms } from '../../contract/operations/index.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { beside } from '../testing/beside.ts'
import { describeOnRedis, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { startRooms, type RoomRig } from './testing/rig.ts'

describeOnRedis('a temporary mute in a room of several services', () => {
  const name = `mutes ${process.pid}`
  let one: RoomRig
  let others: TestService[]
  beforeEach(async () => {
    const database = await testDatabase(name)
    const among = (node: string) => ({
      database,
      cluster: { node, redis: { url: redisUrl!, prefix: name.replace(' ', '_') } },
    })
    one = await startRooms(among('a'))
    others = [await startService(among('b')), await startService(among('c'))]
  })
  afterEach(async () => {
    for (const each of [one, ...others]) await each.close()
  })
  /** 0 for who is not: the rest of a row goes with the mute. */
  const mutedUntil = async (accid: string): Promise<number> => {
    const member = await beside(name, (db) =>
      db.selectFrom('roomMember').select('mutedUntil').where('accid', '=', accid).executeTakeFirst(),
    )
    return member?.mutedUntil ?? 0
  }
  /** Who was told to be free again. */
  const told = async (roomid: number): Promise<string[]> => {
    const rows = await beside(name, (db) =>
      db.selectFrom('roomLine').select('attach').where('roomid', '=', roomid).orderBy('line').execute(),
    )
    return rows.flatMap(({ attach }) => {
      const { id, data } = JSON.parse(attach) as { id: number; data: { target: string[]; expired?: boolean } }
      return id === roomNotices.muteForAWhileLifted && data.expired ? data.target : []
    })
  }
  const mute = (roomid: number, target: string, muteDuration: number) =>
    one.call(chatrooms.temporaryMute, { roomid, operator: 'cara', target, muteDuration, needNotify: true })

  it('ends once, is told once, and ends also when the service that was asked for it is gone', async () => {
    const roomid = await one.room()
    expect((await mute(roomid, 'tim', 12)).code).toBe(200)
    expect((await mute(roomid, 'stan', 12)).code).toBe(200)
    expect(await mutedUntil('tim')).toBeGreaterThan(0)
    // Longer than between two looks, so that all know of it and try at once.
    await eventually(async () => expect([await mutedUntil('tim'), await mutedUntil('stan')]).toEqual([0, 0]))
    expect((await mute(roomid, 'mona', 6)).code).toBe(200)
    expect(await mutedUntil('mona')).toBeGreaterThan(0)
    await one.stop()
    await eventually(async () => expect(await mutedUntil('mona')).toBe(0))
    expect((await told(roomid)).toSorted()).toEqual(['mona', 'stan', 'tim'])
  })
})
