import { beforeEach, describe, expect, it } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../http/clients.ts'
import type { Access } from './access.ts'
import { createDoors, type Doors } from './doors.ts'
import { createPlayers, type Ground, type Players } from './players.ts'
import type { DoorRequest } from './visitor.ts'
import type { WatchLimits } from './watch-limits.ts'
import { full } from './turned-away.ts'

const cid = 'a'.repeat(32)
const ground: Ground = { kind: 'everybody' }
const end = (): void => undefined
let clock: ManualClock
let doors: Doors
let players: Players
let limited: boolean
/** Households that have had their share of the month. */
const sated = new Set<string>()

beforeEach(() => {
  clock = manualClock()
  limited = true
  sated.clear()
  const access: Partial<Access> = {
    mayWatch: () => true,
    hasRoom: () => true,
    used: () => undefined,
    isLimited: () => false,
  }
  const limits: Partial<WatchLimits> = {
    admits: () => true,
    isLimited: () => limited,
    hasBytes: (_uid, { from }) => !sated.has(from),
    left: () => undefined,
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
    clock,
  })
})

const from = (subnet: string): DoorRequest => ({ headers: {}, client: { subnet, address: subnet } as Client })
const file = (subnet: string, key = subnet): boolean => doors.pollFile(cid, ground, from(subnet), key)
const files = (count: number, one: (index: number) => boolean): number =>
  Array.from({ length: count }, (_, index) => one(index)).filter(Boolean).length

it('a household that has had its share of the month gets the segments of one player', () => {
  const home = '198.51.100.1'
  expect(files(200, (index) => file(home, `player ${index % 4}`))).toBe(200)
  sated.add(home)
  expect(files(200, (index) => file(home, `player ${index % 4}`))).toBe(60)
  expect(file('198.51.100.2')).toBe(true)
  clock.advance(10_000)
  expect(file(home, 'player 1')).toBe(true)
})

it('an address may break off 30 answers of a channel in 10 s, a /56 60', () => {
  const home = '198.51.100.1'
  for (let time = 0; time < 30; time++) {
    expect(file(home)).toBe(true)
    doors.brokeOff(cid, ground, home, home)
  }
  expect([file(home), doors.enterPlayer(cid, ground, home, { end })]).toEqual([false, undefined])
  expect(doors.noRoom(cid, ground, home).sentence).toContain('were broken off')
  expect(file('198.51.100.2')).toBe(true)
  expect(doors.enterPlayer('b'.repeat(32), ground, home, { end })).toBeDefined()
  clock.advance(10_000)
  expect(file(home)).toBe(true)
  const wide = (index: number): string => `2001:db8:1:${(index % 4).toString(16)}::/64`
  for (let time = 0; time < 60; time++) doors.brokeOff(cid, ground, wide(time), undefined)
  expect(doors.enterPlayer(cid, ground, wide(5), { end })).toBeUndefined()
  expect(doors.enterPlayer(cid, ground, '2001:db8:2:1::/64', { end })).toBeDefined()
})

it('of connections short ones count as broken off, of this computer none, and without a limit nothing', () => {
  const home = '198.51.100.1'
  const may = (from = home): boolean => doors.noRoom(cid, ground, from) === full
  for (let time = 0; time < 40; time++) {
    const leave = doors.enterPlayer(cid, ground, home, { end })
    clock.advance(10_000)
    leave!()
  }
  expect(may()).toBe(true)
  limited = false
  for (let time = 0; time < 40; time++) doors.enterPlayer(cid, ground, home, { end })!()
  limited = true
  expect(may()).toBe(true)
  for (let time = 0; time < 30; time++) doors.enterPlayer(cid, ground, home, { end })!()
  expect(may()).toBe(false)
  for (let time = 0; time < 40; time++) doors.brokeOff(cid, ground, '127.0.0.1', undefined)
  expect(may('127.0.0.1')).toBe(true)
})

it('what the service ends is not broken off: a stream that is over, and players who are put out', () => {
  const home = '198.51.100.1'
  for (let time = 0; time < 40; time++) doors.enterPlayer(cid, ground, home, { end })!(true)
  const leaves = Array.from({ length: 40 }, () => doors.enterPlayer(cid, ground, home, { end })!)
  players.review(cid, () => false)
  for (const leave of leaves) leave()
  expect(doors.enterPlayer(cid, ground, home, { end })).toBeDefined()
})

describe('of a household where somebody breaks off too much', () => {
  const home = '198.51.100.1'
  const enter = (page?: string) => doors.enterPlayer(cid, ground, home, { end, page })
  const idOf = (id: string): string => doors.pages.pageOf(cid, { page: id.padStart(28, 'x') })!
  const breakOff = (): void => {
    for (let time = 0; time < 100; time++) doors.brokeOff(cid, ground, home, 'other')
  }

  it('players who have a place get their segments', () => {
    breakOff()
    expect([file(home, 'other'), file(home, 'honest')]).toEqual([false, true])
  })

  it('pages come in that asked for the state, and those that only say an id do not', () => {
    breakOff()
    doors.pages.told(idOf('known'), home)
    expect([enter(), enter(idOf('unknown'))]).toEqual([undefined, undefined])
    // Each may break off a few itself.
    for (let time = 0; time < 3; time++) enter(idOf('known'))!()
    expect(enter(idOf('known'))).toBeUndefined()
  })

  it('60 pages become known in a minute', () => {
    breakOff()
    for (let page = 0; page < 100; page++) doors.pages.told(idOf(`${page}`), home)
    const known = Array.from({ length: 100 }, (_, page) => enter(idOf(`${page}`)) !== undefined)
    expect(known.filter(Boolean)).toHaveLength(60)
  })
})
