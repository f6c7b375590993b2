import type { Clock } from '../../platform/clock.ts'
import { assert as holds, asyncProperty, boolean as anyBoolean, integer as anyInteger } from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { silentLog } from '../log.ts'
import { eventually } from '../testing/eventually.ts'
import type { HistoryRequest } from './history.ts'
import { createRetention } from './retention.ts'
import { message, startStream, teamMessage, textsOf, type StreamRig } from './testing/rig.ts'

let rig: StreamRig
beforeEach(async () => {
  rig = await startStream()
})
afterEach(() => rig.close())

const day = 86_400_000
const ann = { scene: 'p2p', accid: 'ann' } as const
const read = async (more: Partial<HistoryRequest> = {}): Promise<string[]> =>
  textsOf(await rig.stream.history({ uid: 1, accid: 'bob', peer: ann, ascending: true, limit: 100, ...more }))

describe('the history', () => {
  it('is of one conversation, seen from both sides, in both orders, up to a limit', async () => {
    for (const [from, to, text] of [
      ['ann', 'bob', '1'],
      ['bob', 'ann', '2'],
      ['eve', 'bob', 'other'],
      ['ann', 'eve', 'other'],
      ['ann', 'bob', '3'],
    ] as const) {
      await rig.stream.publish(message(from, to, text))
      rig.clock.advance(1)
    }
    await rig.stream.publish(teamMessage('ann', 7, 'team'))
    await rig.stream.publish(message('ann', 'bob', 'not kept', { keep: { history: false, roam: true, offline: true } }))
    expect(await read()).toEqual(['1', '2', '3'])
    expect(await read({ accid: 'ann', peer: { scene: 'p2p', accid: 'bob' } })).toEqual(['1', '2', '3'])
    expect(await read({ ascending: false, limit: 2 })).toEqual(['3', '2'])
    expect(await read({ limit: 2 })).toEqual(['1', '2'])
    expect(await read({ peer: { scene: 'team', tid: 7 } })).toEqual(['team'])
  })

  it('has what is hidden for its sender alone', async () => {
    await rig.stream.publish(message('ann', 'bob', 'hidden', { hidden: true }))
    expect(await read()).toEqual([])
    expect(await read({ accid: 'ann', peer: { scene: 'p2p', accid: 'bob' } })).toEqual(['hidden'])
  })

  it('takes both ends of a window in, for any messages and any window', async () => {
    const times = [0, 0, 1, 5, 5, 5, 9, 20]
    const begin = rig.clock.now()
    for (const [index, time] of times.entries()) {
      rig.clock.advance(begin + time - rig.clock.now())
      await rig.stream.publish(message('ann', 'bob', `${index}`))
    }
    const bound = anyInteger({ min: -2, max: 22 })
    await holds(
      asyncProperty(bound, bound, anyInteger({ min: 1, max: 9 }), anyBoolean(), async (from, to, limit, ascending) => {
        const inside = times.flatMap((time, index) => (time >= from && time <= to ? [`${index}`] : []))
        const expected = (ascending ? inside : inside.reverse()).slice(0, limit)
        expect(await read({ begin: begin + from, end: begin + to, limit, ascending })).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })

  it('goes back part by part before a place, with what was taken back when asked for', async () => {
    for (let index = 1; index <= 5; index++) await rig.stream.publish(message('ann', 'bob', `${index}`))
    await rig.store.db.updateTable('event').set({ recalled: 1 }).where('seq', '=', 3).execute()
    expect(await read({ before: 5, ascending: false, limit: 2 })).toEqual(['4', '2'])
    expect(await read({ before: 5, ascending: false, limit: 2, recalled: true })).toEqual(['4', '3'])
    expect(await read({ before: 1, ascending: false })).toEqual([])
    expect(await read({ since: 4 })).toEqual(['4', '5'])
  })

  it('has only the types that are asked for', async () => {
    for (const [type, text] of [
      [0, 'text'],
      [1, 'picture'],
      [100, 'own'],
    ] as const) {
      const event = message('ann', 'bob', text)
      await rig.stream.publish({ ...event, frame: { ...event.frame, type } as typeof event.frame })
    }
    expect(await read({ types: [0, 100] })).toEqual(['text', 'own'])
    expect(await read({ types: [1], before: 9, ascending: false })).toEqual(['picture'])
    expect(await read({ types: [2] })).toEqual([])
  })

  it('before a place keeps to window and order', async () => {
    const begin = rig.clock.now()
    for (let index = 1; index <= 5; index++) {
      await rig.stream.publish(message('ann', 'bob', `${index}`))
      rig.clock.advance(10)
    }
    expect(await read({ before: 5, begin: begin + 10, end: begin + 20 })).toEqual(['2', '3'])
    expect(await read({ before: 5, since: 2, limit: 2 })).toEqual(['2', '3'])
  })

  it('finds an event of its application by place', async () => {
    await rig.stream.publish(message('ann', 'bob', 'one'))
    expect(await rig.stream.find(1, 1)).toMatchObject({ seq: 1, uid: 1, sender: 'ann', kind: 'message', recalled: 0 })
    expect(await rig.stream.find(2, 1)).toBeUndefined()
    expect(await rig.stream.find(1, 2)).toBeUndefined()
  })

  it('ends at its days to the millisecond, whether or not it was removed yet', async () => {
    await rig.stream.publish(message('ann', 'bob', 'old'))
    rig.clock.advance(30 * day)
    expect(await read()).toEqual(['old'])
    rig.clock.advance(1)
    expect(await read()).toEqual([])
    rig.keep.historyDays = 31
    expect(await read()).toEqual(['old'])
  })
})

describe('retention', () => {
  const count = async (table: 'event' | 'inbox' | 'sentOnce'): Promise<number> =>
    (
      await rig.store.db
        .selectFrom(table)
        .select((query) => query.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    ).count
  const retention = ({ after }: Pick<Clock, 'after'> = manualClock(), now = (): number => rig.clock.now()) =>
    createRetention({
      db: rig.store.db,
      clock: { now, monotonic: () => rig.clock.now(), after },
      keep: () => rig.keep,
      uids: [1],
      log: silentLog,
    })

  it('removes nothing by a clock that is ahead', async () => {
    let ahead = 0
    const kept = retention(undefined, () => rig.clock.now() + ahead)
    await rig.stream.publish(message('ann', 'bob', 'said'))
    ahead = 400 * day
    for (let hour = 0; hour < 5; hour++) {
      await kept.run()
      rig.clock.advance(3600_000)
    }
    expect([await count('event'), await count('inbox')]).toEqual([1, 2])
    await kept.close()
  })

  it('removes messages after their days and inboxes after a week, and leaves the rest', async () => {
    const old = Array.from({ length: 1200 }, (_, index) =>
      message('ann', 'bob', `o${index}`, index ? {} : { idempotencyKey: 'c' }),
    )
    await Promise.all(old.map((event) => rig.stream.publish(event)))
    rig.clock.advance(8 * day)
    await rig.stream.publish(message('ann', 'bob', 'newer', { idempotencyKey: 'd' }))
    const kept = retention()
    await kept.run()
    expect([await count('event'), await count('inbox'), await count('sentOnce')]).toEqual([1201, 2, 1])
    rig.clock.advance(22 * day + 1)
    await kept.run()
    expect([await count('event'), await count('inbox'), await count('sentOnce')]).toEqual([1, 0, 0])
    await kept.close()
  })

  it('runs once an hour until it is closed', async () => {
    const time = manualClock()
    const kept = retention(time)
    await rig.stream.publish(message('ann', 'bob', 'old'))
    rig.clock.advance(31 * day)
    time.advance(3_599_999)
    await kept.run()
    await rig.stream.publish(message('ann', 'bob', 'new'))
    rig.clock.advance(31 * day)
    time.advance(1)
    await eventually(async () => expect(await count('event')).toBe(0))
    await kept.close()
    await rig.stream.publish(message('ann', 'bob', 'last'))
    rig.clock.advance(31 * day)
    time.advance(7_200_000)
    expect(await count('event')).toBe(1)
  })
})
