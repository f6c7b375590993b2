import { afterEach, beforeEach, expect, it } from 'vitest'
import { systemClock, type Clock } from '../../platform/clock.ts'
import type { Bus, Topic } from '../bus/bus.ts'
import { createMemoryBus } from '../bus/memory-bus.ts'
import { createRedisBus } from '../bus/redis-bus.ts'
import { silentLog } from '../log.ts'
import { openPostgresStore, postgresPool, type PostgresPlace } from '../storage/store-postgres.ts'
import type { Store } from '../storage/store.ts'
import { testDatabase } from '../storage/testing/open-store.ts'
import { describeOnPostgres, redisUrl } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { ChangeKind } from './journal.ts'
import { createPostgresJournal, type SharedJournal } from './postgres-journal.ts'
import { createTurnLocks } from './turn-locks.ts'

interface Change {
  readonly name: string
  readonly by: string
}
interface Node {
  readonly store: Store
  readonly journal: SharedJournal
  readonly keys: ChangeKind<Change>
  /** What is in memory. */
  readonly names: string[]
  readonly warned: string[]
  /** Why it must be started again. */
  readonly ends: string[]
}

describeOnPostgres('a journal that several services share', () => {
  let number = 0
  let place: PostgresPlace
  let nodes: Node[]
  /** `bus` is by default one that nobody else hears. */
  const add = async ({
    bus = createMemoryBus({ log: silentLog }),
    clock = systemClock,
    ...more
  }: {
    readonly maxIdle?: number
    readonly bus?: Pick<Bus, 'topic' | 'onBack'>
    readonly clock?: Clock
  } = {}): Promise<Node> => {
    const store = await openPostgresStore(place)
    const pool = await postgresPool({ ...place, ...more }, 4)
    const warned: string[] = []
    const ends: string[] = []
    const warn = (_fields: unknown, sentence: string): void => void warned.push(sentence)
    const journal = await createPostgresJournal({
      store,
      locks: createTurnLocks(pool, place.schema, clock),
      bus,
      clock,
      log: { warn, error: warn },
      mustEnd: (why) => void ends.push(why),
    })
    const names: string[] = []
    const keys = journal.kind<Change>('key', {
      async store(transaction, { name, by }) {
        await transaction.insertInto('serviceKey').values({ name, key: by }).execute()
      },
      apply: ({ name, by }) => void names.push(`${name} by ${by}`),
    })
    const node = { store, journal, keys, names, warned, ends }
    nodes.push(node)
    await journal.start()
    return node
  }
  beforeEach(async () => {
    nodes = []
    place = (await testDatabase(`postgres-journal ${process.pid} ${++number}`))!
  })
  afterEach(async () => {
    for (const { journal, store } of nodes) {
      await journal.close()
      await store.close()
    }
  })

  it('makes the changes of all in memory, everywhere in one order, and resolves once they are here', async () => {
    const all = [await add(), await add(), await add()]
    await Promise.all(
      all.flatMap(({ keys, names }, by) =>
        Array.from({ length: 200 }, async (_, index) => {
          const name = `${by}-${index}`
          const commit = index % 10 === 0 ? keys.commitDurably : keys.commit
          await commit({ name, by: String(by) })
          expect(names).toContain(`${name} by ${by}`)
        }),
      ),
    )
    const last = Math.max(...all.map(({ journal }) => journal.applied()))
    await Promise.all(all.map(({ journal }) => journal.reached(last)))
    expect([last, all[0]!.names.length]).toEqual([600, 600])
    expect(all[1]!.names).toEqual(all[0]!.names)
    expect(all[2]!.names).toEqual(all[0]!.names)
    // In the order of the calls of each.
    for (const by of ['0', '1', '2']) {
      const own = all[0]!.names.filter((name) => name.endsWith(`by ${by}`) && !name.split(' ')[0]!.endsWith('0'))
      expect(own).toEqual(own.toSorted((a, b) => Number(a.split(/[- ]/)[1]) - Number(b.split(/[- ]/)[1])))
    }
  })

  it('changes neither rows nor memory of anybody where a change cannot be stored, and leaves no place empty', async () => {
    const [one, other] = [await add(), await add()]
    await one.keys.commit({ name: 'a', by: 'one' })
    await expect(other.keys.commit({ name: 'a', by: 'other' })).rejects.toThrow(/unique/i)
    await expect(other.keys.commit({ name: 'b', by: 'other' }, () => Promise.reject(new Error('no copy'))))
      .rejects //
      .toThrow('no copy')
    await other.keys.commit({ name: 'c', by: 'other' })
    await one.journal.reached(2)
    expect([one.names, other.names]).toEqual([['a by one', 'c by other'], one.names])
    const entries = await one.store.db.selectFrom('journalEntry').select(['place', 'body']).orderBy('place').execute()
    expect(entries.map((entry) => [entry.place, JSON.parse(entry.body)])).toEqual([
      [1, { name: 'a', by: 'one' }],
      [2, { name: 'c', by: 'other' }],
    ])
  })

  /** Never calls back: whoever has it looks for nothing by itself. */
  const still: Clock = { ...systemClock, after: () => () => undefined }
  const sharedMemory = (): Promise<Pick<Bus, 'topic' | 'onBack'>> => {
    const bus = createMemoryBus({ log: silentLog })
    const topic = bus.topic('journal')
    return Promise.resolve({ topic: () => topic as Topic<never>, onBack: bus.onBack } as Pick<Bus, 'topic' | 'onBack'>)
  }

  it.each(['memory', ...(redisUrl === undefined ? [] : ['Redis'])])(
    'tells others of each change over a bus (%s), so that they look at once',
    async (kind) => {
      const memory = await sharedMemory()
      const made: Bus[] = []
      const busOf = async (): Promise<Pick<Bus, 'topic' | 'onBack'>> => {
        if (kind === 'memory') return memory
        const bus = await createRedisBus({ url: redisUrl!, prefix: place.url }, { clock: systemClock, log: silentLog })
        made.push(bus)
        return bus
      }
      const [one, other] = [
        await add({ bus: await busOf(), clock: still }),
        await add({ bus: await busOf(), clock: still }),
      ]
      for (const bus of made) await bus.settled()
      const names: string[] = []
      // The first may be found by the look at the start.
      for (const name of ['a', 'b', 'c']) {
        await one.keys.commit({ name, by: 'one' })
        names.push(`${name} by one`)
        await eventually(() => expect(other.names).toEqual(names))
      }
      for (const bus of made) await bus.close()
    },
  )

  it('looks after a gap of the bus', async () => {
    const backs: (() => void)[] = []
    const bus = createMemoryBus({ log: silentLog })
    const onBack = (call: () => void) => {
      backs.push(call)
      return () => void backs.splice(backs.indexOf(call), 1)
    }
    const [one, other] = [await add(), await add({ bus: { topic: bus.topic, onBack }, clock: still })]
    for (const name of ['a', 'b']) {
      await one.keys.commit({ name, by: 'one' })
      backs.forEach((call) => call())
      await eventually(() => expect(other.names.at(-1)).toBe(`${name} by one`))
    }
    await other.journal.close()
    nodes.pop()
    await other.store.close()
    expect(backs).toEqual([])
  })

  it('does not make again what was there when a service begins', async () => {
    const one = await add()
    await one.keys.commit({ name: 'a', by: 'one' })
    const other = await add()
    await one.keys.commit({ name: 'b', by: 'one' })
    await other.journal.reached(2)
    expect(other.names).toEqual(['b by one'])
  })

  it('runs work on a key in turn among all, on what the one before has committed', async () => {
    const all = [await add(), await add(), await add()]
    // Each adds the number after the last one: wrong as soon as two look at once.
    await Promise.all(
      all.flatMap(({ keys, names }, by) =>
        Array.from({ length: 20 }, () =>
          keys.inTurn('count', () => keys.commit({ name: `n${names.length}`, by: String(by) })),
        ),
      ),
    )
    await all[0]!.journal.reached(60)
    expect(all[0]!.names.map((name) => name.split(' ')[0])).toEqual(Array.from({ length: 60 }, (_, n) => `n${n}`))
    expect(new Set(all[0]!.names.map((name) => name.slice(-1))).size).toBe(3)
  })

  it('runs work on a key of which the server does not keep every code point as it is', async () => {
    const one = await add()
    await one.keys.inTurn('a\0\uffff', () => one.keys.commit({ name: 'n', by: 'one' }))
    expect(one.names).toEqual(['n by one'])
  })

  it('runs work on other keys at once, and goes on after work that failed', async () => {
    const [one, other] = [await add(), await add()]
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const first = one.keys.inTurn(1, () => {
      begun.resolve()
      return gate.promise
    })
    await other.keys.inTurn(2, () => other.keys.commit({ name: 'of 2', by: 'other' }))
    await begun.promise
    const failed = expect(first).rejects.toThrow('failed')
    gate.reject(new Error('failed'))
    await failed
    await other.keys.inTurn(1, () => other.keys.commit({ name: 'of 1', by: 'other' }))
    await one.journal.reached(2)
    expect(one.names).toEqual(['of 2 by other', 'of 1 by other'])
  })

  it('gives work that waits here one turn, until others have waited for 100 ms', async () => {
    let past = 0
    const one = await add({ clock: { ...systemClock, monotonic: () => past } })
    const token = async (): Promise<string> => {
      const { store } = one
      const row = store.db.selectFrom('turn').select('token').where('name', '=', 'key k')
      return (await row.executeTakeFirstOrThrow()).token
    }
    const shared = await Promise.all(Array.from({ length: 3 }, () => one.keys.inTurn('k', token)))
    expect(new Set(shared).size).toBe(1)
    const [first, second, third] = await Promise.all([
      one.keys.inTurn('k', token),
      one.keys.inTurn('k', () => {
        past += 100
        return token()
      }),
      one.keys.inTurn('k', token),
    ])
    expect([first === shared[0], second === first, third === first]).toEqual([false, true, false])
  })

  it('begins another turn for work that waited where the turn was lost', async () => {
    const [one, other] = [await add({ clock: { ...systemClock, monotonic: () => 0 } }), await add()]
    const admin = await postgresPool(place, 1)
    const lost = one.keys.inTurn('k', async () => {
      await admin.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())`,
      )
      await other.keys.inTurn('k', () => other.keys.commit({ name: 'meanwhile', by: 'other' }))
    })
    const next = one.keys.inTurn('k', () => one.keys.commit({ name: 'next', by: 'one' }))
    await Promise.all([lost, next])
    await admin.end()
    expect(one.names).toEqual(['meanwhile by other', 'next by one'])
  })

  it('refuses what was committed in a turn that was lost meanwhile, and takes it after the turn', async () => {
    const [one, other] = [await add(), await add()]
    const inTurn = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const lost = one.keys.inTurn('k', async () => {
      inTurn.resolve()
      await goOn.promise
      await one.keys.commit({ name: 'late', by: 'one' })
    })
    await inTurn.promise
    // As the server does where a process stands still within a transaction.
    const admin = await postgresPool(place, 1)
    await admin.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
        and database = (select oid from pg_database where datname = current_database())`,
    )
    await admin.end()
    await other.keys.inTurn('k', () => other.keys.commit({ name: 'meanwhile', by: 'other' }))
    goOn.resolve()
    await expect(lost).rejects.toThrow('another service has the turn on key k now')
    await one.keys.commit({ name: 'after', by: 'one' })
    expect(one.names).toEqual(['meanwhile by other', 'after by one'])
  })

  it('says that a service must be started again where the database has fewer changes than it knows', async () => {
    const [one, other] = [await add(), await add()]
    for (const name of ['a', 'b']) await one.keys.commit({ name, by: 'one' })
    await other.journal.reached(2)
    await one.store.db.updateTable('journalPosition').set({ value: 1 }).execute()
    await eventually(() => expect([one.ends.length, other.ends.length]).toEqual([1, 1]))
    expect(one.ends[0]).toMatch(/fewer changes/)
    expect(one.warned).toEqual(one.ends)
  })

  it('removes what is older than a day, and says that a service that has not read it must end', async () => {
    let ahead = 0
    const later: Clock = { ...systemClock, now: () => systemClock.now() + ahead }
    const [one, other] = [await add({ clock: later }), await add({ clock: still })]
    for (const name of ['a', 'b']) await one.keys.inTurn(name, () => one.keys.commit({ name, by: 'one' }))
    ahead = 86_400_001
    await one.keys.inTurn('c', () => one.keys.commit({ name: 'c', by: 'one' }))
    await one.journal.trim()
    const kept = await one.store.db.selectFrom('journalEntry').select('place').execute()
    const turns = await one.store.db.selectFrom('turn').select('name').execute()
    expect([kept, turns]).toEqual([[{ place: 3 }], [{ name: 'key c' }]])
    other.journal.look()
    await eventually(() => expect(other.ends).toHaveLength(1))
    expect(other.ends[0]).toMatch(/are gone/)
    expect([one.ends, other.names]).toEqual([[], []])
  })

  it('removes more than one statement takes', async () => {
    const one = await add({ clock: { ...systemClock, now: () => 0 } })
    await Promise.all(Array.from({ length: 1200 }, (_, index) => one.keys.commit({ name: `n${index}`, by: 'one' })))
    const other = await add()
    await other.keys.commit({ name: 'new', by: 'other' })
    await other.journal.trim()
    expect(await one.store.db.selectFrom('journalEntry').select('place').execute()).toEqual([{ place: 1201 }])
  })

  it('says once that the changes of others cannot be read, and makes them when they can', async () => {
    const [one, other] = [await add(), await add()]
    const { db } = one.store
    await db.schema.alterTable('journalPosition').renameTo('away').execute()
    await eventually(() => expect(other.warned).toHaveLength(1))
    other.journal.look()
    await db.schema.alterTable('away').renameTo('journalPosition').execute()
    await one.keys.commit({ name: 'a', by: 'one' })
    await eventually(() => expect(other.names).toEqual(['a by one']))
    expect(other.warned).toEqual(['the changes of other services cannot be read'])
  })
})
