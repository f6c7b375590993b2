import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import type { ApplicationTable } from '../storage/schema.ts'
import { openStore } from '../storage/testing/open-store.ts'
import { until } from '../testing/condition.ts'
import { createPlayers, type Ground } from './players.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { madeAgain } from '../journal/testing/made-again.ts'
import { createWatchLimits } from './watch-limits.ts'
import { refuseRows, takeRows } from '../testing/beside.ts'

const uid = 1
const cid = 'a'.repeat(32)
/** A channel of another application. */
const others = 'b'.repeat(32)
const end = (): void => undefined
/** Somebody who asks for a place; without a page from an address of nobody else here. */
const seeker = <Page extends string | undefined>(page: Page, from = '192.0.2.9') => ({
  page,
  from,
  ground: { kind: 'everybody' } as const,
})

async function opened() {
  const dir = mkdtempSync(join(tmpdir(), 'sidestage-limits-'))
  const store = await openStore(dir)
  await store.db
    .insertInto('application')
    .values({ uid, name: 'main', created: 1 } as ApplicationTable)
    .execute()
  const starts: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of starts) await close()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  /** Limits as after a start over the same data; those before are not closed, as by SIGKILL. */
  const start = async (
    clock: ManualWallClock,
    timeZone = 'UTC',
    failed = (error: unknown): void => {
      throw error
    },
    toTargets = 0,
    changed = (_uid: number): void => undefined,
  ) => {
    const players = createPlayers(clock)
    const limits = await createWatchLimits({
      db: store.db,
      journal: madeAgain(createMemoryJournal(store)),
      uids: [uid],
      uidOf: (of) => (of === others ? 2 : uid),
      players,
      targetsKbps: () => toTargets,
      pushKbps: () => 1_000,
      clock,
      timeZone,
      failed,
      changed,
    })
    starts.push(() => limits.close())
    return { players, limits }
  }
  return { start, db: store.db }
}

it('what was sent in the month is stored within seconds, also before a kill, and is 0 with a new month', async () => {
  const { start, db } = await opened()
  // 23:59:50 of 30 November in Shanghai.
  const clock = manualWallClock(Date.UTC(2026, 10, 30, 15, 59, 50))
  const first = await start(clock, 'Asia/Shanghai')
  first.players.sent({ kind: 'everybody' }, '192.0.2.1', 2_000_000_000)
  await until(
    'it is stored',
    async () => (await db.selectFrom('sentMonth').selectAll().execute())[0]?.bytes === 2_000_000_000,
    8_000,
  )
  const second = await start(clock, 'Asia/Shanghai')
  expect(second.limits.figures(uid).monthBytes).toBe(2_000_000_000)
  await second.limits.update(uid, { maxGigabytes: 2 })
  expect(second.limits.admits(uid, cid, seeker(undefined))).toBe(false)
  clock.advance(10_000)
  await until('the next month has begun', () => second.limits.admits(uid, cid, seeker(undefined)), 8_000)
  expect((await db.selectFrom('sentMonth').selectAll().execute()).map(({ month }) => month)).toContain('2026-11')
  expect(second.limits.figures(uid).monthBytes).toBe(0)
})

it('a clock that jumps into another month and back goes on with what was sent in each', async () => {
  const { start, db } = await opened()
  const clock = manualWallClock(Date.UTC(2026, 10, 29))
  const { limits, players } = await start(clock)
  const bytes = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await db.selectFrom('sentMonth').selectAll().execute()).map((row) => [row.month, row.bytes] as const),
    )
  const stored = (wanted: Record<string, number>) =>
    until('it is stored', async () => isDeepStrictEqual(await bytes(), wanted), 16_000)
  players.sent({ kind: 'everybody' }, '192.0.2.1', 1_000)
  await stored({ '2026-11': 1_000 })
  const week = 7 * 24 * 3_600_000
  clock.advance(week)
  await until('the next month has begun', () => limits.figures(uid).monthBytes === 0, 16_000)
  players.sent({ kind: 'everybody' }, '192.0.2.1', 20)
  await stored({ '2026-11': 1_000, '2026-12': 20 })
  clock.advance(-week)
  await until('the month before goes on', () => limits.figures(uid).monthBytes === 1_000, 16_000)
  players.sent({ kind: 'everybody' }, '192.0.2.1', 300)
  await stored({ '2026-11': 1_300, '2026-12': 20 })
}, 60_000)

it('limits and who waits are told once they are others than before', async () => {
  const { start } = await opened()
  const told: unknown[] = []
  const { limits, players } = await start(manualWallClock(), 'UTC', undefined, 0, () => told.push(limits.facts(uid)))
  await limits.update(uid, { maxViewers: 1 })
  const facts = { maxViewers: 1, maxKbps: 0, maxGigabytes: 0, waiting: 0 }
  await until('the limit is told', () => told.length > 0, 8_000)
  players.add({ cid, ground: { kind: 'everybody' }, end })
  limits.ahead(uid, cid, seeker('page'))
  await until('who waits is told', () => told.length > 1, 8_000)
  expect(told).toEqual([facts, { ...facts, waiting: 1 }])
})

it('pages of one address do not fill the queue, and nobody passes those who wait', async () => {
  const { start } = await opened()
  const { limits, players } = await start(manualWallClock())
  await limits.update(uid, { maxViewers: 1 })
  const leave = players.add({ cid, ground: { kind: 'everybody' }, end })
  for (let page = 0; page < 100; page++) limits.ahead(uid, cid, seeker(`page ${page}`, '198.51.100.1'))
  expect(limits.figures(uid).waiting).toBe(64)
  // Addresses take turns.
  expect(limits.ahead(uid, cid, seeker('other', '198.51.100.2'))).toBe(1)
  expect(limits.ahead(uid, cid, seeker('page 1', '198.51.100.1'))).toBe(2)
  expect(limits.ahead(uid, cid, seeker('page 99', '198.51.100.1'))).toBe(65)
  leave()
  expect(limits.admits(uid, cid, seeker(undefined))).toBe(false)
  expect(limits.admits(uid, cid, seeker('other'))).toBe(false)
  expect(limits.ahead(uid, cid, seeker('page 0', '198.51.100.1'))).toBeUndefined()
  expect(limits.admits(uid, cid, seeker('page 0'))).toBe(true)
})

it('the crowd of one application takes neither the line nor the kept places of another', async () => {
  const { start, db } = await opened()
  await db
    .insertInto('application')
    .values({ uid: 2, name: 'other', created: 1 } as ApplicationTable)
    .execute()
  const { limits, players } = await start(manualWallClock())
  await limits.update(uid, { maxViewers: 1 })
  await limits.update(2, { maxViewers: 1 })
  players.add({ cid: others, ground: { kind: 'everybody' }, end })
  for (let house = 0; house < 3; house++)
    for (let page = 0; page < 64; page++) limits.ahead(2, others, seeker(`${house} ${page}`, `198.51.${house}.1`))
  for (let page = 0; page < 100; page++) limits.left(2, `left ${page}`, '198.51.100.1')
  expect([limits.figures(2).waiting, limits.figures(uid).waiting]).toEqual([192, 0])
  expect(limits.ahead(uid, cid, seeker('page', '203.0.113.1'))).toBeUndefined()
  expect(limits.admits(uid, cid, seeker('page'))).toBe(true)
  players.add({ cid, ground: { kind: 'everybody' }, end })
  expect(limits.ahead(uid, cid, seeker('second', '203.0.113.1'))).toBe(0)
  expect(limits.figures(uid).waiting).toBe(1)
})

it('what was sent is kept in memory while the disk is full, and stored when there is room', async () => {
  const { start, db } = await opened()
  const faults: unknown[] = []
  const { players, limits } = await start(manualWallClock(Date.UTC(2026, 10, 1)), 'UTC', (error) => faults.push(error))
  await refuseRows(db, 'sentMonth')
  players.sent({ kind: 'everybody' }, '192.0.2.1', 5_000)
  await until('the write has failed', () => faults.length > 0, 8_000)
  expect(limits.figures(uid).monthBytes).toBe(5_000)
  await takeRows(db, 'sentMonth')
  await until(
    'it is stored',
    async () => (await db.selectFrom('sentMonth').selectAll().execute())[0]?.bytes === 5_000,
    8_000,
  )
})

it('a page whose player comes too late for a place has its turn before those who come after it', async () => {
  const { start } = await opened()
  const { limits, players } = await start(manualWallClock())
  await limits.update(uid, { maxViewers: 1 })
  const [first, late, next] = [1, 2, 3].map((home) => seeker(`page ${home}`, `198.51.100.${home}`))
  // Two pages that open at once are both told that there is room.
  expect([limits.ahead(uid, cid, first!), limits.ahead(uid, cid, late!)]).toEqual([undefined, undefined])
  expect(limits.admits(uid, cid, first!)).toBe(true)
  const leave = players.add({ cid, ground: { kind: 'everybody' }, end })
  expect(limits.admits(uid, cid, late!)).toBe(false)
  expect(limits.ahead(uid, cid, next!)).toBe(1)
  expect(limits.ahead(uid, cid, late!)).toBe(0)
  leave()
  expect(limits.ahead(uid, cid, next!)).toBe(1)
  expect(limits.admits(uid, cid, next!)).toBe(false)
  expect(limits.admits(uid, cid, late!)).toBe(true)
})

it('the place of who left is kept for 8 s and no longer, also while the upload is at its limit', async () => {
  const { start } = await opened()
  let passed = 1_000
  const { limits } = await start({ ...manualWallClock(), monotonic: () => passed })
  await limits.update(uid, { maxViewers: 1, maxKbps: 500 })
  limits.left(uid, 'page', '198.51.100.1')
  expect(limits.ahead(uid, cid, seeker('page', '198.51.100.1'))).toBeUndefined()
  passed += 8_000
  expect(limits.ahead(uid, cid, seeker('page', '198.51.100.1'))).toBe(0)
  expect(limits.admits(uid, cid, seeker('page'))).toBe(false)
})

it('a page that got in does not wait any more, whichever way it got in', async () => {
  const { start } = await opened()
  const { limits, players } = await start(manualWallClock())
  await limits.update(uid, { maxViewers: 1 })
  const waits = (): number => limits.figures(uid).waiting
  const leave = players.add({ cid, ground: { kind: 'everybody' }, end })
  // Its connection of before is dead without a word, and has its place.
  expect(limits.admits(uid, cid, seeker('page'))).toBe(false)
  expect(waits()).toBe(1)
  leave()
  limits.left(uid, 'page', '192.0.2.9')
  expect(limits.admits(uid, cid, seeker('page'))).toBe(true)
  expect(waits()).toBe(0)
  players.add({ cid, ground: { kind: 'everybody' }, end })
  expect(limits.admits(uid, cid, seeker('other'))).toBe(false)
  await limits.update(uid, { maxViewers: 0 })
  expect(limits.admits(uid, cid, seeker('other'))).toBe(true)
  expect(waits()).toBe(0)
})

it('a kept place is taken once, by the page or its browser, elsewhere within the share of a household', async () => {
  const { start } = await opened()
  const one = await start(manualWallClock())
  const { limits, players } = one
  await limits.update(uid, { maxViewers: 8 })
  const [home, other, third] = ['198.51.100.1', '198.51.100.2', '198.51.100.3']
  expect([fill(one)(home!), fill(one)(other!, { kind: 'everybody' }, 3)]).toEqual([4, 3])
  limits.left(uid, 'page', third!)
  expect(limits.isKept(uid, cid, seeker('page', third))).toBe(true)
  expect(limits.isKept(uid, cid, { ...seeker('new page', third), key: 'page' })).toBe(true)
  // A household that has its share gets no more by the places of others.
  expect([limits.isKept(uid, cid, seeker('page', home)), limits.admits(uid, cid, seeker('page', home))]).toEqual([
    false,
    false,
  ])
  expect(limits.isKept(uid, cid, seeker('page', other))).toBe(true)
  expect(limits.admits(uid, cid, { ...seeker('new page', third), key: 'page' })).toBe(true)
  players.add({ cid, ground: { kind: 'everybody' }, from: third!, end })
  expect(limits.admits(uid, cid, seeker('page', third))).toBe(false)
})

it('a place that the upload bounds is kept too, and counts meanwhile', async () => {
  const { start } = await opened()
  const { limits, players } = await start(manualWallClock())
  await limits.update(uid, { maxKbps: 2_500 })
  players.add({ cid, ground: { kind: 'everybody' }, end })
  limits.left(uid, 'page', '192.0.2.9')
  expect(limits.admits(uid, cid, seeker('other', '198.51.100.1'))).toBe(false)
  expect([limits.ahead(uid, cid, seeker('page')), limits.admits(uid, cid, seeker('page'))]).toEqual([undefined, true])
})

it('a change of no limit changes nothing, not even the places that are kept', async () => {
  const { start } = await opened()
  const { limits } = await start(manualWallClock())
  await limits.update(uid, { maxViewers: 8 })
  limits.left(uid, 'page', '192.0.2.9')
  await limits.update(uid, {})
  expect(limits.isKept(uid, cid, seeker('page'))).toBe(true)
})

it('who has just come counts for the upload with what they will take', async () => {
  const { start } = await opened()
  const { limits, players } = await start(manualWallClock())
  await limits.update(uid, { maxKbps: 3_500 })
  for (let count = 0; count < 3; count++) {
    expect(limits.admits(uid, cid, seeker(undefined))).toBe(true)
    players.add({ cid, ground: { kind: 'everybody' }, end, sent: () => 0 })
  }
  expect(limits.admits(uid, cid, seeker(undefined))).toBe(false)
  await limits.update(uid, { maxKbps: 4_500 })
  expect(limits.admits(uid, cid, seeker(undefined))).toBe(true)
})

/** Players of an address come for as long as they find room; how many did. */
function fill({ limits, players }: Awaited<ReturnType<Awaited<ReturnType<typeof opened>>['start']>>) {
  return (from: string, ground: Ground = { kind: 'everybody' }, most = 100): number => {
    let found = 0
    while (found < most && limits.admits(uid, cid, { page: undefined, from, ground })) {
      players.add({ cid, ground, from, end })
      found += 1
    }
    return found
  }
}

it('a household has half of the places at most and 4 in any case, and others find some', async () => {
  const { start } = await opened()
  const one = await start(manualWallClock())
  await one.limits.update(uid, { maxViewers: 50 })
  const come = fill(one)
  expect(['198.51.100.1', '198.51.100.2', '198.51.100.3'].map((from) => come(from))).toEqual([25, 13, 6])
  // Few are left: each household has some until there are none.
  expect(['198.51.100.4', '198.51.100.5', '198.51.100.1'].map((from) => come(from))).toEqual([4, 2, 0])
  const few = await start(manualWallClock())
  await few.limits.update(uid, { maxViewers: 4 })
  expect(fill(few)('198.51.100.1')).toBe(4)
})

it('so has an IPv6 household, a /48 twice of that, and a household with a named link most', async () => {
  const { start } = await opened()
  const ipv6 = await start(manualWallClock())
  await ipv6.limits.update(uid, { maxViewers: 50 })
  const come = fill(ipv6)
  expect(come('2001:db8:1:ab00::/64') + come('2001:db8:1:ab01::/64')).toBe(25)
  let inSite = 25
  for (let home = 0; home < 256; home++) inSite += come(`2001:db8:1:${home.toString(16)}00::/64`)
  expect(inSite).toBe(34)
  expect(come('203.0.113.1')).toBe(8)
  const linked = await start(manualWallClock())
  await linked.limits.update(uid, { maxViewers: 40 })
  expect(fill(linked)('198.51.100.1', { kind: 'link', linkId: 1 })).toBe(30)
  // Behind a proxy that names nobody all seem to be one household.
  const proxied = await start(manualWallClock())
  await proxied.limits.update(uid, { maxViewers: 40 })
  expect(fill(proxied)('127.0.0.1')).toBe(40)
})

it('the share holds for places that the upload bounds, for places that are kept, and over all channels', async () => {
  const { start } = await opened()
  const bound = await start(manualWallClock())
  await bound.limits.update(uid, { maxViewers: 0, maxKbps: 40_000 })
  expect(fill(bound)('198.51.100.1')).toBe(20)
  const kept = await start(manualWallClock())
  await kept.limits.update(uid, { maxViewers: 20, maxKbps: 0 })
  for (let page = 0; page < 6; page++) kept.limits.left(uid, `left ${page}`, '198.51.100.1')
  kept.players.polled('c'.repeat(32), 'key', { kind: 'everybody' }, '198.51.100.1')
  expect(fill(kept)('198.51.100.1')).toBe(3)
  expect(fill(kept)('198.51.100.2')).toBe(5)
})

it('pages of a household that has its share wait, and nobody waits for them', async () => {
  const { start } = await opened()
  const one = await start(manualWallClock())
  const { limits, players } = one
  await limits.update(uid, { maxViewers: 20 })
  const leaves = Array.from({ length: 10 }, () =>
    players.add({ cid, ground: { kind: 'everybody' }, from: '198.51.100.1', end }),
  )
  for (let page = 0; page < 64; page++)
    expect(limits.ahead(uid, cid, seeker(`page ${page}`, '198.51.100.1'))).toBe(page)
  expect(limits.ahead(uid, cid, seeker('other', '198.51.100.2'))).toBeUndefined()
  expect(limits.admits(uid, cid, seeker(undefined, '198.51.100.3'))).toBe(true)
  for (const leave of leaves.slice(0, 2)) leave()
  expect(limits.ahead(uid, cid, seeker('page 0', '198.51.100.1'))).toBeUndefined()
  expect(limits.admits(uid, cid, seeker('page 0', '198.51.100.1'))).toBe(true)
})

it('tells what of the upload goes to targets, also while nobody watches', async () => {
  const { start } = await opened()
  const { limits } = await start(manualWallClock(), 'UTC', undefined, 1_800)
  expect(limits.figures(uid)).toMatchObject({ viewers: 0, kbps: 1_800, targetsKbps: 1_800, monthBytes: 0 })
})

it('of a month a household gets in up to half, a /48 up to two thirds, and others get in', async () => {
  const { start } = await opened()
  const { limits, players } = await start(manualWallClock(Date.UTC(2026, 10, 5)))
  await limits.update(uid, { maxGigabytes: 6 })
  const everybody: Ground = { kind: 'everybody' }
  const mayEnter = (from: string, ground: Ground = everybody): boolean =>
    limits.admits(uid, cid, { page: undefined, from, ground })
  players.sent(everybody, '198.51.100.1', 2_999_999_999)
  expect(mayEnter('198.51.100.1')).toBe(true)
  // Of a connection that goes on, what it has taken counts too.
  let taken = 0
  players.add({ cid, ground: everybody, from: '198.51.100.1', end, sent: () => taken })
  taken = 1
  expect([mayEnter('198.51.100.1'), mayEnter('198.51.100.2'), mayEnter('127.0.0.1')]).toEqual([false, true, true])
  expect(limits.ahead(uid, cid, seeker('its page', '198.51.100.1'))).toBe(0)
  expect(limits.ahead(uid, cid, seeker('another', '198.51.100.2'))).toBeUndefined()
  expect(mayEnter('198.51.100.1', { kind: 'link', linkId: 1 })).toBe(true)
  players.sent(everybody, '198.51.100.1', 500_000_000)
  for (let house = 0; house < 4; house++) players.sent(everybody, `2001:db8:1:${house}00::/64`, 412_500_000)
  expect([mayEnter('2001:db8:1:500::/64'), mayEnter('2001:db8:1:0::/64')]).toEqual([true, true])
  for (let house = 0; house < 4; house++) players.sent(everybody, `2001:db8:1:${house}00::/64`, 25_000_000)
  expect([mayEnter('2001:db8:1:500::/64'), mayEnter('2001:db8:2:500::/64')]).toEqual([false, true])
})

it('the share of a household begins anew with the month', async () => {
  const { start } = await opened()
  const clock = manualWallClock(Date.UTC(2026, 10, 30, 23, 59, 50))
  const { limits, players } = await start(clock)
  await limits.update(uid, { maxGigabytes: 6 })
  players.sent({ kind: 'everybody' }, '198.51.100.1', 4_000_000_000)
  expect(limits.admits(uid, cid, seeker(undefined, '198.51.100.1'))).toBe(false)
  clock.advance(10_000)
  await until('the next month has begun', () => limits.admits(uid, cid, seeker(undefined, '198.51.100.1')), 8_000)
})
