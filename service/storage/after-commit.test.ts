import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { afterCommit } from './after-commit.ts'
import type { Store } from './store.ts'
import { openStore } from './testing/open-store.ts'

let dir: string
let store: Store
let called: string[]
let failures: unknown[]
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-after-commit-'))
  failures = []
  store = await openStore(dir, { callFailed: (error) => failures.push(error) })
  called = []
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

const put = (db: Pick<Store['db'], 'insertInto'>, name: string): Promise<unknown> =>
  db.insertInto('serviceKey').values({ name, key: '' }).execute()
const names = async (): Promise<string[]> =>
  (await store.db.selectFrom('serviceKey').select('name').orderBy('name').execute()).map(({ name }) => name)

it('calls in order once the rows are there for everybody', async () => {
  const seen: Promise<string[]>[] = []
  await store.db.transaction().execute(async (transaction) => {
    await put(transaction, 'one')
    await afterCommit(transaction, () => seen.push(names()))
    await Promise.all(['a', 'b', 'c'].map((name) => afterCommit(transaction, () => called.push(name))))
    await put(transaction, 'two')
    expect(called).toEqual([])
  })
  expect(called).toEqual(['a', 'b', 'c'])
  expect(await Promise.all(seen)).toEqual([['one', 'two']])
})

it('calls nothing for a transaction that is rolled back, nor later for another on the same connection', async () => {
  const failed = store.durable(async (transaction) => {
    await put(transaction, 'gone')
    await afterCommit(transaction, () => called.push('gone'))
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  for (let time = 0; time < 10; time++)
    await store.durable(async (transaction) => {
      await put(transaction, `kept ${time}`)
      await afterCommit(transaction, () => called.push(String(time)))
    })
  expect(called).toEqual([...'0123456789'])
})

it('tells of a call that throws, makes the others, and the transaction has not failed', async () => {
  const wrong = new Error('wrong call')
  for (const name of ['one', 'two'])
    await store.durable(async (transaction) => {
      await put(transaction, name)
      await afterCommit(transaction, () => {
        throw wrong
      })
      await afterCommit(transaction, () => called.push(name))
    })
  expect(called).toEqual(['one', 'two'])
  expect(failures).toEqual([wrong, wrong])
  expect(await names()).toEqual(['one', 'two'])
})

it('calls at once without a transaction', async () => {
  await afterCommit(store.db, () => called.push('now'))
  expect(called).toEqual(['now'])
})

it('keeps the calls of transactions apart that run at once', async () => {
  const both = ['one', 'two'].map((name) =>
    store.db.transaction().execute(async (transaction) => {
      await put(transaction, name)
      await afterCommit(transaction, () => called.push(name))
      if (name === 'one') throw new Error('no')
    }),
  )
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(called).toEqual(['two'])
})
