import { afterEach, beforeEach, expect, it } from 'vitest'
import { reasonOf } from '../../contract/catalogue/reasons.ts'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import type { Store } from '../storage/store.ts'
import { createOutcomes, type Outcomes } from './outcomes.ts'
import { startRig, type Rig } from './testing/rig.ts'

let rig: Rig
let time: ManualClock
let count = 0
beforeEach(async () => {
  time = manualClock()
  rig = await startRig({ clock: time })
  // What is tested is what is stored of attempts.
  await rig.outbox.close()
  count = 0
})
afterEach(() => rig.close())

const delivered = { delivered: true, result: reasonOf('delivery', 'status', { status: '200' }) }
const refused = { delivered: false, result: reasonOf('delivery', 'status', { status: '500' }) }
const kinds = { recording: { resendAfter: [5000, 30_000], headers: () => Promise.resolve({}) } }
const made = (store: Pick<Store, 'db' | 'durable' | 'reads'> = rig.store, closing = new AbortController().signal) =>
  createOutcomes({ store, kinds, clock: time, log: silentLog }, closing)

async function insert(values: Partial<DeliveryTable> = {}): Promise<DeliveryTable> {
  const row: DeliveryTable = {
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
    created: count,
    result: null,
    ...values,
  }
  await rig.store.db.insertInto('delivery').values(row).execute()
  return row
}

it('ends a message that was delivered, and counts the attempt', async () => {
  const row = await insert({ attempts: 2, step: 1 })
  expect(await made().keep(row, delivered)).toBe('http://a')
  expect(await rig.entry(row.nId)).toMatchObject({ state: 'delivered', attempts: 3, step: 1, result: 'HTTP 200' })
})

it('sets the next resend after each failure, from now on, and fails after the last one', async () => {
  const row = await insert()
  const outcomes: Outcomes = made()
  await outcomes.keep(row, refused)
  expect(await rig.entry(row.nId)).toMatchObject({ state: 'waiting', attempts: 1, step: 1, due: time.now() + 5000 })
  time.advance(5000)
  await outcomes.keep(row, refused)
  expect(await rig.entry(row.nId)).toMatchObject({ state: 'waiting', attempts: 2, step: 2, due: time.now() + 30_000 })
  await outcomes.keep(row, refused)
  expect(await rig.entry(row.nId)).toMatchObject({ state: 'failed', attempts: 3, step: 2, result: 'HTTP 500' })
})

it('fails a message whose kind there is none of any more', async () => {
  const row = await insert({ kind: 'gone' })
  await made().keep(row, refused)
  expect(await rig.entry(row.nId)).toMatchObject({ state: 'failed', attempts: 1 })
})

it('leaves the schedule of a message alone that goes to another address now, and tells its target', async () => {
  const row = await insert()
  await rig.store.db.updateTable('delivery').set({ url: 'http://b/', target: 'http://b', due: 7 }).execute()
  expect(await made().keep(row, refused)).toBe('http://b')
  expect(await rig.entry(row.nId)).toMatchObject({ state: 'waiting', attempts: 1, step: 0, due: 7 })
})

it('changes nothing of a message that was dropped while its attempt was under way', async () => {
  const [first, second] = [await insert({ state: 'failed' }), await insert({ state: 'failed' })]
  const outcomes = made()
  await Promise.all([outcomes.keep(first, delivered), outcomes.keep(second, refused)])
  for (const { nId } of [first, second]) expect(await rig.entry(nId)).toMatchObject({ state: 'failed', attempts: 0 })
})

it('stores what ends in one turn in one transaction, which is synced unless all are of lines', async () => {
  let synced = 0
  const outcomes = made({
    db: rig.store.db,
    reads: rig.store.reads,
    durable: (work) => {
      synced++
      return rig.store.durable(work)
    },
  })
  const [one, other] = [await insert(), await insert({ line: '1:x' })]
  await Promise.all([outcomes.keep(one, delivered), outcomes.keep(other, delivered)])
  expect(synced).toBe(1)
  await outcomes.keep(await insert({ line: '1:x' }), delivered)
  expect(synced).toBe(1)
})

it('waits for a while when a result cannot be stored, so that the delivery is not repeated at once', async () => {
  const broken = { ...rig.store, db: rig.store.db, durable: () => Promise.reject(new Error('the disk is full')) }
  const row = await insert()
  let kept: string | undefined
  const keeping = made(broken).keep(row, delivered)
  const noted = keeping.then((target) => (kept = target))
  await expect.poll(() => time.waiting()).toBe(1)
  time.advance(4999)
  await rig.entry(row.nId)
  expect(kept).toBeUndefined()
  time.advance(1)
  expect(await noted).toBe('http://a')
  expect(await rig.entry(row.nId)).toMatchObject({ state: 'waiting', attempts: 0 })
})

it('does not wait for that when the outbox is closed', async () => {
  const broken = { ...rig.store, db: rig.store.db, durable: () => Promise.reject(new Error('the disk is full')) }
  const closing = new AbortController()
  const keeping = made(broken, closing.signal).keep(await insert(), delivered)
  await expect.poll(() => time.waiting()).toBe(1)
  closing.abort()
  expect(await keeping).toBe('http://a')
  expect(time.waiting()).toBe(0)
})
