import { beforeEach, expect, it } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../http/clients.ts'
import type { Access } from './access.ts'
import { createDoors, type Doors } from './doors.ts'
import { createPlayers, type Ground, type Players } from './players.ts'
import type { DoorRequest } from './visitor.ts'
import type { WatchLimits } from './watch-limits.ts'

const cid = 'a'.repeat(32)
const ground: Ground = { kind: 'everybody' }
const end = (): void => undefined
let clock: ManualClock
let doors: Doors
let players: Players
let limited: boolean
/** Media that a player gets as it connects, in ms. */
let cached: number
/** Places in all. */
let room: number
let gate: 'passphrase' | undefined
/** Households that have had their share of the month. */
const sated = new Set<string>()

beforeEach(() => {
  clock = manualClock()
  limited = true
  room = Infinity
  cached = 0
  gate = undefined
  sated.clear()
  const access: Partial<Access> = {
    mayWatch: () => true,
    hasRoom: () => true,
    used: () => undefined,
    isLimited: () => false,
    admit: () => (gate === undefined ? { ok: true, ground } : { ok: false, gate }),
    isRemembered: () => false,
    admitWith: () => Promise.resolve('wrong'),
  }
  const limits: Partial<WatchLimits> = {
    admits: () => players.of(cid) < room,
    isLimited: () => limited,
    hasBytes: (_uid, { from }) => !sated.has(from),
    left: () => undefined,
    leaves: () => undefined,
  }
  players = createPlayers(clock)
  doors = createDoors({
    access: access as Access,
    limits: limits as WatchLimits,
    players,
    uidOf: () => 1,
    isOwn: () => false,
    isVisitor: () => false,
    isPublic: () => true,
    cached: () => cached,
    clock,
  })
})

const home = '198.51.100.1'
const from = (subnet: string): DoorRequest => ({ headers: {}, client: { subnet, address: subnet } as Client })
const file = (subnet: string, key = subnet, media = 0): boolean => doors.pollFile(cid, ground, from(subnet), key, media)
const files = (count: number, one: (index: number) => boolean): number =>
  Array.from({ length: count }, (_, index) => one(index)).filter(Boolean).length

it('players that cannot be told apart have the segments of several, and take as many places', () => {
  expect(files(150, () => file(home))).toBe(150)
  expect([players.of(cid), players.ofHousehold(() => true, home).home]).toEqual([3, 3])
  room = 4
  expect(files(150, () => file(home))).toBe(90)
  expect(players.of(cid)).toBe(4)
})

it('a place has 30 s of media at first, and twice as much as passes, by whatever names it asks', () => {
  room = 1
  const seconds = (): number => files(100, () => file(home, home, 2_000)) * 2
  expect(seconds()).toBe(30)
  clock.advance(10_000)
  expect(seconds()).toBe(20)
  // A player takes each second once.
  for (let second = 0; second < 60; second += 2) {
    clock.advance(2_000)
    expect(file(home, home, 2_000)).toBe(true)
  }
})

it('a page has them once, whatever its key is, and shares its place with no other household', () => {
  room = 1
  const page = doors.pages.pageOf(cid, { page: 'x'.repeat(28) })!
  const polls = (subnet: string, turn: string): boolean => {
    const request = { ...from(subnet), headers: { cookie: `sidestage-turn=${turn.repeat(16)}` } }
    const key = doors.keyOf(cid, request)
    doors.pagePolls(cid, page, key, subnet)
    return doors.poll(cid, ground, request, key, page) && doors.pollFile(cid, ground, request, key, 2_000)
  }
  expect(files(100, (index) => polls(home, String.fromCodePoint(97 + (index % 20))))).toBe(15)
  // Once it takes its place along.
  clock.advance(2_000)
  expect(['198.51.100.2', '198.51.100.3', home].map((subnet) => polls(subnet, 'A'))).toEqual([true, false, false])
  clock.advance(30_001)
  expect(polls('198.51.100.3', 'A')).toBe(true)
})

it('a browser that changes between IPv4 and IPv6 is one player, in the household that came first', () => {
  room = 1
  const polls = (subnet: string): boolean => {
    const request = { ...from(subnet), headers: { cookie: `sidestage-turn=${'K'.repeat(16)}` } }
    const key = doors.keyOf(cid, request)
    return doors.poll(cid, ground, request, key) && doors.pollFile(cid, ground, request, key, 2_000)
  }
  const both = [home, '2001:db8:1:1::/64', '2001:db8:1:1::/64', home, '2001:db8:1:ff::/64']
  expect(both.map(polls)).toEqual([true, true, true, true, true])
  expect(['2001:db8:2:1::/64', '198.51.100.2'].map(polls)).toEqual([false, false])
  expect(players.ofHousehold(() => true, home).home).toBe(1)
  expect(players.ofHousehold(() => true, '2001:db8:1:1::/64').home).toBe(0)
})

it('a page ends the player that it began, and none of another that looks alike', () => {
  const [page, other] = ['x', 'y'].map((letter) => doors.pages.pageOf(cid, { page: letter.repeat(28) })!)
  const polls = (agent: string, by?: string): void => {
    const request = { ...from(home), headers: { 'user-agent': agent } }
    const key = doors.keyOf(cid, request)
    if (by !== undefined) doors.pagePolls(cid, by, key, home)
    doors.poll(cid, ground, request, key, by)
  }
  polls('VLC')
  polls('VLC', page)
  doors.pageLeaves(cid, page!)
  polls('VLC', other)
  polls('other', other)
  expect(players.of(cid)).toBe(2)
  doors.pageLeaves(cid, other!)
  expect(players.of(cid)).toBe(1)
})

it('what a player gets as it connects counts, so that a page that connects again and again gets no more', () => {
  cached = 10_000
  const connects = (): boolean => {
    const leave = doors.enterPlayer(cid, ground, home, { end, sent: () => 2 ** 24 })
    leave?.()
    return leave !== undefined
  }
  expect(files(10, connects)).toBe(3)
  clock.advance(5_000)
  expect(files(10, connects)).toBe(1)
})

it('a cookie is of one household: by the same one another needs a place of its own', () => {
  const cookie = `sidestage-turn=${'K'.repeat(16)}`
  room = 1
  const polls = (subnet: string): boolean => {
    const request = { ...from(subnet), headers: { cookie } }
    return doors.poll(cid, ground, request, doors.keyOf(cid, request))
  }
  expect(['2001:db8:1:1::/64', '2001:db8:1:2::/64', '2001:db8:2:1::/64'].map(polls)).toEqual([true, true, false])
  expect(players.ofHousehold(() => true, '2001:db8:2:1::/64').home).toBe(0)
})

it('a household that has had its share of the month gets the segments of one player', () => {
  expect(files(200, (index) => file(home, `player ${index % 4}`))).toBe(200)
  sated.add(home)
  expect(files(200, (index) => file(home, `player ${index % 4}`))).toBe(60)
  expect(file('198.51.100.2')).toBe(true)
  clock.advance(10_000)
  expect(file(home, 'player 1')).toBe(true)
})

/** How many of them came at once. */
const came = async (those: readonly string[]): Promise<number> => {
  await settled()
  return those.length
}
const turns: Promise<unknown>[] = []
/** Asks for turns, one after the other; the names of those that have theirs, in order. */
const asks = (
  names: readonly string[],
  { from = home, channel = cid, isGone = (): boolean => false } = {},
): string[] => {
  const came: string[] = []
  for (const name of names) {
    const player = { cid: channel, ground, from, name }
    const began = (mayBegin: boolean): void => {
      // Its answer ends at once.
      doors.turnEnded(player)
      if (mayBegin) came.push(name)
    }
    turns.push(doors.turn(player, isGone).then(began))
  }
  return came
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const passes = async (ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 100) {
    clock.advance(100)
    await settled()
  }
}
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `player ${index}`)
const breaksOff = (times: number, from = home, name = 'other'): void => {
  for (let time = 0; time < times; time++) doors.brokeOff({ cid, ground, from, name })
}

it('an address that broke off 30 answers of a channel in 10 s has new ones four a second', async () => {
  breaksOff(29)
  expect(await came(asks(names(10)))).toBe(10)
  breaksOff(1)
  const waiting = asks(names(10))
  expect(await came(waiting)).toBe(4)
  expect(await came(asks(names(10), { from: '198.51.100.2' }))).toBe(10)
  expect(await came(asks(names(10), { channel: 'b'.repeat(32) }))).toBe(10)
  await passes(1_000)
  expect(waiting).toHaveLength(8)
  await passes(1_000)
  expect(waiting).toHaveLength(10)
  await passes(10_000)
  expect(await came(asks(names(10)))).toBe(10)
})

it('a player whose address is broken off without end comes in all the same', async () => {
  const honest: boolean[] = []
  breaksOff(30)
  for (let second = 0; second < 30 && honest.length === 0; second++) {
    // Each of them is gone before its turn, or breaks off what it gets.
    asks(names(30), { isGone: () => true })
    breaksOff(30)
    if (second === 0) turns.push(doors.turn({ cid, ground, from: home }, () => false).then((may) => honest.push(may)))
    await passes(1_000)
  }
  expect(honest).toEqual([true])
  expect(doors.enterPlayer(cid, ground, home, { end })).toBeDefined()
})

it('a /56 has twice as many, a /48 four times, and nobody of it is left without', async () => {
  const of = (index: number): string => `2001:db8:1:${index.toString(16)}::/64`
  for (const index of [0, 1, 2, 3]) breaksOff(30, of(index))
  const cameOf = async (...those: number[]): Promise<number> => {
    let count = 0
    for (const index of those) count += await came(asks(names(10), { from: of(index) }))
    return count
  }
  expect(await cameOf(5)).toBe(4)
  expect(await cameOf(6, 7)).toBe(4)
  for (const index of [0x100, 0x101, 0x200, 0x201, 0x300, 0x301]) breaksOff(30, of(index))
  // 8 of 16 are taken.
  const other = asks(names(10), { from: of(0xa00) })
  expect(await came(other)).toBe(4)
  expect(await cameOf(0xb00, 0xc00)).toBe(4)
  await passes(5_000)
  expect(other).toHaveLength(10)
  expect(await came(asks(names(10), { from: '2001:db8:2:1::/64' }))).toBe(10)
})

it('connections that end within 3 s, or were not read, count as broken off, but none of this computer', async () => {
  const isFast = async (from = home): Promise<boolean> => {
    const all = await came(asks(names(10), { from }))
    await passes(1_000)
    return all === 10
  }
  const leaves = (seconds: number, sent: number): void => {
    const leave = Array.from({ length: 40 }, () => doors.enterPlayer(cid, ground, home, { end, sent: () => sent }))
    clock.advance(seconds * 1_000)
    for (const each of leave) each!()
  }
  leaves(3, 1024 * 1024)
  expect(await isFast()).toBe(true)
  leaves(60, 100_000)
  expect(await isFast()).toBe(false)
  clock.advance(10_000)
  limited = false
  for (let time = 0; time < 40; time++) doors.enterPlayer(cid, ground, home, { end })!()
  limited = true
  expect(await isFast()).toBe(true)
  for (let time = 0; time < 30; time++) doors.enterPlayer(cid, ground, home, { end })!()
  expect(await isFast()).toBe(false)
  breaksOff(40, '127.0.0.1')
  expect(await isFast('127.0.0.1')).toBe(true)
})

it('what the service ends is not broken off: a stream that is over, and players who are put out', async () => {
  for (let time = 0; time < 40; time++) doors.enterPlayer(cid, ground, home, { end })!(true)
  const leaves = Array.from({ length: 40 }, () => doors.enterPlayer(cid, ground, home, { end })!)
  players.review(cid, () => false)
  for (const leave of leaves) leave()
  expect(await came(asks(names(10)))).toBe(10)
})

it('100 connections of an address that read nothing come at once, the others in turn until those have', async () => {
  let sent = 0
  const enters = async (): Promise<number> => {
    let count = 0
    for (let player = 0; player < 120; player++) {
      if ((await came(asks([`player ${player}`]))) === 0) continue
      doors.enterPlayer(cid, ground, home, { end, sent: () => sent })
      count += 1
    }
    return count
  }
  expect(await enters()).toBe(104)
  await passes(1_000)
  sent = 1024 * 1024
  expect(await enters()).toBe(120)
})

it('who is gone, or would wait for more than 20 s, waits no longer', async () => {
  breaksOff(30)
  const answers: boolean[] = []
  let isGone = false
  const wait = (): void => {
    turns.push(doors.turn({ cid, ground, from: home }, () => isGone).then((mayBegin) => answers.push(mayBegin)))
  }
  for (let count = 0; count < 100; count++) wait()
  for (let second = 0; second < 20; second++) {
    breaksOff(30)
    await passes(1_000)
  }
  expect(answers).toHaveLength(100)
  const isFew = answers.filter(Boolean).length
  expect(isFew).toBeGreaterThan(70)
  expect(isFew).toBeLessThan(85)
  asks(names(4))
  wait()
  isGone = true
  await passes(100)
  expect(answers.filter(Boolean)).toHaveLength(isFew)
})

it('who was sent 1 MiB for each answer that it broke off does not wait for others of its household', async () => {
  const mib = 1024 * 1024
  const honest = { cid, ground, from: home, name: 'honest' }
  const page = doors.pages.pageOf(cid, { page: 'x'.repeat(28) })!
  doors.sent(honest, mib)
  doors.enterPlayer(cid, ground, home, { end, page, sent: () => 2 * mib })!()
  breaksOff(100)
  asks(names(4))
  expect(await came(asks(['honest', page, 'other']))).toBe(2)
  breaksOff(1, home, 'honest')
  expect(await came(asks(['honest']))).toBe(0)
  doors.sent(honest, mib)
  expect(await came(asks(['honest']))).toBe(1)
})

it('one name begins only as many answers at once as it may break off, and further ones when those have ended', async () => {
  const players = Array.from({ length: 57 }, () => ({ cid, ground, from: home, name: 'one' }))
  doors.sent(players[0]!, 1.5 * 1024 * 1024)
  breaksOff(100)
  // The turns of the household are taken.
  asks(names(4))
  const begun: number[] = []
  for (const [index, player] of players.entries())
    turns.push(doors.turn(player, () => false).then((mayBegin) => mayBegin && begun.push(index)))
  await settled()
  expect(begun).toEqual([0])
  doors.turnEnded(players[0]!)
  doors.turnEnded(players[0]!)
  // The first of these has ended before the second asks.
  for (const name of ['one', 'one']) expect(await came(asks([name]))).toBe(1)
  expect(await came(asks(['other']))).toBe(0)
})

/** The status for a wrong passphrase of the household. */
const guess = async (): Promise<unknown> => {
  const request = from(home)
  const headers = { authorization: `Basic ${Buffer.from(':wrong').toString('base64')}` }
  const answer = await doors.ask(cid, { ...request, headers }, undefined)
  return !answer.ok && answer.status
}

it.each([-3_600_000, 3_600_000])('an address that guessed is slowed for a minute by any clock: %i ms', async (by) => {
  gate = 'passphrase'
  for (let time = 0; time < 10; time++) expect(await guess()).toBe(401)
  clock.set(by)
  clock.advance(59_999)
  expect(await guess()).toBe(429)
  clock.advance(1)
  expect(await guess()).toBe(401)
})

it('names that players choose push no address out of a count of wrong passphrases or broken answers', async () => {
  gate = 'passphrase'
  for (let time = 0; time < 10; time++) expect(await guess()).toBe(401)
  breaksOff(30)
  const other = '198.51.100.2'
  for (let player = 0; player < 30_000; player++) {
    file(other, `agent ${player}`)
    doors.brokeOff({ cid, ground, from: other, name: `agent ${player}` })
  }
  expect(await guess()).toBe(429)
  expect(await came(asks(names(10)))).toBe(4)
})
