import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { diskRefusalOf } from '../../platform/full-disk.ts'
import { describeOnPostgres } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { numberedTables, type NumberedTable, type Store } from './store.ts'
import { openPostgresStore } from './store-postgres.ts'
import { testDatabase } from './testing/open-store.ts'
import { asCall, hasStored } from './unchanged.ts'

/** What only PostgreSQL has; the rest of the service's tests run on it too (scripts/on-postgres.ts). */
describeOnPostgres('the store on PostgreSQL', () => {
  let store: Store
  let number = 0
  const place = async () => (await testDatabase(`store-postgres ${process.pid} ${number}`))!
  beforeEach(async () => {
    number++
    store = await openPostgresStore(await place())
  })
  afterEach(() => store.close())

  it('keeps rows, and starts again on them', async () => {
    await store.durable((transaction) => transaction.insertInto('serviceKey').values({ name: 'a', key: 'b' }).execute())
    await store.close()
    store = await openPostgresStore(await place())
    expect(await store.db.selectFrom('serviceKey').selectAll().execute()).toEqual([{ name: 'a', key: 'b' }])
  })

  it('is opened by the release before, which starts again in an upgrade, unless something was taken away', async () => {
    const migrated = (name: string) =>
      sql`insert into kysely_migration (name, timestamp) values (${name}, '9999-01-01')`.execute(store.db)
    await migrated('998-something-new')
    const before = await openPostgresStore(await place())
    await before.db.insertInto('serviceKey').values({ name: 'a', key: 'b' }).execute()
    await before.close()
    await migrated('999-contract-something')
    await expect(openPostgresStore(await place())).rejects.toThrow(
      'a newer Sidestage has taken away what this one uses (999-contract-something): update Sidestage',
    )
  })

  it('is made by the first of several that begin at once', async () => {
    const fresh = { ...(await place()), schema: 'another' }
    const all = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(fresh)))
    await Promise.all(all.map((each) => each.close()))
  })

  it('refuses a schema whose name would be SQL', async () => {
    await expect(openPostgresStore({ ...(await place()), schema: 'a"; drop' })).rejects.toThrow('no name of a schema')
  })

  it('stores what SQLite stores: U+0000 and U+FFFF within a text, and yes and no as numbers', async () => {
    const key = 'a\0b\0\uffff0\uffff1\uffff'
    await store.db.insertInto('serviceKey').values({ name: 'n', key }).execute()
    for (const db of [store.db, store.reads]) {
      const found = await db.selectFrom('serviceKey').select('key').where('key', '=', key).execute()
      expect(found).toEqual([{ key }])
    }
    await store.db
      .insertInto('guestRefusal')
      .values({ roomid: true as unknown as number })
      .execute()
    expect(await store.db.selectFrom('guestRefusal').selectAll().execute()).toEqual([{ roomid: 1 }])
  })

  it('knows whether something of a call was stored', async () => {
    const { db } = store
    const row = (name: string) => ({ name, key: 'k' })
    const after = (work: () => Promise<unknown>): Promise<boolean> =>
      asCall(async () => {
        await work().catch(() => undefined)
        return hasStored()
      })
    const read = () => db.selectFrom('serviceKey').selectAll().execute()
    expect(await after(read)).toBe(false)
    expect(await after(() => db.transaction().execute(read))).toBe(false)
    expect(
      await after(() =>
        db.transaction().execute(async (transaction) => {
          await transaction.insertInto('serviceKey').values(row('undone')).execute()
          throw new Error('no')
        }),
      ),
    ).toBe(false)
    expect(await after(() => db.insertInto('serviceKey').values(row('alone')).execute())).toBe(true)
    expect(await after(() => db.insertInto('serviceKey').values(row('alone')).execute())).toBe(false)
    const durable = () => store.durable((transaction) => transaction.updateTable('serviceKey').set(row('b')).execute())
    expect(await after(durable)).toBe(true)
    expect(await after(read)).toBe(false)
  })

  it('stores and finds the same texts where they are given as an array', async () => {
    const keys = ['a\0', '\uffff0', '\uffff1', '\uffff', '']
    await sql`insert into "serviceKey" ("name", "key")
      select "n", "k" from unnest(${['0', '1', '2', '3', '4']}::text[], ${keys}::text[]) as g("n", "k")`.execute(
      store.db,
    )
    const found = sql<{ key: string }>`select "key" from "serviceKey" where "key" = any(${keys}) order by "name"`
    expect((await found.execute(store.db)).rows.map(({ key }) => key)).toEqual(keys)
  })

  it('has no limit of a text, also where one was made with it', async () => {
    const { schema } = await place()
    await sql`alter table "serviceKey" alter column "name" type varchar(9)`.execute(store.db)
    await store.close()
    store = await openPostgresStore(await place())
    const name = '\uffff'.repeat(500)
    await store.db
      .insertInto('serviceKey')
      .values({ name, key: '\0'.repeat(5000) })
      .execute()
    const limited = sql<{ name: string }>`select table_name as name from information_schema.columns
      where table_schema = ${schema} and character_maximum_length is not null and table_name not like 'kysely%'`
    expect((await limited.execute(store.db)).rows).toEqual([])
  })

  it('says that its disk is full as the disk of this computer does', async () => {
    const full = sql`do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`
    const failure: unknown = await full.execute(store.db).catch((error: unknown) => error)
    expect(diskRefusalOf(failure)).toBe('full')
  })

  it('orders text by its code points, as SQLite does', async () => {
    const names = ['b', 'B', 'a', 'é', 'ａ', '_', '😀', '中']
    for (const name of names) await store.db.insertInto('serviceKey').values({ name, key: '' }).execute()
    const rows = await store.db.selectFrom('serviceKey').select('name').orderBy('name').execute()
    expect(rows.map(({ name }) => name)).toEqual(['B', '_', 'a', 'b', 'é', '中', 'ａ', '😀'])
  })

  it.each(Object.entries(numberedTables) as [NumberedTable, string][])(
    'gives rows of %s numbers above a given one, and never lower ones again',
    async (table, column) => {
      const next = async (): Promise<number> => {
        const { rows } = await sql<{
          value: number
        }>`select nextval(pg_get_serial_sequence(${sql.lit(`"${table}"`)}, ${sql.lit(column)})) as value`.execute(
          store.db,
        )
        return rows[0]!.value
      }
      const first = await next()
      await store.numberAbove(table, 1000)
      expect(first).toBeLessThan(1000)
      expect(await next()).toBe(1001)
      await store.numberAbove(table, 10)
      expect(await next()).toBe(1002)
    },
  )

  it('gives no number twice while numbers are moved, and leaves none out where they stay', async () => {
    const number = async (): Promise<number> => {
      const adding = store.db.insertInto('namedLink').values({ cid: 'c', name: 'n', created: 0 })
      return (await adding.returning('linkId').executeTakeFirstOrThrow()).linkId
    }
    const each = Array.from({ length: 100 }, (_, index) => index)
    const given = await Promise.all(each.flatMap((index) => [number(), store.numberAbove('namedLink', index)]))
    expect(new Set(given.filter((one) => one !== undefined)).size).toBe(100)
    const last = await number()
    await store.numberAbove('namedLink', last)
    expect(await number()).toBe(last + 1)
  })

  it('gives a number above one that is the first of its rows', async () => {
    await store.numberAbove('namedLink', 0)
    await store.numberAbove('namedLink', 1)
    const { rows } = await sql`select nextval(pg_get_serial_sequence('"namedLink"', 'linkId')) as value`.execute(
      store.db,
    )
    expect(rows).toEqual([{ value: 2 }])
  })

  it('ends a long read that takes too long, and refuses those beyond the queue', async () => {
    const [short, waited] = [100, 2]
    const limited = await openPostgresStore(await place(), { reads: { time: short, waiting: waited } })
    try {
      const slow = (): Promise<unknown> => sql`select pg_sleep(60)`.execute(limited.reads)
      const all = await Promise.allSettled(Array.from({ length: 6 }, slow))
      const told = all.map((each) => String((each as PromiseRejectedResult).reason.message))
      expect(new Set(told)).toEqual(new Set(['the read took too long', 'too many long reads wait']))
      expect(await limited.reads.selectFrom('serviceKey').selectAll().execute()).toEqual([])
    } finally {
      await limited.close()
    }
  })

  it('is not ended by a server that ends its connections, idle or at work', async () => {
    const kill = (): Promise<unknown> =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and query not like '%never%'
        and datname = current_database() and backend_type = 'client backend' and query like ${`%${marker}%`}`.execute(
        store.db,
      )
    const marker = `of ${number}`
    const other = await openPostgresStore(await place())
    try {
      const working = other.db.transaction().execute(async (transaction) => {
        await sql.raw(`select '${marker}'`).execute(transaction)
        await kill()
        await transaction.selectFrom('serviceKey').selectAll().execute()
      })
      await expect(working).rejects.toThrow()
      await eventually(async () => expect(await other.db.selectFrom('serviceKey').selectAll().execute()).toEqual([]))
    } finally {
      await other.close()
    }
  })

  it('does not hold others up when it stands still within a transaction', async () => {
    await store.db.insertInto('serviceKey').values({ name: 'a', key: 'b' }).execute()
    const { maxIdle: _ofTests, ...usual } = await place()
    const other = await openPostgresStore(usual)
    try {
      const [locked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const still = other.db.transaction().execute(async (transaction) => {
        await transaction.updateTable('serviceKey').set({ key: 'c' }).execute()
        locked.resolve()
        await go.promise
        await transaction.updateTable('serviceKey').set({ key: 'd' }).execute()
      })
      const ended = expect(still).rejects.toThrow()
      await locked.promise
      await store.db.updateTable('serviceKey').set({ key: 'e' }).execute()
      go.resolve()
      await ended
      expect(await store.db.selectFrom('serviceKey').select('key').execute()).toEqual([{ key: 'e' }])
    } finally {
      await other.close()
    }
  })
})
