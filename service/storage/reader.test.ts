import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isDamage, readerLimits } from './reader.ts'
import { openSqliteStore } from './store-sqlite.ts'
import type { Store } from './store.ts'

let dir: string
let store: Store
let spent: number[]
let isStranger = false
const open = async (reads?: { time: number; waiting: number }): Promise<void> => {
  spent = []
  store = await openSqliteStore(dir, {
    callers: { spent: (ms) => void spent.push(ms), isStranger: () => isStranger },
    ...(reads && { reads }),
  })
}
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-reads-'))
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

const rows = (count: number) =>
  sql<{
    n: number
  }>`with recursive counter (n) as (select 1 union all select n + 1 from counter limit ${count}) select n from counter`
/** The count in one row, so that all time is the thread's. */
const counted = (count: number) =>
  sql<{
    n: number
  }>`with recursive counter (n) as (select 1 union all select n + 1 from counter limit ${count}) select count(*) as n from counter`

describe('long reads', () => {
  it('see what is stored, in their own thread, and cannot write', async () => {
    await open()
    await store.db.insertInto('guestRefusal').values({ roomid: 7 }).execute()
    expect(await store.reads.selectFrom('guestRefusal').selectAll().execute()).toEqual([{ roomid: 7 }])
    await expect(store.reads.insertInto('guestRefusal').values({ roomid: 8 }).execute()).rejects.toThrow('readonly')
    await expect(store.reads.transaction().execute(() => Promise.resolve())).rejects.toThrow('no transactions')
    await expect(sql`select * from nowhere`.execute(store.reads)).rejects.toThrow('nowhere')
    expect(spent.length).toBeGreaterThan(0)
    expect(spent.every((ms) => ms >= 0)).toBe(true)
  })

  it('leave the loop its turns while they run', async () => {
    await open({ time: 60_000, waiting: 3 })
    let turns = 0
    let running = true
    const turn = (): void => {
      turns++
      if (running) setImmediate(turn)
    }
    setImmediate(turn)
    const { rows: found } = await counted(3_000_000).execute(store.reads)
    running = false
    expect(found).toEqual([{ n: 3_000_000 }])
    expect(turns).toBeGreaterThan(20)
  })

  it('are refused when too many wait, given up when they take too long, and go on afterwards', async () => {
    await open({ time: 500, waiting: 3 })
    const first = rows(5_000_000).execute(store.reads)
    const others = Array.from({ length: 4 }, () => rows(1).execute(store.reads))
    const outcomes = await Promise.allSettled([first, ...others])
    expect(outcomes.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ])
    expect((outcomes[0] as PromiseRejectedResult).reason).toMatchObject({
      code: 416,
      message: 'the read took too long',
    })
    expect((outcomes[4] as PromiseRejectedResult).reason).toMatchObject({
      code: 416,
      message: 'too many long reads wait',
    })
  })

  it('that meet a damaged database say so', async () => {
    const found: string[] = []
    store = await openSqliteStore(dir, {
      callers: { spent: () => undefined, isStranger: () => false, damaged: (what) => void found.push(what) },
    })
    await sql`pragma wal_checkpoint(truncate)`.execute(store.db)
    const file = join(dir, 'sidestage.db')
    writeFileSync(file, randomBytes(statSync(file).size))
    await expect(store.reads.selectFrom('channel').selectAll().execute()).rejects.toThrow('not a database')
    expect(found).toEqual(['file is not a database'])
  })

  it('of strangers wait for those of everybody else, and are not forgotten', async () => {
    await open({ time: 60_000, waiting: 40 })
    const order: string[] = []
    const read = (name: string): Promise<unknown> =>
      rows(1)
        .execute(store.reads)
        .then(() => order.push(name))
    const first = counted(1_000_000).execute(store.reads)
    isStranger = true
    const theirs = Array.from({ length: 40 }, () => read('stranger'))
    await expect(rows(1).execute(store.reads)).rejects.toMatchObject({ code: 416 })
    isStranger = false
    const others = Array.from({ length: 10 }, () => read('other'))
    await Promise.all([first, ...theirs, ...others])
    const [four, one] = [Array(4).fill('other'), ['stranger']] as string[][]
    expect(order.slice(0, 12)).toEqual([...four!, ...one!, ...four!, ...one!, 'other', 'other'])
  })

  it('that wait fail when the database closes', async () => {
    await open()
    const waiting = Promise.allSettled([rows(1).execute(store.reads), rows(1).execute(store.reads)])
    await store.close()
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  it('fail once the database is closed, and are not streamed', async () => {
    await open()
    await expect(
      (async () => {
        for await (const row of store.reads.selectFrom('guestRefusal').selectAll().stream())
          expect.unreachable(JSON.stringify(row))
      })(),
    ).rejects.toThrow('long reads are not streamed')
    const { reads } = store
    const waiting = rows(1).execute(reads)
    await store.close()
    await expect(waiting).rejects.toThrow('the database is closed')
    await open()
  })

  it('tell nothing of damage where a statement is only wrong', async () => {
    const found: string[] = []
    spent = []
    store = await openSqliteStore(dir, {
      callers: {
        spent: (ms) => void spent.push(ms),
        isStranger: () => false,
        damaged: (what) => void found.push(what),
      },
    })
    await expect(sql`select * from nowhere`.execute(store.reads)).rejects.toMatchObject({ errcode: 1 })
    expect([found, spent]).toEqual([[], []])
  })
})

it('a thread of long reads that is idle does not keep the process alive', async () => {
  await open()
  const program = `
    const { openSqliteStore } = await import(${JSON.stringify(new URL('store-sqlite.ts', import.meta.url).href)})
    const store = await openSqliteStore(${JSON.stringify(dir)})
    console.log(JSON.stringify(await store.reads.selectFrom('guestRefusal').selectAll().execute()))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect([out.trim(), code]).toEqual(['[]', 0])
})

it('a read may take 5 s, and 256 of each kind may wait, where nothing else is said', () => {
  expect(readerLimits).toEqual({ time: 5000, waiting: 256 })
})

it.each([
  [11, true],
  [26, true],
  [11 | (2 << 8), true],
  [26 | (1 << 8), true],
  [10, false],
  [12, false],
  [1, false],
  ['11', false],
  [undefined, false],
])('the code %s of SQLite says that a file is damaged: %s', (code, expected) => {
  expect(isDamage(code)).toBe(expected)
})
