import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDeliveries, notYet, type Deliveries } from './deliveries.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import { startRig, type Rig } from './testing/rig.ts'

let rig: Rig
let rows: Deliveries
let count = 0
beforeEach(async () => {
  rig = await startRig()
  // What is tested is the rows alone.
  await rig.outbox.close()
  rows = createDeliveries(rig.store.db, ['recording', 'copy'])
  count = 0
})
afterEach(() => rig.close())

type Values = Partial<DeliveryTable> & { readonly place?: number }
const rowOf = (values: Values = {}): DeliveryTable & Values => ({
  nId: `n${++count}`,
  uid: rig.uid,
  kind: 'recording',
  url: 'http://a/',
  target: 'http://a',
  line: null,
  body: '{}',
  state: 'waiting',
  attempts: 0,
  step: 0,
  due: 0,
  created: 100 + count,
  result: null,
  ...values,
})
const insert = (...values: readonly Partial<DeliveryTable>[]): Promise<unknown> =>
  rig.store.durable((transaction) => Promise.all(values.map((each) => rows.insert(rowOf(each), transaction))))
/** The same, in places of their own. */
const insertAt = (...values: readonly Values[]): Promise<unknown> =>
  rig.store.db.insertInto('delivery').values(values.map(rowOf)).execute()
const ids = (all: readonly { readonly nId: string }[]): string[] => all.map(({ nId }) => nId)
const left = async (): Promise<string[]> =>
  ids(await rig.store.db.selectFrom('delivery').select('nId').orderBy('created').execute())

it('inserts all messages of a transaction as they are, also more than one statement takes', async () => {
  const all = Array.from({ length: 70 }, () => rowOf({ body: `{"x":"${count}"}` }))
  await rig.store.durable((transaction) => Promise.all(all.map((row) => rows.insert(row, transaction))))
  const placed = all.map((row, index) => ({ ...row, place: index + 1, claimedBy: null }))
  expect(await rig.store.db.selectFrom('delivery').selectAll().orderBy('place').execute()).toEqual(placed)
  expect(await rows.find('n70')).toEqual(all[69])
  expect(await rows.find('n71')).toBeUndefined()
})

it('gives the messages of a line that wait for their turn, oldest first, so many at once', async () => {
  await insertAt(
    { line: '1:x', due: notYet, place: 3 },
    { line: '1:x', due: notYet, place: 2 },
    { line: '1:x', due: notYet, place: 4 },
    { line: '1:x', due: 5, place: 1 },
    { line: '1:x', due: notYet, place: 6, state: 'delivered' },
    { line: '1:y', due: notYet, place: 5 },
  )
  expect(ids(await rows.held('1:x', 2))).toEqual(['n2', 'n1'])
})

it('gives no message of a kind that cannot be sent, and none of a line from the first such one on', async () => {
  await insertAt(
    { kind: 'later', place: 1 },
    { place: 2 },
    { line: '1:x', due: notYet, place: 3 },
    { line: '1:x', due: notYet, place: 4, kind: 'later' },
    { line: '1:x', due: notYet, place: 5 },
  )
  expect(ids(await rows.due('http://a', 9, [], 9))).toEqual(['n2'])
  expect(ids(await rows.held('1:x', 9))).toEqual(['n3'])
  await rig.store.db.deleteFrom('delivery').where('nId', '=', 'n3').execute()
  expect(await rows.held('1:x', 9)).toEqual([])
})

it('knows the lines with waiting messages, and the messages that block lines', async () => {
  await insertAt(
    { line: '1:x', due: notYet, place: 3 },
    { line: '1:x', due: notYet, place: 4 },
    { line: '1:y', due: notYet, place: 5, state: 'delivered' },
    { line: '1:x', due: 9, step: 2, place: 2 },
    { line: '1:z', due: 9, step: 1, place: 1 },
    { line: '1:w', due: 9, step: 3, place: 6 },
    { due: 9, step: 1, place: 7 },
  )
  expect(await rows.lines()).toEqual([{ line: '1:x', target: 'http://a' }])
  expect((await rows.heads(3)).map(({ line, nId }) => [line, nId])).toEqual([
    ['1:z', 'n5'],
    ['1:x', 'n4'],
  ])
})

it('knows the targets with messages that are due', async () => {
  await insert(
    { target: 'http://c', due: 10 },
    { target: 'http://a', due: 10 },
    { target: 'http://b', due: 11 },
    { target: 'http://d', due: 1, state: 'failed' },
  )
  expect(await rows.targets(10)).toEqual(['http://a', 'http://c'])
})

it('gives the due messages of a target, longest due first and then oldest, without those under way', async () => {
  await insertAt(
    { due: 10, place: 5 },
    { due: 9, place: 6 },
    { due: 9, place: 4 },
    { due: 11, place: 7 },
    { due: 1, place: 8, target: 'http://b' },
    { due: 1, place: 9, state: 'delivered' },
  )
  expect(ids(await rows.due('http://a', 10, [], 9))).toEqual(['n3', 'n2', 'n1'])
  expect(ids(await rows.due('http://a', 10, ['n2'], 9))).toEqual(['n3', 'n1'])
  expect(ids(await rows.due('http://a', 10, [], 2))).toEqual(['n3', 'n2'])
})

it('knows the next due time after another', async () => {
  await insert({ due: 10 }, { due: 20 }, { due: 15, state: 'failed' })
  expect(await rows.nextDue(9)).toBe(10)
  expect(await rows.nextDue(10)).toBe(20)
  expect(await rows.nextDue(20)).toBeUndefined()
})

it('moves only due times after a time earlier, and none of messages that wait for their turn', async () => {
  await insert({ due: 10 }, { due: 11 }, { due: notYet, line: '1:x' }, { due: 20, state: 'failed' })
  await rows.earlier(5, 10)
  const due = await rig.store.db.selectFrom('delivery').select('due').orderBy('created').execute()
  expect(due.map((row) => row.due)).toEqual([10, 6, notYet, 20])
})

it('gives the waiting messages of one kind and application in parts, oldest first', async () => {
  const many = Array.from({ length: 501 }, () => ({}))
  await insert(...many, { kind: 'copy' }, { uid: rig.otherUid }, { state: 'delivered' })
  const parts: number[] = []
  const found: string[] = []
  for await (const part of rows.waitingParts(rig.store.db, rig.uid, 'recording')) {
    parts.push(part.length)
    found.push(...part)
  }
  expect(parts).toEqual([500, 1])
  expect(found).toEqual(many.map((_each, index) => `n${index + 1}`))
})

it('lists entries of all kinds newest first, before a time and of one kind where that is asked', async () => {
  await insert({ kind: 'copy' }, {}, { kind: 'copy' }, { uid: rig.otherUid }, {})
  const list = async (limit: number, before?: number, kind?: string): Promise<string[]> =>
    ids(await rows.list(rig.uid, limit, before, kind))
  expect(await list(9)).toEqual(['n5', 'n3', 'n2', 'n1'])
  expect(await list(2)).toEqual(['n5', 'n3'])
  expect(await list(9, 103)).toEqual(['n2', 'n1'])
  expect(await list(9, undefined, 'copy')).toEqual(['n3', 'n1'])
})

it('lists all entries of one ms on one page, the last queued first', async () => {
  await insert({ created: 8 }, { kind: 'copy', created: 7 }, { created: 7 }, { created: 7 }, { created: 6 })
  const list = async (limit: number, before?: number, kind?: string): Promise<string[]> =>
    ids(await rows.list(rig.uid, limit, before, kind))
  expect(await list(2)).toEqual(['n1', 'n4', 'n3', 'n2'])
  expect(await list(2, 7)).toEqual(['n5'])
  expect(await list(1)).toEqual(['n1'])
  expect(await list(1, 8, 'recording')).toEqual(['n4', 'n3'])
})

it('gives waiting messages of one ms in parts too, in the order in which they were queued', async () => {
  await insert(...Array.from({ length: 1001 }, () => ({ created: 5 })))
  const found: string[] = []
  for await (const part of rows.waitingParts(rig.store.db, rig.uid, 'recording')) found.push(...part)
  expect(found).toEqual(Array.from({ length: 1001 }, (_, index) => `n${index + 1}`))
})

it('counts what waits of an application, of one kind where that is asked', async () => {
  await insert({ kind: 'copy' }, {}, {}, { uid: rig.otherUid }, { state: 'failed' })
  expect(await rows.waiting(rig.uid, undefined)).toBe(3)
  expect(await rows.waiting(rig.uid, 'copy')).toBe(1)
})

it('knows when the newest message was made', async () => {
  expect(await rows.newest()).toBe(0)
  await insert({ created: 7 }, { created: 5 })
  expect(await rows.newest()).toBe(7)
})

it('deletes ended entries that are older than a time, and keeps those that wait', async () => {
  await insert(
    { created: 9, state: 'delivered' },
    { created: 10, state: 'delivered' },
    { created: 1, state: 'failed' },
    { created: 2 },
  )
  await rows.trim(100, 10)
  expect(await left()).toEqual(['n4', 'n2'])
})

it('keeps the newest ended entries of each application and kind', async () => {
  await insert(
    { state: 'delivered' },
    { state: 'failed' },
    { state: 'delivered' },
    {},
    { state: 'delivered', kind: 'copy', created: 1 },
    { state: 'delivered', uid: rig.otherUid, created: 2 },
  )
  await rows.trim(2, 0)
  expect((await left()).sort()).toEqual(['n2', 'n3', 'n4', 'n5', 'n6'])
})

it('deletes more entries than one statement takes', async () => {
  await insert(...Array.from({ length: 1001 }, () => ({ state: 'delivered' as const })))
  await rows.trim(1, 0)
  expect(await left()).toEqual(['n1001'])
})
