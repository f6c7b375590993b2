import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, type ValueNode } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog, type Log } from '../log.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { Store } from '../storage/store.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { eventually } from '../testing/eventually.ts'
import { createRoomLines, type RoomLines } from './room-lines.ts'
import { createRoomPeriods } from './room-periods.ts'
import { createRoomRetention, type RoomRetention } from './room-retention.ts'
import { createMemoryJournal } from '../journal/memory-journal.ts'
import { createRoomNames } from './room-names.ts'
import { createRoomStatistics, type RoomStatistics } from './room-statistics.ts'
import { itOnSqlite } from '../testing/engines.ts'

const day = 86_400_000
const [short, long] = [1, 2]
let store: Store
let dataDir: string
let time: ManualClock
/** Error of the retention's clock, in ms. */
let ahead: number
let lines: RoomLines
let statistics: RoomStatistics
let options: Parameters<typeof createRoomRetention>[0]
let retention: RoomRetention

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'sidestage-rooms-'))
  store = await openStore(dataDir)
  time = manualClock()
  ahead = 0
  const clock = time
  statistics = await createRoomStatistics(store.db, createRoomPeriods('UTC'), clock)
  lines = createRoomLines(store.db, {
    statistics,
    copies: { wants: () => false, enqueue: () => Promise.resolve() },
  })
  options = {
    store,
    statistics,
    names: await createRoomNames({
      db: store.db,
      journal: createMemoryJournal(store),
      clock,
      random: () => 0,
      find: () => undefined,
    }),
    clock: { ...time, now: () => time.now() + ahead },
    historyDays: (uid) => (uid === short ? 1 : 100),
    uids: [short, long],
    log: silentLog,
  }
  retention = createRoomRetention(options)
})
afterEach(async () => {
  await retention.close()
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const write = (uid: number, clientId: string, attach = 'x'): Promise<unknown> => {
  const roomid = uid
  const at = time.now()
  const person = { nick: '', avatar: '', clientType: 'WEB', sender: 'ann', heldAt: null }
  const line = {
    uid,
    roomid,
    clientId,
    at,
    type: 0,
    attach,
    ext: '',
    state: 'shown',
    ...person,
  } as const
  return lines.write(uid, { line, statEvent: { uid, roomid, accid: 'ann', at, what: 'msgs' } })
}
const kept = async (roomid: number): Promise<string[]> =>
  (await lines.query({ roomid, states: ['shown'], limit: 5000 })).map(({ clientId }) => clientId).toSorted()

it('removes lines when the history of their application ends, in whatever number, and keeps the others', async () => {
  await Promise.all(Array.from({ length: 1200 }, (_, number) => write(short, `old ${number}`)))
  await write(long, 'old')
  time.advance(day - 1000)
  await write(short, 'new')
  await retention.run()
  expect(await kept(short)).toHaveLength(1201)
  time.advance(2000)
  await retention.run()
  expect([await kept(short), await kept(long)]).toEqual([['new'], ['old']])
})

itOnSqlite(
  'removes the oldest lines of all rooms while the database holds too much, and keeps the newest ones whatever holds it',
  async () => {
    const long4k = 'x'.repeat(4000)
    for (let number = 0; number < 3000; number += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, index) =>
          write(long, `line ${String(number + index).padStart(4, '0')}`, long4k),
        ),
      )
    const warned: unknown[] = []
    const size = { mostBytes: 4 * 2 ** 20, fewestLines: 200 }
    const shortening = async (fewestLines: number) => {
      const bounded = createRoomRetention({
        ...options,
        size: { ...size, fewestLines },
        log: { ...silentLog, warn: (facts: unknown) => void warned.push(facts) } as Log,
      })
      await bounded.run()
      await bounded.close()
      return kept(long)
    }
    const left = await shortening(200)
    expect(left.length).toBeGreaterThan(200)
    expect(left.length).toBeLessThan(1000)
    expect(left.at(-1)).toBe('line 2999')
    expect(left).toEqual(Array.from({ length: left.length }, (_, index) => `line ${3000 - left.length + index}`))
    expect(warned).toEqual([{ removed: 3000 - left.length, most: size.mostBytes }])
    size.mostBytes = 1
    expect(await shortening(200)).toHaveLength(200)
    expect(await shortening(200)).toHaveLength(200)
  },
)

itOnSqlite(
  'keeps as many of the newest lines as it says, however many numbers were taken by lines that were said before',
  async () => {
    for (let number = 0; number < 50; number++) await write(long, `line ${number}`)
    for (let number = 0; number < 100; number++) await write(long, 'line 49')
    await write(long, 'last')
    const bounded = createRoomRetention({ ...options, size: { mostBytes: 1, fewestLines: 20 } })
    await bounded.run()
    await bounded.close()
    expect(await kept(long)).toEqual(['last', ...Array.from({ length: 19 }, (_, index) => `line ${index + 31}`)])
  },
)

it('removes no lines by a clock that is ahead, nor by the right one after it', async () => {
  await Promise.all([write(short, 'a'), write(long, 'b')])
  await retention.run()
  ahead = 400 * day
  time.advance(3600_000)
  await retention.run()
  expect([await kept(short), await kept(long)]).toEqual([['a'], ['b']])
  ahead = 0
  time.advance(day)
  await retention.run()
  expect([await kept(short), await kept(long)]).toEqual([[], ['b']])
})

it('leaves lines of applications that this start does not serve, and removes nothing after it was closed', async () => {
  await retention.close()
  await Promise.all([write(short, 'old'), write(3, 'of another')])
  time.advance(200 * day)
  const none = createRoomRetention({ ...options, uids: [] })
  await none.run()
  await none.close()
  expect([await kept(short), await kept(3)]).toEqual([['old'], ['of another']])
  const closed = createRoomRetention(options)
  await closed.close()
  await closed.run()
  expect(await kept(short)).toEqual(['old'])
  await createRoomRetention({ ...options, uids: [short] }).run()
  expect([await kept(short), await kept(3)]).toEqual([[], ['of another']])
})

it('removes names that were not used for 30 days', async () => {
  await store.db.insertInto('roomName').values({ roomid: 7, accid: 'ann', name: 'Kestrel', at: time.now() }).execute()
  const names = async () => (await store.db.selectFrom('roomName').selectAll().execute()).length
  time.advance(30 * day - 1)
  await retention.run()
  expect(await names()).toBe(1)
  time.advance(1)
  await retention.run()
  expect(await names()).toBe(0)
})

it('says in the log where old lines cannot be removed, and goes on in the next hour', async () => {
  await retention.close()
  const logged: string[] = []
  let broken = true
  const failing = createRoomRetention({
    ...options,
    statistics: { removeOld: () => (broken ? Promise.reject(new Error('disk')) : Promise.resolve()) },
    log: { ...silentLog, error: (_about: unknown, words?: string) => void logged.push(words ?? '') } as Log,
  })
  await write(short, 'old')
  time.advance(2 * day)
  await failing.run()
  expect(logged).toContain('old lines of rooms could not be removed')
  broken = false
  time.advance(3_600_000)
  await eventually(async () => expect(await kept(short)).toEqual([]))
  await failing.close()
})

it('keeps counters for 60 days, and looks by itself every hour', async () => {
  const at = time.now()
  await write(long, 'a')
  time.advance(59 * day)
  await retention.run()
  expect(await statistics.top(long, 'DAY', at, 'msgs', 10)).toMatchObject([{ msgs: 1, active: 1 }])
  time.advance(2 * day)
  await eventually(async () => expect(await statistics.top(long, 'DAY', at, 'msgs', 10)).toEqual([]))
  expect(await store.db.selectFrom('roomActive').selectAll().execute()).toEqual([])
})

it('knows a line again by its sender and id after a restart', async () => {
  await write(long, 'once')
  const again = createRoomLines(store.db, {
    statistics,
    copies: { wants: () => false, enqueue: () => Promise.resolve() },
  })
  const [before] = await lines.query({ roomid: long, states: ['shown'], limit: 1 })
  expect(await again.take(store.db, 1)).toBeGreaterThan(before!.line)
  lines = again
  expect(await write(long, 'once')).toMatchObject({ line: { clientId: 'once' }, isRepeated: true })
  expect(await kept(long)).toEqual(['once'])
})

it('counts everybody once in a period, when many come at once and after a restart', async () => {
  const at = time.now()
  await Promise.all(Array.from({ length: 300 }, (_, number) => write(long, `line ${number}`)))
  statistics = await createRoomStatistics(store.db, createRoomPeriods('UTC'), time)
  lines = createRoomLines(store.db, {
    statistics,
    copies: { wants: () => false, enqueue: () => Promise.resolve() },
  })
  await write(long, 'later')
  time.advance(2 * day)
  expect(await statistics.top(long, 'HOUR', at, 'active', 10)).toMatchObject([{ msgs: 301, active: 1, enters: 0 }])
})

describe('a page of the history', () => {
  const person = {
    nick: '',
    avatar: '',
    clientType: 'WEB',
    sender: 'ann',
    type: 0,
    attach: 'x',
    ext: '',
    uid: long,
    roomid: long,
  } as const
  const put = (
    line: number,
    at: number,
    state: 'shown' | 'removed' = 'shown',
    roomid: number = long,
    heldAt: number | null = null,
  ) => lines.keep(store.db, { ...person, line, at, state, roomid, heldAt, clientId: `c${line}` })
  const page = async (
    before: number | undefined,
    limit: number,
    states: readonly ('shown' | 'removed')[] = ['shown'],
  ): Promise<number[]> => (await lines.query({ roomid: long, before, states, limit })).map(({ line }) => line)
  const pages = async (limit: number, states?: readonly ('shown' | 'removed')[]): Promise<number[]> => {
    const all: number[] = []
    for (let part = await page(undefined, limit, states); part.length > 0; part = await page(all.at(-1), limit, states))
      all.push(...part)
    return all
  }

  it('goes on behind its last line, also where times are the same and where the clock was set back', async () => {
    const times = [100, 100, 100, 100, 200, 200, 150, 150, 150, 200, 300]
    for (const [index, at] of times.entries()) await put(index + 1, at, index % 3 === 0 ? 'removed' : 'shown')
    const ordered = times
      .map((at, index) => ({ at, line: index + 1 }))
      .sort((one, other) => other.at - one.at || other.line - one.line)
    for (const limit of [1, 2, 3, 20]) {
      expect(await pages(limit, ['shown', 'removed'])).toEqual(ordered.map(({ line }) => line))
      expect(await pages(limit)).toEqual(ordered.flatMap(({ line }) => ((line - 1) % 3 === 0 ? [] : [line])))
    }
  })

  it('is behind a line that is not there, by the time of the next line of any room', async () => {
    await put(10, 100)
    await put(20, 200, 'shown', 99)
    await put(30, 300)
    expect([
      await page(1, 5),
      await page(10, 5),
      await page(15, 5),
      await page(25, 5),
      await page(31, 5),
      await page(4e15, 5),
    ]).toEqual([[], [], [10], [10], [30, 10], [30, 10]])
  })

  it('has a line that was let through where it was let through, and what is behind it from there', async () => {
    await put(10, 100)
    await put(20, 500, 'shown', long, 200)
    await put(30, 300)
    expect(await pages(1)).toEqual([20, 30, 10])
    // A deleted line's position is that of the next one said, not of one released later.
    expect(await page(15, 5)).toEqual([10])
  })
})

itOnSqlite('finds what people said in its own part of the index, however many notices stand before it', async () => {
  const plans: string[] = []
  const db = store.db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      if (node.kind === 'SelectQueryNode') plans.push(store.db.getExecutor().compileQuery(node, queryId).sql)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const read = createRoomLines(db, {
    statistics,
    copies: { wants: () => false, enqueue: () => Promise.resolve() },
  })
  for (const ask of [
    () => read.latest(long, false, 50),
    () => read.query({ roomid: long, states: ['shown'], sender: 'ann', limit: 50 }),
  ]) {
    plans.length = 0
    await ask()
    const { rows } = await store.db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${plans[0]}`),
    )
    expect(rows.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(
        /^SEARCH roomLine USING INDEX \w+ \(roomid=\? AND (?:sender=\? AND )?state=\? AND <expr>=\?\)$/,
      ),
    ])
  }
})

it('gives notices and lines in one order where both are asked for', async () => {
  await write(long, 'first')
  const notice = {
    line: await lines.take(store.db, 1),
    uid: long,
    roomid: long,
    clientId: 'notice',
    at: time.now(),
    type: 5,
    attach: '{}',
    ext: '',
  } as const
  await lines.keep(store.db, {
    ...notice,
    state: 'shown',
    nick: '',
    avatar: '',
    clientType: 'WEB',
    sender: 'ann',
    heldAt: null,
  })
  await write(long, 'last')
  const read = async (notices: boolean) =>
    (await lines.query({ roomid: long, states: ['shown', 'removed'], notices, limit: 2 })).map(
      ({ clientId }) => clientId,
    )
  expect([await read(true), await read(false)]).toEqual([
    ['last', 'notice'],
    ['last', 'first'],
  ])
})

it('removes the oldest lines of a database above 4 GiB, but for the newest 500,000, by default', async () => {
  await retention.close()
  const asked: unknown[] = []
  let bytes = 4 * 2 ** 30
  const counted = store.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode' && node.offset) asked.push((node.offset.offset as ValueNode).value)
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const usual = createRoomRetention({
    ...options,
    store: { db: counted, bytes: () => Promise.resolve(bytes) },
    reads: counted,
  })
  await write(long, 'kept')
  await usual.run()
  expect(asked).toEqual([])
  bytes += 1
  await usual.run()
  expect([asked, await kept(long)]).toEqual([[500_000], ['kept']])
  await usual.close()
})
