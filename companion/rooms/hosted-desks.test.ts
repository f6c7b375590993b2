import { beforeEach, describe, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { RoomDesk } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import { createHostedDesks, readEvery, type HostedDesks, type ReadRoom } from './hosted-desks.ts'

const open: ReadRoom = { name: 'Late', announcement: 'hi', valid: true, muted: false, onlineusercount: 3 }
let clock: ReturnType<typeof manualClock>
let asked: number
let answer: () => Promise<ReadRoom>
let told: RoomDesk[]
let desks: HostedDesks
let receiver: 'off' | 'listening'
const room = (roomid = 7) => ({ profileId: 'p', roomid, name: 'Late', creator: 'host' })
const desk = (): RoomDesk => told.at(-1) ?? expect.fail('nothing was told')
/** Moves on in steps, each as long as answers take to come. */
const pass = async (ms: number, step = 1000): Promise<void> => {
  for (let gone = 0; gone < ms; gone += step) {
    clock.advance(step)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}
const enter = async (): Promise<void> => {
  desks.enter(room())
  await until('an answer', () => desk().phase !== 'connecting')
}

beforeEach(() => {
  clock = manualClock()
  asked = 0
  told = []
  receiver = 'off'
  answer = () => Promise.resolve(open)
  desks = createHostedDesks({
    clock,
    read: () => {
      asked++
      return answer()
    },
    receiver: () => ({ phase: receiver, url: null }),
    last: () => undefined,
    counts: () => ({ dropped: 1, elsewhere: 2 }),
    changed: (each) => void told.push(each),
  })
})

describe('a desk in a hosted room', () => {
  it('says where lines come from and what the service tells', async () => {
    await enter()
    expect(desk()).toMatchObject({
      phase: 'inside',
      accid: 'host',
      name: 'Late',
      announcement: 'hi',
      online: 3,
      muted: false,
      mutedBy: null,
    })
    expect(desk().copies).toEqual({
      receiver: 'off',
      url: null,
      lastAt: null,
      verified: null,
      dropped: 1,
      elsewhere: 2,
      readAt: clock.now(),
    })
    receiver = 'listening'
    desks.copied('p')
    desks.copied('p', 7)
    const before = told.length
    clock.advance(1_000)
    expect([told.length - before, desk().copies?.receiver]).toEqual([1, 'listening'])
  })

  it('is read every 10 s while somebody looks, and not a minute after', async () => {
    await enter()
    await pass(50_000)
    expect(asked).toBe(6)
    desks.enter(room())
    await pass(60_000)
    expect(asked).toBeGreaterThan(10)
    const before = asked
    await pass(600_000, 10_000)
    expect(asked).toBeLessThanOrEqual(before + 1)
    desks.enter(room())
    await pass(2_000)
    expect(asked).toBeGreaterThan(before)
  })

  it('leaves a service alone that answers 416, longer each time, and stays as it was', async () => {
    await enter()
    answer = () => Promise.reject(new Failure('code', 'slow down', { code: 416 }))
    const looking = async (ms: number): Promise<number> => {
      const before = asked
      for (let gone = 0; gone < ms; gone += 30_000) {
        desks.enter(room())
        desks.changed('p', 7, { kind: 'other' })
        await pass(30_000)
      }
      return asked - before
    }
    // 10, 20, 40, 80, 160 s and then every 300 s; without it this would be 120 reads.
    expect(await looking(1_200_000)).toBeLessThanOrEqual(9)
    expect(desk()).toMatchObject({ phase: 'inside', online: 3 })
    answer = () => Promise.resolve({ ...open, onlineusercount: 9 })
    await looking(readEvery.most)
    expect(desk().online).toBe(9)
  })

  it.each([
    [new Failure('unreachable', 'gone'), 'waiting', reasonOf('link', 'failed', { system: 'gone' })],
    [
      new Failure('code', '404 no such room', { code: 404 }),
      'refused',
      reasonOf('link', 'answered', { code: '404', answer: '404 no such room' }),
    ],
    [
      new Failure('secret', 'no secret is kept'),
      'refused',
      reasonOf('link', 'failed', { system: 'no secret is kept' }),
    ],
  ] as const)('says what keeps it out, and comes back by itself: %s', async (error, phase, reason) => {
    answer = () => Promise.reject(error)
    await enter()
    expect(desk()).toMatchObject({ phase, reason })
    answer = () => Promise.resolve(open)
    await pass(40_000)
    expect(desk()).toMatchObject({ phase: 'inside', reason: null })
  })

  it('tells a closed room, and reads again soon when something changed, but not more often than every 2 s', async () => {
    await enter()
    answer = () => Promise.resolve({ ...open, valid: false })
    for (let each = 0; each < 5; each++) desks.changed('p', 7, { kind: 'other' })
    await pass(2_000)
    expect([asked, desk().phase, desk().reason?.code]).toEqual([2, 'refused', 'closed'])
  })

  it('believes a notification of a mute only when the service says so, and an own act at once', async () => {
    await enter()
    desks.changed('p', 7, { kind: 'muteRoom', on: true, by: 'mei', at: 5, sure: false })
    expect(desk().muted).toBe(false)
    await pass(2_000)
    expect(desk()).toMatchObject({ muted: false, mutedBy: null })
    answer = () => Promise.resolve({ ...open, muted: true })
    desks.changed('p', 7, { kind: 'muteRoom', on: true, by: 'mei', at: 5, sure: false })
    await pass(3_000)
    expect(desk()).toMatchObject({ muted: true, mutedBy: 'mei', mutedAt: 5 })
    desks.changed('p', 7, { kind: 'muteRoom', on: false, by: 'host', at: 6, sure: true })
    expect(desk()).toMatchObject({ muted: false, mutedBy: null })
  })

  it('keeps an own act against an answer that was asked for before it', async () => {
    await enter()
    const slow = Promise.withResolvers<ReadRoom>()
    answer = () => slow.promise
    await pass(10_000)
    expect(asked).toBe(2)
    desks.changed('p', 7, { kind: 'muteRoom', on: true, by: 'host', at: 6, sure: true })
    answer = () => Promise.resolve({ ...open, muted: true })
    slow.resolve({ ...open, onlineusercount: 4 })
    await until('the answer', () => desk().online === 4)
    expect(desk()).toMatchObject({ muted: true, mutedBy: 'host' })
    await pass(2_000)
    expect([asked, desk().muted, desk().online]).toEqual([3, true, 3])
  })

  it('is given up when it is left, and by a ninth room once nobody looks', async () => {
    for (let roomid = 1; roomid <= 8; roomid++) desks.enter(room(roomid))
    expect(() => desks.enter(room(9))).toThrow(Failure)
    await pass(61_000)
    desks.enter(room(9))
    expect(desks.all('p')).toHaveLength(8)
    desks.leave('p', 9)
    expect([desk().phase, desks.find('p', 9), desks.all('other')]).toEqual(['off', undefined, []])
    desks.forget('p')
    expect(desks.all('p')).toEqual([])
  })
})
