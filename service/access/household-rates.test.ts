import { beforeEach, expect, it } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../http/clients.ts'
import type { Access } from './access.ts'
import { createDoors, type Doors } from './doors.ts'
import { createPlayers, type Ground } from './players.ts'
import type { DoorRequest } from './visitor.ts'
import type { WatchLimits } from './watch-limits.ts'

const cid = 'a'.repeat(32)
const ground: Ground = { kind: 'everybody' }
const end = (): void => undefined
let clock: ManualClock
let doors: Doors
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
  doors = createDoors({
    access: access as Access,
    limits: limits as WatchLimits,
    players: createPlayers(clock),
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

it('an address may break off 30 answers in 10 s, a /56 60', () => {
  const home = '198.51.100.1'
  for (let time = 0; time < 30; time++) {
    expect(file(home)).toBe(true)
    doors.brokeOff(home)
  }
  expect([file(home), doors.enterPlayer(cid, ground, home, { end })]).toEqual([false, undefined])
  expect(file('198.51.100.2')).toBe(true)
  clock.advance(10_000)
  expect(file(home)).toBe(true)
  const wide = (index: number): string => `2001:db8:1:${(index % 4).toString(16)}::/64`
  for (let time = 0; time < 60; time++) doors.brokeOff(wide(time))
  expect([file(wide(5)), file('2001:db8:2:1::/64')]).toEqual([false, true])
})

it('of connections short ones count as broken off, of this computer none, and without a limit nothing', () => {
  const home = '198.51.100.1'
  for (let time = 0; time < 40; time++) {
    const leave = doors.enterPlayer(cid, ground, home, { end })
    clock.advance(10_000)
    leave!()
  }
  expect(file(home)).toBe(true)
  for (let time = 0; time < 30; time++) doors.enterPlayer(cid, ground, home, { end })!()
  expect(file(home)).toBe(false)
  limited = false
  expect(file(home)).toBe(true)
  limited = true
  for (let time = 0; time < 40; time++) doors.brokeOff('127.0.0.1')
  expect(file('127.0.0.1')).toBe(true)
})
