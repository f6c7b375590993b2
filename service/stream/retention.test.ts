import { afterEach, beforeEach, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import type { KeepDays } from './keep-days.ts'
import { placeOfTime } from './place-of-time.ts'
import { createRetention } from './retention.ts'
import { message, startStream, type StreamRig } from './testing/rig.ts'

const day = 86_400_000
let rig: StreamRig
beforeEach(async () => {
  rig = await startStream()
})
afterEach(() => rig.close())

const seqs = async (table: 'event' | 'inbox' | 'sentOnce'): Promise<number[]> =>
  (await rig.store.db.selectFrom(table).select('seq').distinct().orderBy('seq').execute()).map(({ seq }) => seq)
const retention = (keep: (uid: number) => KeepDays, uids = [1, 2], errors: unknown[] = []) =>
  createRetention({
    db: rig.store.db,
    clock: { ...manualClock(), now: () => rig.clock.now(), monotonic: () => rig.clock.now() },
    keep,
    uids,
    log: { ...silentLog, error: (details) => void errors.push(details) },
  })
const days = (historyDays: number, more: Partial<KeepDays> = {}): KeepDays => ({
  historyDays,
  roamingDays: 7,
  offlineDays: 7,
  ...more,
})

it('removes messages of each application after its own days', async () => {
  await rig.stream.publish(message('ann', 'bob', 'kept longer', { uid: 1 }))
  await rig.stream.publish(message('ann', 'bob', 'removed', { uid: 2 }))
  rig.clock.advance(10 * day)
  const kept = retention((uid) => days(uid === 1 ? 30 : 9))
  await kept.run()
  await kept.close()
  expect(await seqs('event')).toEqual([1])
})

it('keeps a message of exactly its days', async () => {
  await rig.stream.publish(message('ann', 'bob', ''))
  rig.clock.advance(9 * day)
  const kept = retention(() => days(9))
  await kept.run()
  expect(await seqs('event')).toEqual([1])
  rig.clock.advance(1)
  await kept.run()
  expect(await seqs('event')).toEqual([])
  await kept.close()
})

it('removes messages of an application that is not there any more by the shortest days', async () => {
  await rig.stream.publish(message('ann', 'bob', '', { uid: 3 }))
  rig.clock.advance(10 * day)
  const kept = retention((uid) => days(uid === 1 ? 30 : 9))
  await kept.run()
  await kept.close()
  expect(await seqs('event')).toEqual([])
})

it.each([
  ['roam', { roamingDays: 20 }],
  ['wait for offline accounts', { offlineDays: 20 }],
])('keeps inboxes and ids of senders as long as messages of any application %s', async (_what, more) => {
  await rig.stream.publish(message('ann', 'bob', '', { idempotencyKey: 'c' }))
  rig.clock.advance(20 * day)
  const kept = retention((uid) => days(30, uid === 2 ? more : {}))
  await kept.run()
  expect([await seqs('inbox'), await seqs('sentOnce')]).toEqual([[1], [1]])
  rig.clock.advance(1)
  await kept.run()
  expect([await seqs('inbox'), await seqs('sentOnce'), await seqs('event')]).toEqual([[], [], [1]])
  await kept.close()
})

it('removes nothing without applications', async () => {
  await rig.stream.publish(message('ann', 'bob', ''))
  rig.clock.advance(100 * day)
  const kept = retention(() => days(30), [])
  await kept.run()
  await kept.close()
  expect([await seqs('event'), await seqs('inbox')]).toEqual([[1], [1]])
})

it('logs a failure, and removes at the next time', async () => {
  const errors: unknown[] = []
  let broken = true
  const kept = retention(
    () => {
      if (broken) throw new Error('no settings')
      return days(30)
    },
    [1],
    errors,
  )
  await rig.stream.publish(message('ann', 'bob', ''))
  rig.clock.advance(31 * day)
  await kept.run()
  expect(errors).toMatchObject([{ err: { message: 'no settings' } }])
  broken = false
  await kept.run()
  await kept.close()
  expect(await seqs('event')).toEqual([])
})

it('removes nothing after it is closed', async () => {
  await rig.stream.publish(message('ann', 'bob', ''))
  rig.clock.advance(31 * day)
  const kept = retention(() => days(30))
  await kept.close()
  await kept.run()
  expect([await seqs('event'), await seqs('inbox')]).toEqual([[1], [1]])
})

it('finds the first place at or after a time, also where events are missing', async () => {
  const begin = rig.clock.now()
  for (let count = 0; count < 9; count++) {
    await rig.stream.publish(message('ann', 'bob', ''))
    rig.clock.advance(10)
  }
  const place = (after: number): Promise<number> => placeOfTime(rig.store.db, begin + after)
  expect([await place(-1), await place(0), await place(1), await place(80)]).toEqual([0, 0, 2, 9])
  // After the last one is the place that comes next.
  expect(await place(81)).toBe(10)
  await rig.store.db.deleteFrom('event').where('seq', 'in', [1, 4, 5]).execute()
  expect(await place(20)).toBe(3)
  const found = await place(30)
  expect(found).toBeGreaterThan(3)
  expect(found).toBeLessThanOrEqual(6)
})
