import { afterEach, beforeEach, expect, it } from 'vitest'
import { createMemoryBus } from '../bus/memory-bus.ts'
import { createPostgresJournal, type SharedJournal } from '../journal/postgres-journal.ts'
import { createTurnLocks } from '../journal/turn-locks.ts'
import { silentLog } from '../log.ts'
import { openPostgresStore, postgresPool, type PostgresPlace } from '../storage/store-postgres.ts'
import type { Store } from '../storage/store.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { describeOnPostgres } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { systemClock } from '../../platform/clock.ts'
import { putOnServer } from './server-writes.ts'
import { createMessagingStream } from './stream.ts'
import { message } from './testing/rig.ts'

describeOnPostgres('events that are stored in one statement', () => {
  let number = 0
  let place: PostgresPlace
  let store: Store
  let journal: SharedJournal | undefined
  beforeEach(async () => {
    place = (await testDatabase(`server-writes ${process.pid} ${++number}`))!
    store = await openPostgresStore(place)
  })
  afterEach(async () => {
    await journal?.close()
    journal = undefined
    await store.close()
  })

  it('have a time that is not before that of the place before, unless that is far ahead', async () => {
    const now = 1_800_000_000_000
    const put = async (at: number): Promise<readonly [number, number]> => {
      const { first, at: given } = await putOnServer(store.db, [message('ann', 'bob', String(at))], at)
      return [first, given - now]
    }
    expect(await put(now)).toEqual([1, 0])
    expect(await put(now - 900)).toEqual([2, 0])
    expect(await put(now + 5)).toEqual([3, 5])
    expect(await put(now - 3_600_000)).toEqual([4, -3_600_000])
    const rows = await store.db.selectFrom('event').select(['seq', 'at', 'frame']).orderBy('seq').execute()
    for (const { seq, at, frame } of rows) expect(JSON.parse(frame)).toMatchObject({ seq, at })
    expect(rows.map(({ at }) => at - now)).toEqual([0, 0, 5, -3_600_000])
  })

  it('are planned as the few rows that they are, whatever the server expects of a table of one row', async () => {
    const events = Array.from({ length: 200 }, (_, index) =>
      message('ann', `bob${index}`, 'x', { idempotencyKey: `key ${index}` }),
    )
    const plans: string[] = []
    const explained = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => Promise.resolve(result),
    })
    const executor = explained.getExecutor()
    const execute = executor.executeQuery.bind(executor)
    executor.executeQuery = async (query) => {
      const { rows } = await execute({ ...query, sql: `explain ${query.sql}` })
      plans.push(rows.map((row) => Object.values(row as object)[0] as string).join('\n'))
      return { rows: [{ before: 0, at: 0, repeated: [] }] as never[] }
    }
    await putOnServer(explained, events, 0)
    // Of the whole: beyond 100,000 the server would compile the statement, which takes a second.
    expect(Number(/cost=[\d.]+\.\.([\d.]+)/.exec(plans[0]!)?.[1])).toBeLessThan(10_000)
  })

  it('are known as own ones also where their rows are read before the answer is here', async () => {
    const held = Promise.withResolvers<void>()
    const db = store.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows[0] && 'repeated' in result.rows[0]) await held.promise
        return result
      },
    })
    const bus = createMemoryBus({ log: silentLog })
    const locks = createTurnLocks(await postgresPool(place, 4), place.schema, systemClock)
    journal = await createPostgresJournal({ store, locks, bus, clock: systemClock, log: silentLog })
    const stream = await createMessagingStream({
      db,
      clock: systemClock,
      log: silentLog,
      journal,
      memberships: { membershipsOf: () => [] },
      keep: () => ({ historyDays: 30, roamingDays: 7, offlineDays: 7 }),
    })
    const origins: (string | undefined)[] = []
    stream.on(({ origin }) => origins.push(origin))
    await journal.start()
    const storing = stream.publish(message('ann', 'bob', 'x', { origin: 'the session' }))
    await eventually(async () =>
      expect(await store.db.selectFrom('event').select('seq').execute()).toEqual([{ seq: 1 }]),
    )
    // Reads the row; at the latest after a second.
    await journal.fresh()
    held.resolve()
    await storing
    expect(origins).toEqual(['the session'])
  })
})
