import { afterEach, beforeEach, expect, it } from 'vitest'
import { manualClock, type ManualClock } from '../../platform/testing/manual-clock.ts'
import type { DeliveryTable } from '../storage/schema.ts'
import { describeOnPostgres } from '../testing/engines.ts'
import { notYet } from './deliveries.ts'
import { recordingKind } from './callbacks.ts'
import type { Message } from './outbox.ts'
import { startRig, type Rig } from './testing/rig.ts'
import { waitFor } from './testing/wait.ts'

const day = 86_400_000
/** Nobody listens there, and its name does not resolve. */
const url = 'http://nobody.example:8080/x?y=z'
const resolve = (): Promise<string[]> => Promise.resolve([])
let rig: Rig
let time: ManualClock
beforeEach(async () => {
  time = manualClock()
  rig = await startRig({ clock: time, resolve })
})
afterEach(() => rig.close())

const put = (values: Partial<Message> = {}): Promise<string> =>
  rig.store.durable((transaction) =>
    rig.outbox.put(transaction, {
      uid: rig.uid,
      kind: recordingKind,
      url,
      body: (nId) => JSON.stringify({ nId }),
      ...values,
    }),
  )
const attempted = (nId: string): Promise<void> =>
  waitFor('an attempt', async () => (await rig.outbox.find(nId))!.attempts > 0)
const rowOf = (nId: string, values: Partial<DeliveryTable> = {}): DeliveryTable => ({
  nId,
  uid: rig.uid,
  kind: recordingKind,
  url,
  target: new URL(url).origin,
  line: null,
  body: '{}',
  state: 'delivered',
  attempts: 1,
  step: 0,
  due: 0,
  created: 1,
  result: '',
  ...values,
})
const insert = async (...rows: readonly DeliveryTable[]): Promise<void> => {
  for (let from = 0; from < rows.length; from += 500)
    await rig.store.db
      .insertInto('delivery')
      .values(rows.slice(from, from + 500))
      .execute()
}

it('leaves what it cannot send yet, of a newer release, waiting without an attempt', async () => {
  const later = await put({ kind: 'later' })
  const lines = [await put({ kind: 'later', line: 'x' }), await put({ line: 'x' }), await put({ line: 'y' })]
  await attempted(await put())
  await attempted(lines[2]!)
  time.advance(120_000)
  await attempted(await put({ line: 'z' }))
  for (const nId of [later, lines[0]!, lines[1]!])
    expect(await rig.outbox.find(nId)).toMatchObject({ state: 'waiting', attempts: 0, step: 0, result: null })
})

it('keeps a message with its id in the body, its target, and the time of its own', async () => {
  const nId = await put()
  expect(nId).toMatch(/^[0-9a-f]{32}$/)
  expect(await rig.outbox.find(nId)).toMatchObject({
    uid: rig.uid,
    kind: recordingKind,
    url,
    target: 'http://nobody.example:8080',
    line: null,
    body: JSON.stringify({ nId }),
    created: time.now(),
  })
})

it('gives every message its own time, in the same moment, after a restart and when the clock is set back', async () => {
  const createdOf = async (nId: string): Promise<number> => (await rig.outbox.find(nId))!.created
  const now = time.now()
  const [first, second] = [await put(), await put()]
  expect([await createdOf(first), await createdOf(second)]).toEqual([now, now + 1])
  await rig.stop()
  rig = await startRig({ clock: time, resolve, dataDir: rig.dataDir })
  time.set(-1000)
  expect(await createdOf(await put())).toBe(now + 2)
  time.set(5000)
  expect(await createdOf(await put())).toBe(now + 4000)
})

describeOnPostgres('two processes', () => {
  it('have their messages of one moment in places of their own', async () => {
    const other = await startRig({ clock: time, resolve, dataDir: rig.dataDir })
    const putInto = ({ store, outbox }: Rig): Promise<string> =>
      store.durable((transaction) =>
        outbox.put(transaction, { uid: rig.uid, kind: 'copy', url, line: 'x', body: () => '{}' }),
      )
    const nIds: string[] = []
    for (const each of [rig, other, rig, other]) nIds.push(await putInto(each))
    const rows = await rig.store.db.selectFrom('delivery').select(['nId', 'created']).orderBy('place').execute()
    expect(rows.map(({ nId }) => nId)).toEqual(nIds)
    const now = time.now()
    expect(rows.map(({ created }) => created)).toEqual([now, now, now + 1, now + 1])
    await other.stop()
  })

  it('put messages at once', async () => {
    const other = await startRig({ clock: time, resolve, dataDir: rig.dataDir })
    const putInto = ({ store, outbox }: Rig): Promise<string> =>
      store.durable((transaction) =>
        outbox.put(transaction, { uid: rig.uid, kind: recordingKind, url, body: () => '{}' }),
      )
    const nIds = await Promise.all(Array.from({ length: 40 }, (_, index) => putInto(index % 2 === 0 ? rig : other)))
    const rows = await rig.store.db.selectFrom('delivery').select(['nId', 'place']).execute()
    expect(rows.map(({ nId }) => nId).toSorted()).toEqual(nIds.toSorted())
    expect(new Set(rows.map(({ place }) => place)).size).toBe(40)
    await other.stop()
  })
})

it('puts a message of a line behind its predecessors, in a line of its application', async () => {
  const nId = await rig.store.durable(async (transaction) => {
    const made = await rig.outbox.put(transaction, { uid: rig.uid, kind: 'copy', url, line: 'x', body: () => '{}' })
    const row = await transaction.selectFrom('delivery').selectAll().where('nId', '=', made).executeTakeFirstOrThrow()
    expect(row).toMatchObject({ line: `${rig.uid}:x`, due: notYet, state: 'waiting', attempts: 0, step: 0 })
    return made
  })
  await attempted(nId)
})

it('sends what waits elsewhere at once, but not what goes there already, has ended or is of another kind', async () => {
  const next = 'http://next.example/y'
  const due = time.now() + day
  const waits = { state: 'waiting', due, attempts: 0 } as const
  await insert(
    rowOf('waits', { ...waits, created: 1 }),
    rowOf('there', { ...waits, created: 2, url: next, target: 'http://next.example' }),
    rowOf('ended', { created: 3 }),
    rowOf('copy', { ...waits, created: 4, kind: 'copy' }),
    rowOf('other', { ...waits, created: 5, uid: rig.otherUid }),
  )
  await rig.store.durable(async (transaction) => {
    await rig.outbox.redirect(transaction, { uid: rig.uid, kind: recordingKind, url: next })
    const rows = await transaction.selectFrom('delivery').selectAll().orderBy('created').execute()
    expect(rows.map(({ nId, url: to, target, due: at }) => [nId, to, target, at])).toEqual([
      ['waits', next, 'http://next.example', time.now()],
      ['there', next, 'http://next.example', due],
      ['ended', url, new URL(url).origin, 0],
      ['copy', url, new URL(url).origin, due],
      ['other', url, new URL(url).origin, due],
    ])
  })
  await attempted('waits')
  expect((await rig.outbox.find('there'))!.attempts).toBe(0)
})

it('drops what waits of a kind with its reason, and nothing else', async () => {
  const waits = { state: 'waiting', due: time.now() + day } as const
  await insert(
    rowOf('waits', { ...waits, created: 1 }),
    rowOf('ended', { created: 2 }),
    rowOf('copy', { ...waits, created: 3, kind: 'copy' }),
    rowOf('other', { ...waits, created: 4, uid: rig.otherUid }),
  )
  await rig.store.durable((transaction) => rig.outbox.drop(transaction, { uid: rig.uid, kind: recordingKind }))
  const rows = await rig.store.db.selectFrom('delivery').selectAll().orderBy('created').execute()
  expect(rows.map(({ nId, state, result }) => [nId, state, result])).toEqual([
    ['waits', 'failed', '{"code":"unset","params":{}}'],
    ['ended', 'delivered', ''],
    ['copy', 'waiting', ''],
    ['other', 'waiting', ''],
  ])
})

it('begins the schedule of an entry anew, at the address that is named or its own', async () => {
  await insert(
    rowOf('a', { state: 'failed', step: 8, attempts: 9, created: 1 }),
    rowOf('b', { state: 'failed', step: 8, attempts: 9, created: 2 }),
  )
  expect(await rig.outbox.resend('a', 'http://next.example/y')).toBe(true)
  await waitFor('an attempt', async () => (await rig.outbox.find('a'))!.attempts === 10)
  expect(await rig.outbox.find('a')).toMatchObject({
    state: 'waiting',
    step: 1,
    url: 'http://next.example/y',
    target: 'http://next.example',
    due: time.now() + 5000,
  })
  expect(await rig.outbox.resend('b', undefined)).toBe(true)
  await waitFor('an attempt', async () => (await rig.outbox.find('b'))!.attempts === 10)
  expect(await rig.outbox.find('b')).toMatchObject({ url, target: 'http://nobody.example:8080', step: 1 })
  expect(await rig.outbox.resend('c', undefined)).toBe(false)
})

it('deletes ended entries of more than 30 days at its start and every hour, and no younger ones', async () => {
  await insert(
    rowOf('old', { created: time.now() - 30 * day - 1 }),
    rowOf('young', { created: time.now() - 30 * day }),
    rowOf('waits', { created: 5, state: 'waiting', due: time.now() + 400 * day }),
  )
  const left = async (): Promise<string[]> =>
    (await rig.store.db.selectFrom('delivery').select('nId').orderBy('created').execute()).map(({ nId }) => nId)
  await rig.stop()
  rig = await startRig({ clock: time, resolve, dataDir: rig.dataDir })
  await waitFor('the old one to go', async () => (await left()).length === 2)
  expect(await left()).toEqual(['waits', 'young'])
  time.advance(3_600_000 - 1)
  expect(await left()).toEqual(['waits', 'young'])
  time.advance(1)
  await waitFor('the other one to go', async () => (await left()).length === 1)
  expect(await left()).toEqual(['waits'])
})

it('keeps 10,000 ended entries of an application', async () => {
  const now = time.now()
  await insert(...Array.from({ length: 10_002 }, (_, index) => rowOf(`n${index}`, { created: now - 20_000 + index })))
  await rig.stop()
  rig = await startRig({ clock: time, resolve, dataDir: rig.dataDir })
  const left = () =>
    rig.store.db
      .selectFrom('delivery')
      .select((query) => [query.fn.countAll<number>().as('count'), query.fn.min<number>('created').as('first')])
      .executeTakeFirstOrThrow()
  await waitFor('the oldest to go', async () => (await left()).count < 10_002)
  await waitFor('all of them', async () => (await left()).count <= 10_000)
  expect(await left()).toEqual({ count: 10_000, first: now - 20_000 + 2 })
})

it('leaves no time running once it is closed', async () => {
  await put()
  await rig.outbox.close()
  expect(time.waiting()).toBe(0)
})
