import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApplicationTable } from './schema.ts'
import { sql } from 'kysely'
import { openSqliteStore } from './store-sqlite.ts'
import { isUniqueViolation, type Store } from './store.ts'

let dir: string
let store: Store
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-store-'))
  store = await openSqliteStore(dir)
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

/** An application with default values. */
const application = (uid: number, name: string): ApplicationTable => ({ uid, name, created: 1 }) as ApplicationTable
const count = async (): Promise<number> =>
  Number(
    (
      await store.db
        .selectFrom('application')
        .select((query) => query.fn.countAll().as('total'))
        .executeTakeFirstOrThrow()
    ).total,
  )

describe('the store', () => {
  it('keeps its file from others, in WAL with foreign keys', () => {
    expect(statSync(join(dir, 'sidestage.db')).mode & 0o777).toBe(0o600)
    const outside = new DatabaseSync(join(dir, 'sidestage.db'))
    expect(outside.prepare('pragma journal_mode').get()).toMatchObject({ journal_mode: 'wal' })
    outside.close()
  })

  it('waits up to 2 s for another program that writes, with both of its connections', async () => {
    const timeout = async (db: Pick<Store['db'], 'getExecutor'>): Promise<unknown> =>
      (await sql<{ timeout: number }>`pragma busy_timeout`.execute(db)).rows[0]!.timeout
    expect([await timeout(store.db), await timeout(store.reads)]).toEqual([2000, 2000])
  })

  it('holds on to foreign keys', async () => {
    const channel = {
      cid: 'c',
      uid: 5,
      name: 'n',
      type: 0,
      ctime: 1,
      disabled: 0,
      needRecord: 0,
      format: 1,
      duration: 120,
      filename: '',
      channelKey: 'k',
      keyExpires: 1,
    }
    await expect(store.db.insertInto('channel').values(channel).execute()).rejects.toThrow(/FOREIGN KEY/)
  })

  it('opens again without doing its migrations twice', async () => {
    await store.db.insertInto('application').values(application(1, 'a')).execute()
    await store.close()
    store = await openSqliteStore(dir)
    expect(await count()).toBe(1)
  })

  it('says which violation was one of uniqueness', async () => {
    await store.db.insertInto('application').values(application(1, 'a')).execute()
    const twice = await store.db
      .insertInto('application')
      .values(application(1, 'b'))
      .execute()
      .catch((error: unknown) => error)
    const named = await store.db
      .insertInto('application')
      .values(application(2, 'a'))
      .execute()
      .catch((error: unknown) => error)
    const other = await store.db
      .selectFrom('nothing' as 'application')
      .selectAll()
      .execute()
      .catch((error: unknown) => error)
    expect([twice, named, other].map(isUniqueViolation)).toEqual([true, true, false])
    expect(isUniqueViolation({ code: '23505' })).toBe(true)
    expect(isUniqueViolation(undefined)).toBe(false)
  })

  it('undoes a transaction that fails, and goes on', async () => {
    const failing = store.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('application').values(application(1, 'a')).execute()
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(await count()).toBe(0)
    await store.db
      .transaction()
      .execute((transaction) => transaction.insertInto('application').values(application(1, 'a')).execute())
    expect(await count()).toBe(1)
  })

  it('syncs durable transactions to the disk, and others as before again, also after one that failed', async () => {
    const mode = async (db: Pick<Store['db'], 'getExecutor'>): Promise<unknown> =>
      (await sql<{ synchronous: number }>`pragma synchronous`.execute(db)).rows[0]!.synchronous
    const [normal, full] = [1, 2]
    expect(await mode(store.db)).toBe(normal)
    expect(await store.durable((transaction) => mode(transaction))).toBe(full)
    expect(await mode(store.db)).toBe(normal)
    const failing = store.durable(async (transaction) => {
      await transaction.insertInto('application').values(application(1, 'a')).execute()
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect([await mode(store.db), await count()]).toEqual([normal, 0])
  })

  it('reads for long on another connection, which cannot write', async () => {
    await store.db.insertInto('application').values(application(1, 'a')).execute()
    expect(await store.reads.selectFrom('application').select('name').execute()).toEqual([{ name: 'a' }])
    await expect(store.reads.insertInto('application').values(application(2, 'b')).execute()).rejects.toThrow(
      /readonly/,
    )
  })

  it('takes more different statements than it caches', async () => {
    for (let length = 1; length <= 300; length++) {
      const uids = Array.from({ length }, (_, index) => index)
      expect(await store.db.selectFrom('application').select('uid').where('uid', 'in', uids).execute()).toEqual([])
    }
  })

  it('streams rows', async () => {
    for (let uid = 1; uid <= 3; uid++)
      await store.db
        .insertInto('application')
        .values(application(uid, `a${uid}`))
        .execute()
    const names: string[] = []
    for await (const { name } of store.db.selectFrom('application').select('name').orderBy('uid').stream())
      names.push(name)
    expect(names).toEqual(['a1', 'a2', 'a3'])
  })

  it('names a database that is none', async () => {
    const broken = mkdtempSync(join(tmpdir(), 'sidestage-store-'))
    const file = new DatabaseSync(join(broken, 'sidestage.db'))
    file.exec('create table application (x)')
    file.close()
    await expect(openSqliteStore(broken)).rejects.toThrow(/cannot be brought up to date: .*application/)
    rmSync(broken, { recursive: true, force: true })
  })
})
