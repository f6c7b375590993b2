import { beforeEach, describe, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import type { RoomPanel } from '../../contract/rpc/index.ts'
import { Failure } from '../failure.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import type { Arrival } from './copied-lines.ts'
import { createHostedPanels, readEvery, type HostedPanels, type ReadRoom } from './hosted-panels.ts'

const open: ReadRoom = { name: 'Late', announcement: 'hi', valid: true, muted: false, onlineusercount: 3 }
let clock: ReturnType<typeof manualClock>
let asked: number
let answer: () => Promise<ReadRoom>
let told: RoomPanel[]
let panels: HostedPanels
let receiver: 'off' | 'listening'
let last: Arrival | undefined
const room = (roomid = 7) => ({ profileId: 'p', roomid, name: 'Late', creator: 'host' })
const panel = (): RoomPanel => told.at(-1) ?? expect.fail('nothing was told')
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
  panels.enter(room())
  await until('an answer', () => panel().phase !== 'connecting')
}

beforeEach(() => {
  clock = manualClock()
  asked = 0
  told = []
  receiver = 'off'
  last = undefined
  answer = () => Promise.resolve(open)
  panels = createHostedPanels({
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
    expect(panel()).toMatchObject({
      phase: 'inside',
      accid: 'host',
      name: 'Late',
      announcement: 'hi',
      online: 3,
      muted: false,
      mutedBy: null,
    })
    expect(panel().copies).toEqual({
      receiver: 'off',
      url: null,
      lastAt: null,
      verified: null,
      dropped: 1,
      elsewhere: 2,
      readAt: clock.now(),
    })
    receiver = 'listening'
    panels.copied('p')
    panels.copied('p', 7)
    const before = told.length
    clock.advance(1_000)
    expect([told.length - before, panel().copies?.receiver]).toEqual([1, 'listening'])
  })

  it('is read every 10 s while somebody looks, and not a minute after', async () => {
    await enter()
    await pass(50_000)
    expect(asked).toBe(6)
    panels.enter(room())
    await pass(60_000)
    expect(asked).toBeGreaterThan(10)
    const before = asked
    await pass(600_000, 10_000)
    expect(asked).toBeLessThanOrEqual(before + 1)
    panels.enter(room())
    await pass(2_000)
    expect(asked).toBeGreaterThan(before)
  })

  it('leaves a service alone that answers 416, longer each time, and stays as it was', async () => {
    await enter()
    answer = () => Promise.reject(new Failure('code', 'slow down', { code: 416 }))
    const looking = async (ms: number): Promise<number> => {
      const before = asked
      for (let gone = 0; gone < ms; gone += 30_000) {
        panels.enter(room())
        panels.changed('p', 7, { kind: 'other' })
        await pass(30_000)
      }
      return asked - before
    }
    // 10, 20, 40, 80, 160 s and then every 300 s; without it this would be 120 reads.
    expect(await looking(1_200_000)).toBeLessThanOrEqual(9)
    expect(panel()).toMatchObject({ phase: 'inside', online: 3 })
    answer = () => Promise.resolve({ ...open, onlineusercount: 9 })
    await looking(readEvery.most)
    expect(panel().online).toBe(9)
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
    expect(panel()).toMatchObject({ phase, reason })
    answer = () => Promise.resolve(open)
    await pass(40_000)
    expect(panel()).toMatchObject({ phase: 'inside', reason: null })
  })

  it('tells a closed room, and reads again soon when something changed, but not more often than every 2 s', async () => {
    await enter()
    answer = () => Promise.resolve({ ...open, valid: false })
    for (let each = 0; each < 5; each++) panels.changed('p', 7, { kind: 'other' })
    await pass(2_000)
    expect([asked, panel().phase, panel().reason?.code]).toEqual([2, 'refused', 'closed'])
  })

  it('believes a notification of a mute only when the service says so, and an own act at once', async () => {
    await enter()
    panels.changed('p', 7, { kind: 'muteRoom', on: true, by: 'mei', at: 5, sure: false })
    expect(panel().muted).toBe(false)
    await pass(2_000)
    expect(panel()).toMatchObject({ muted: false, mutedBy: null })
    answer = () => Promise.resolve({ ...open, muted: true })
    panels.changed('p', 7, { kind: 'muteRoom', on: true, by: 'mei', at: 5, sure: false })
    await pass(3_000)
    expect(panel()).toMatchObject({ muted: true, mutedBy: 'mei', mutedAt: 5 })
    panels.changed('p', 7, { kind: 'muteRoom', on: false, by: 'host', at: 6, sure: true })
    expect(panel()).toMatchObject({ muted: false, mutedBy: null })
  })

  it('keeps an own act against an answer that was asked for before it', async () => {
    await enter()
    const slow = Promise.withResolvers<ReadRoom>()
    answer = () => slow.promise
    await pass(10_000)
    expect(asked).toBe(2)
    panels.changed('p', 7, { kind: 'muteRoom', on: true, by: 'host', at: 6, sure: true })
    answer = () => Promise.resolve({ ...open, muted: true })
    slow.resolve({ ...open, onlineusercount: 4 })
    await until('the answer', () => panel().online === 4)
    expect(panel()).toMatchObject({ muted: true, mutedBy: 'host' })
    await pass(2_000)
    expect([asked, panel().muted, panel().online]).toEqual([3, true, 3])
  })

  it('is given up when it is left, and by a ninth room once nobody looks', async () => {
    for (let roomid = 1; roomid <= 8; roomid++) panels.enter(room(roomid))
    expect(() => panels.enter(room(9))).toThrow(Failure)
    await pass(61_000)
    panels.enter(room(9))
    expect(panels.all('p')).toHaveLength(8)
    panels.leave('p', 9)
    expect([panel().phase, panels.find('p', 9), panels.all('other')]).toEqual(['off', undefined, []])
    panels.forget('p')
    expect(panels.all('p')).toEqual([])
  })

  it('is told at once as connecting, with the name that is kept, and entered once', async () => {
    expect(panels.enter({ ...room(), name: 'as kept' })).toMatchObject({
      profileId: 'p',
      roomid: 7,
      phase: 'connecting',
      name: 'as kept',
      online: null,
      copies: { readAt: null },
    })
    expect(told).toHaveLength(1)
    await until('an answer', () => panel().phase === 'inside')
    expect(panels.enter(room())).toEqual(panel())
    expect([panels.all('p').length, panels.find('p', 7), panels.find('q', 7)]).toEqual([1, panel(), undefined])
  })

  it('does not know how many are there where the service does not tell', async () => {
    answer = () => Promise.resolve({ ...open, onlineusercount: undefined })
    await enter()
    expect(panel().online).toBeNull()
  })

  it('tells when the last copy came and whether it was verified', async () => {
    last = { at: 5, verified: true }
    await enter()
    expect(panel().copies).toMatchObject({ lastAt: 5, verified: true })
  })

  it('tells of copies once in a second, of their room, and of all rooms of the profile', async () => {
    await enter()
    panels.enter(room(8))
    panels.enter({ ...room(9), profileId: 'q' })
    await pass(1_000)
    const toldOf = (): number[] => told.splice(0).map(({ roomid }) => roomid)
    told.splice(0)
    for (let times = 0; times < 3; times++) panels.copied('p', 8)
    expect(toldOf()).toEqual([])
    clock.advance(999)
    expect(toldOf()).toEqual([])
    clock.advance(1)
    expect(toldOf()).toEqual([8])
    panels.copied('p', 8)
    clock.advance(1_000)
    expect(toldOf()).toEqual([8])
    panels.copied('p')
    clock.advance(1_000)
    expect(toldOf().sort()).toEqual([7, 8])
  })

  it('is read later after a failure than after an answer, stays as it was, and not when nobody looks', async () => {
    await enter()
    answer = () => Promise.reject(new Failure('unreachable', 'gone'))
    await pass(10_000)
    expect(asked).toBe(2)
    expect(panel()).toMatchObject({ phase: 'waiting', name: 'Late', online: 3 })
    await pass(19_000)
    expect(asked).toBe(2)
    await pass(1_000)
    expect(asked).toBe(3)
    // Nobody has looked for a minute when the next is due.
    await pass(600_000, 10_000)
    expect(asked).toBe(3)
  })

  it('is read soon for who enters again while it is not inside', async () => {
    answer = () => Promise.reject(new Failure('down', 'gone'))
    await enter()
    expect([asked, panel().phase]).toEqual([1, 'waiting'])
    answer = () => Promise.resolve(open)
    panels.enter(room())
    await pass(1_000)
    expect(asked).toBe(1)
    await pass(1_000)
    expect([asked, panel().phase]).toEqual([2, 'inside'])
    panels.enter(room())
    await pass(9_000)
    expect(asked).toBe(2)
  })

  it.each(['unreachable', 'refused', 'away', 'certificate', 'down', 'late'] as const)(
    'waits after a failure that passes: %s',
    async (kind) => {
      answer = () => Promise.reject(new Failure(kind, 'gone'))
      await enter()
      expect(panel().phase).toBe('waiting')
    },
  )

  it('is refused after a fault of the app, with its message', async () => {
    answer = () => Promise.reject(new TypeError('a fault'))
    await enter()
    expect(panel()).toMatchObject({ phase: 'refused', reason: reasonOf('link', 'failed', { system: 'a fault' }) })
  })

  it('is read again after a read during which something changed', async () => {
    await enter()
    const slow = Promise.withResolvers<ReadRoom>()
    answer = () => slow.promise
    await pass(10_000)
    panels.changed('p', 7, { kind: 'other' })
    answer = () => Promise.resolve({ ...open, announcement: 'new' })
    slow.resolve(open)
    await pass(3_000)
    expect([asked, panel().announcement]).toEqual([3, 'new'])
  })

  it('tells an own act of a mute with who did it and when, at once', async () => {
    await enter()
    panels.changed('p', 7, { kind: 'muteRoom', on: true, by: 'host', at: 6, sure: true })
    expect(panel()).toMatchObject({ muted: true, mutedBy: 'host', mutedAt: 6 })
    answer = () => Promise.resolve({ ...open, muted: true })
    await pass(2_000)
    expect(panel()).toMatchObject({ muted: true, mutedBy: 'host', mutedAt: 6 })
  })

  it('is not told, read or found after it was left, also when an answer comes then', async () => {
    await enter()
    const slow = Promise.withResolvers<ReadRoom>()
    answer = () => slow.promise
    await pass(10_000)
    panels.leave('p', 7)
    const before = told.length
    slow.resolve(open)
    panels.changed('p', 7, { kind: 'other' })
    panels.leave('p', 7)
    await pass(60_000)
    expect([told.length, asked, clock.waiting()]).toEqual([before, 2, 0])
  })

  it('of a profile that is forgotten ends as off, and those of others stay', async () => {
    await enter()
    panels.enter({ ...room(), profileId: 'q' })
    panels.forget('p')
    expect(told.findLast(({ profileId }) => profileId === 'p')?.phase).toBe('off')
    expect([panels.all('p'), panels.all('q').length]).toEqual([[], 1])
  })

  it('gives its place to a ninth room where it was looked at longest ago', async () => {
    for (let roomid = 1; roomid <= 8; roomid++) panels.enter(room(roomid))
    await pass(30_000)
    panels.enter(room(1))
    await pass(31_000)
    panels.enter(room(9))
    expect(panels.all('p').map(({ roomid }) => roomid)).toEqual([1, 3, 4, 5, 6, 7, 8, 9])
  })

  it('ends without a word, and nothing is read any more', async () => {
    await enter()
    const before = [told.length, asked]
    panels.end()
    await pass(60_000)
    expect([[told.length, asked], panels.all('p'), clock.waiting()]).toEqual([before, [], 0])
  })
})

it('a room is read every 10 s, at least 2 s apart, and at most 5 minutes apart after failures', () => {
  expect(readEvery).toEqual({ usually: 10_000, least: 2_000, most: 300_000 })
})

it('a room gives its place to a ninth one a minute after it was looked at, and not before', async () => {
  for (let each = 1; each <= 8; each++) panels.enter(room(each))
  await pass(59_000)
  clock.advance(999)
  expect(() => panels.enter(room(9))).toThrow('at most 8 rooms at once')
  clock.advance(1)
  panels.enter(room(9))
  expect(panels.all('p').map(({ roomid }) => roomid)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  expect(told.some(({ roomid, phase }) => roomid === 1 && phase === 'off')).toBe(true)
})

it('a room that is muted keeps who did that over an answer that says the same, and over a failure', async () => {
  await enter()
  answer = () => Promise.resolve({ ...open, muted: true })
  panels.changed('p', 7, { kind: 'muteRoom', on: true, by: 'mei', at: 5, sure: true })
  await pass(2_000)
  expect(panel()).toMatchObject({ muted: true, mutedBy: 'mei', mutedAt: 5 })
  answer = () => Promise.reject(new Failure('unreachable', 'gone'))
  await pass(10_000)
  expect(panel()).toMatchObject({ phase: 'waiting', muted: true, mutedBy: 'mei', mutedAt: 5 })
  answer = () => Promise.resolve(open)
  panels.enter(room())
  await pass(2_000)
  expect(panel()).toMatchObject({ phase: 'inside', muted: false, mutedBy: null, mutedAt: null })
})

it('a room whose service answers 416 is read again after 20, 40, 80 and 160 s and then every 5 minutes', async () => {
  await enter()
  answer = () => Promise.reject(new Failure('code', 'slow down', { code: 416 }))
  const waits: number[] = []
  let last = clock.now()
  while (waits.length < 7) {
    const before = asked
    panels.enter(room())
    await pass(1_000)
    if (asked === before) continue
    waits.push(clock.now() - last)
    last = clock.now()
  }
  expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000])
})
