import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { afterEach, describe, expect, it } from 'vitest'
import { chatrooms, robots, statistics } from '../../contract/operations/index.ts'
import { eventually } from '../testing/eventually.ts'

import { startRooms, type RoomRig } from './testing/rig.ts'

const hour = 3_600_000
let rig: RoomRig
let clock: ManualWallClock
afterEach(() => rig.close())

const begin = async (at: string, timeZone: string): Promise<number> => {
  clock = manualWallClock(Date.parse(at))
  rig = await startRooms({ clock, timeZone })
  return rig.room()
}
const goTo = (at: string): void => clock.advance(Date.parse(at) - clock.now())
let count = 0
const say = (roomid: number, fromAccid: string) =>
  rig.call(chatrooms.sendMsg, { roomid, fromAccid, msgId: `s${++count}`, msgType: 0, attach: 'x' })
const top = async (period: 'hour' | 'day', at: string) =>
  (await rig.call(statistics.topn, { period, timestamp: Date.parse(at) })).data!
const seconds = (at: string): number => Date.parse(at) / 1000

describe('a day on which clocks are changed', () => {
  it('has 25 hours in autumn, of which the one that comes twice is two', async () => {
    const roomid = await begin('2027-11-07T04:00:00Z', 'America/New_York')
    for (const [at, lines] of [
      ['2027-11-07T04:00:00Z', 1],
      ['2027-11-07T05:30:00Z', 2],
      ['2027-11-07T06:30:00Z', 3],
      // Times in a room are unique, so this leaves room for four.
      ['2027-11-08T04:59:59.900Z', 4],
    ] as const) {
      goTo(at)
      for (let line = 0; line < lines; line++) await say(roomid, 'mona')
    }
    const record = { roomId: roomid, activeNums: 1, enterNums: 0 }
    // The last hour, and so the day, is not over.
    expect(await top('day', '2027-11-07T12:00:00Z')).toEqual([])
    expect(await top('hour', '2027-11-08T04:30:00Z')).toEqual([])
    goTo('2027-11-08T05:00:00Z')
    const day = [{ ...record, period: 'DAY', msgs: 10, datetime: seconds('2027-11-07T04:00:00Z') }]
    for (const at of ['2027-11-07T04:00:00Z', '2027-11-07T12:00:00Z', '2027-11-08T04:59:59.999Z'])
      expect([at, await top('day', at)]).toEqual([at, day])
    for (const [at, start, msgs] of [
      ['2027-11-07T04:59:59.999Z', '2027-11-07T04:00:00Z', 1],
      ['2027-11-07T05:00:00Z', '2027-11-07T05:00:00Z', 2],
      ['2027-11-07T06:00:00Z', '2027-11-07T06:00:00Z', 3],
      ['2027-11-08T04:00:00Z', '2027-11-08T04:00:00Z', 4],
    ] as const)
      expect(await top('hour', at)).toEqual([{ ...record, period: 'HOUR', msgs, datetime: seconds(start) }])
    expect(await top('hour', '2027-11-07T07:30:00Z')).toEqual([])
  })

  it('has 23 hours in spring, and is over when they are', async () => {
    const roomid = await begin('2027-03-14T06:59:59.900Z', 'America/New_York')
    await say(roomid, 'mona')
    goTo('2027-03-14T07:00:00Z')
    await say(roomid, 'mike')
    goTo('2027-03-15T03:59:59.999Z')
    expect(await top('day', '2027-03-14T12:00:00Z')).toEqual([])
    goTo('2027-03-15T04:00:00Z')
    expect(await top('day', '2027-03-14T12:00:00Z')).toMatchObject([
      { datetime: seconds('2027-03-14T05:00:00Z'), msgs: 2, activeNums: 2 },
    ])
    // 1:00 is followed by 3:00.
    expect(await top('hour', '2027-03-14T06:30:00Z')).toMatchObject([
      { datetime: seconds('2027-03-14T06:00:00Z'), msgs: 1 },
    ])
    expect(await top('hour', '2027-03-14T07:30:00Z')).toMatchObject([
      { datetime: seconds('2027-03-14T07:00:00Z'), msgs: 1 },
    ])
  })
})

describe('the counters of a room', () => {
  it('are of the last hour or day that is asked for by its time, and none of a time to come', async () => {
    const roomid = await begin('2027-06-01T10:10:00Z', 'UTC')
    await say(roomid, 'mona')
    clock.advance(3 * hour)
    expect(await top('hour', '2027-06-01T10:59:59.999Z')).toMatchObject([{ roomId: roomid, msgs: 1 }])
    for (const at of ['2027-06-01T09:59:59.999Z', '2027-06-01T11:00:00Z', '2027-06-01T13:30:00Z'])
      expect([at, await top('hour', at)]).toEqual([at, []])
  })

  it('count entries by the link, lines that were shown, and everybody once in an hour and once in a day', async () => {
    const roomid = await begin('2027-06-01T10:10:00Z', 'UTC')
    const other = await rig.room()
    const [mona, stan] = [await rig.user('mona'), await rig.user('stan')]
    const enterAndLeave = async (user: typeof mona) => {
      await user.request('roomEnter', { roomid })
      await user.request('roomLeave', { roomid })
    }
    for (const user of [mona, mona, stan]) await enterAndLeave(user)
    // A second session is no entry; robots and refusals do not count.
    await mona.request('roomEnter', { roomid })
    await mona.request('roomEnter', { roomid, nick: 'Mo' })
    await mona.request('roomSend', { roomid, type: 0, attach: 'hi', clientId: 'a' })
    await mona.request('roomSend', { roomid, type: 0, attach: 'hi', clientId: 'a', resend: 1 })
    await rig.call(robots.add, { roomid, accids: ['mike'] })
    await rig.role(roomid, 'nora', -2)
    expect((await say(roomid, 'nora')).code).toBe(403)
    await say(other, 'cara')
    clock.advance(hour)
    await enterAndLeave(stan)
    await say(roomid, 'cara')
    clock.advance(24 * hour)
    await eventually(async () => {
      expect(await top('hour', '2027-06-01T10:00:00Z')).toMatchObject([
        { roomId: roomid, activeNums: 2, enterNums: 4, msgs: 1 },
        { roomId: other, activeNums: 1, enterNums: 0, msgs: 1 },
      ])
      expect(await top('hour', '2027-06-01T11:59:59Z')).toMatchObject([
        { roomId: roomid, activeNums: 2, enterNums: 1, msgs: 1 },
      ])
      expect(await top('day', '2027-06-01T00:00:00Z')).toMatchObject([
        { roomId: roomid, activeNums: 3, enterNums: 5, msgs: 2, datetime: seconds('2027-06-01T00:00:00Z') },
        { roomId: other, activeNums: 1, enterNums: 0, msgs: 1 },
      ])
    })
    // The current day is not reported.
    await say(roomid, 'cara')
    for (const period of ['hour', 'day'] as const)
      expect((await rig.call(statistics.topn, { period })).data).toEqual([])
  })
})
