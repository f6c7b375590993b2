import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeOnPostgres, itOnSqlite } from '../testing/engines.ts'
import { createBulkInsert } from './bulk-insert.ts'
import type { Tables } from './schema.ts'
import type { Store } from './store.ts'
import { openStore } from './testing/open-store.ts'

let folder: string
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-bulk-'))
  store = await openStore(folder)
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const insertKeys = createBulkInsert('serviceKey', ['name', 'key'])
const keysOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `n${String(index).padStart(3, '0')}`, key: `${index}` }))
const stored = () => store.db.selectFrom('serviceKey').selectAll().orderBy('name').execute()
/** Statements that `work` sends. */
async function statements(work: (db: Kysely<Tables>) => Promise<unknown>): Promise<number> {
  let count = 0
  const counting = store.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => {
      count++
      return Promise.resolve(result)
    },
  })
  await work(counting)
  return count
}

it('inserts every row as it is, and nothing of none', async () => {
  expect(await insertKeys(store.db, [])).toEqual([])
  expect(await insertKeys(store.db, keysOf(70))).toEqual(Array.from({ length: 70 }, () => true))
  expect(await stored()).toEqual(keysOf(70))
})

it('inserts rows in their order', async () => {
  const insert = createBulkInsert('logInRecord', [
    'uid',
    'accid',
    'at',
    'eventType',
    'clientIp',
    'sdkVersion',
    'clientType',
    'code',
  ])
  const row = { uid: 1, at: 1, eventType: 2, clientIp: '', sdkVersion: '', clientType: '', code: 200 }
  await insert(
    store.db,
    keysOf(40).map(({ name }) => ({ ...row, accid: name })),
  )
  const rows = await store.db.selectFrom('logInRecord').select('accid').orderBy('recordId').execute()
  expect(rows.map(({ accid }) => accid)).toEqual(keysOf(40).map(({ name }) => name))
})

it('leaves out rows whose key is there, or came before in the same call, and says which', async () => {
  const insert = createBulkInsert('serviceKey', ['name', 'key'], { conflict: { key: ['name'] } })
  await insert(store.db, [{ name: 'a', key: '1' }])
  expect(
    await insert(store.db, [
      { name: 'b', key: '2' },
      { name: 'a', key: '3' },
      { name: 'b', key: '4' },
      { name: 'c\0"', key: '5' },
    ]),
  ).toEqual([true, false, false, true])
  expect((await stored()).map(({ name, key }) => [name, key])).toEqual([
    ['a', '1'],
    ['b', '2'],
    ['c\0"', '5'],
  ])
})

it('adds numbers to those of the row that is there', async () => {
  const add = createBulkInsert('roomStat', ['roomid', 'uid', 'period', 'start', 'active', 'enters', 'msgs'], {
    conflict: { key: ['roomid', 'period', 'start'], add: ['active', 'msgs'] },
  })
  const row = { roomid: 1, uid: 1, period: 'HOUR', start: 5, active: 1, enters: 2, msgs: 3 } as const
  await add(store.db, [row])
  await add(store.db, [row, { ...row, roomid: 2 }])
  expect(await store.db.selectFrom('roomStat').selectAll().orderBy('roomid').execute()).toEqual([
    { ...row, active: 2, msgs: 6 },
    { ...row, roomid: 2 },
  ])
})

itOnSqlite('sends a statement for each row, of which so many are together where that is asked for', async () => {
  expect(await statements((db) => insertKeys(db, keysOf(10)))).toBe(10)
  const together = createBulkInsert('serviceKey', ['name', 'key'], { together: 8 })
  expect(await statements((db) => together(db, keysOf(30).slice(10)))).toBe(2 + 4)
  expect(await stored()).toEqual(keysOf(30))
})

describeOnPostgres('a server', () => {
  it('is sent one statement for all rows', async () => {
    expect(await statements((db) => insertKeys(db, keysOf(200)))).toBe(1)
    expect(await stored()).toEqual(keysOf(200))
  })

  it('is sent more than one for rows with more values than it counts', async () => {
    const rows = Array.from({ length: 33_000 }, (_, index) => ({ name: `n${index}`, key: '' }))
    expect(await statements((db) => insertKeys(db, rows))).toBe(2)
    expect(await store.db.selectFrom('serviceKey').select('name').execute()).toHaveLength(33_000)
  })
})
