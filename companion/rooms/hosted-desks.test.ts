import { beforeEach, describe, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { RoomDesk } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import type { Arrival } from './copied-lines.ts'
import { createHostedDesks, readEvery, type HostedDesks, type ReadRoom } from './hosted-desks.ts'

const open: ReadRoom = { name: 'Late', announcement: 'hi', valid: true, muted: false, onlineusercount: 3 }
let clock: ReturnType<typeof manualClock>
let asked: number
let answer: () => Promise<ReadRoom>
let told: RoomDesk[]
let desks: HostedDesks
let receiver: 'off' | 'listening'
let last: Arrival | undefined
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
  last = undefined
  answer = () => Promise.resolve(open)
  desks = createHostedDesks({
    clock,
    read: () => {
      asked++
      return answer()
    },
    receiver: () => ({ phase: receiver, url: null }),
    last: () => last,
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

  it('is told at once as connecting, with the name that is kept, and entered once', async () => {
    expect(desks.enter({ ...room(), name: 'as kept' })).toMatchObject({
      profileId: 'p',
      roomid: 7,
      phase: 'connecting',
      name: 'as kept',
      online: null,
      copies: { readAt: null },
    })
    expect(told).toHaveLength(1)
    await until('an answer', () => desk().phase === 'inside')
    expect(desks.enter(room())).toEqual(desk())
    expect([desks.all('p').length, desks.find('p', 7), desks.find('q', 7)]).toEqual([1, desk(), undefined])
  })

  it('does not know how many are there where the service does not tell', async () => {
    answer = () => Promise.resolve({ ...open, onlineusercount: undefined })
    await enter()
    expect(desk().online).toBeNull()
  })

  it('tells when the last copy came and whether it was verified', async () => {
    last = { at: 5, verified: true }
    await enter()
    expect(desk().copies).toMatchObject({ lastAt: 5, verified: true })
  })

  it('tells of copies once in a second, of their room, and of all rooms of the profile', async () => {
    await enter()
    desks.enter(room(8))
    desks.enter({ ...room(9), profileId: 'q' })
    await pass(1_000)
    const toldOf = (): number[] => told.splice(0).map(({ roomid }) => roomid)
    told.splice(0)
    for (let times = 0; times < 3; times++) desks.copied('p', 8)
    expect(toldOf()).toEqual([])
    clock.advance(999)
    expect(toldOf()).toEqual([])
    clock.advance(1)
    expect(toldOf()).toEqual([8])
    desks.copied('p', 8)
    clock.advance(1_000)
    expect(toldOf()).toEqual([8])
    desks.copied('p')
    clock.advance(1_000)
    expect(toldOf().sort()).toEqual([7, 8])
  })

  it('is read later after a failure than after an answer, stays as it was, and not when nobody looks', async () => {
    await enter()
    answer = () => Promise.reject(new Failure('unreachable', 'gone'))
    await pass(10_000)
    expect(asked).toBe(2)
    expect(desk()).toMatchObject({ phase: 'waiting', name: 'Late', online: 3 })
    await pass(19_000)
    expect(asked).toBe(2)
    await pass(1_000)
    expect(asked).toBe(3)
    // Nobody has looked for a minute when the next is due.
    await pass(600_000, 10_000)
    expect(asked).toBe(3)
  })

  it('is read soon for who enters again while it is not inside, but 2 s after the last read at the earliest', async () => {
    answer = () => Promise.reject(new Failure('down', 'gone'))
    await enter()
    expect([asked, desk().phase]).toEqual([1, 'waiting'])
    answer = () => Promise.resolve(open)
    desks.enter(room())
    await pass(1_000)
    expect(asked).toBe(1)
    await pass(1_000)
    expect([asked, desk().phase]).toEqual([2, 'inside'])
    desks.enter(room())
    await pass(9_000)
    expect(asked).toBe(2)
  })

  it.each(['unreachable', 'refused', 'certificate', 'down', 'late'] as const)(
    'waits after a failure that passes: %s',
    async (kind) => {
      answer = () => Promise.reject(new Failure(kind, 'gone'))
      await enter()
      expect(desk().phase).toBe('waiting')
    },
  )

  it('is refused after a fault of the app, with its message', async () => {
    answer = () => Promise.reject(new TypeError('a fault'))
    await enter()
    expect(desk()).toMatchObject({ phase: 'refused', reason: reasonOf('link', 'failed', { system: 'a fault' }) })
  })

  it('is read again after a read during which something changed', async () => {
    await enter()
    const slow = Promise.withResolvers<ReadRoom>()
    answer = () => slow.promise
    await pass(10_000)
    desks.changed('p', 7, { kind: 'other' })
    answer = () => Promise.resolve({ ...open, announcement: 'new' })
    slow.resolve(open)
    await pass(3_000)
    expect([asked, desk().announcement]).toEqual([3, 'new'])
  })

  it('tells an own act of a mute with who did it and when, at once', async () => {
    await enter()
    desks.changed('p', 7, { kind: 'muteRoom', on: true, by: 'host', at: 6, sure: true })
    expect(desk()).toMatchObject({ muted: true, mutedBy: 'host', mutedAt: 6 })
    answer = () => Promise.resolve({ ...open, muted: true })
    await pass(2_000)
    expect(desk()).toMatchObject({ muted: true, mutedBy: 'host', mutedAt: 6 })
  })

  it('is not told, read or found after it was left, also when an answer comes then', async () => {
    await enter()
    const slow = Promise.withResolvers<ReadRoom>()
    answer = () => slow.promise
    await pass(10_000)
    desks.leave('p', 7)
    const before = told.length
    slow.resolve(open)
    desks.changed('p', 7, { kind: 'other' })
    desks.leave('p', 7)
    await pass(60_000)
    expect([told.length, asked, clock.waiting()]).toEqual([before, 2, 0])
  })

  it('of a profile that is forgotten ends as off, and those of others stay', async () => {
    await enter()
    desks.enter({ ...room(), profileId: 'q' })
    desks.forget('p')
    expect(told.findLast(({ profileId }) => profileId === 'p')?.phase).toBe('off')
    expect([desks.all('p'), desks.all('q').length]).toEqual([[], 1])
  })

  it('gives its place to a ninth room where it was looked at longest ago', async () => {
    for (let roomid = 1; roomid <= 8; roomid++) desks.enter(room(roomid))
    await pass(30_000)
    desks.enter(room(1))
    await pass(31_000)
    desks.enter(room(9))
    expect(desks.all('p').map(({ roomid }) => roomid)).toEqual([1, 3, 4, 5, 6, 7, 8, 9])
  })

  it('ends without a word, and nothing is read any more', async () => {
    await enter()
    const before = [told.length, asked]
    desks.end()
    await pass(60_000)
    expect([[told.length, asked], desks.all('p'), clock.waiting()]).toEqual([before, [], 0])
  })
})
