import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { afterCommit } from '../storage/after-commit.ts'
import type { Store } from '../storage/store.ts'
import { openStore } from '../storage/testing/open-store.ts'
import type { ChangeKind, Journal } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'

let dir: string
let store: Store
let journal: Journal
let keys: ChangeKind<string>
let inMemory: string[]
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'sidestage-journal-'))
  store = await openStore(dir)
  journal = createMemoryJournal(store)
  inMemory = []
  keys = journal.kind('key', {
    async store(transaction, name) {
      await transaction.insertInto('serviceKey').values({ name, key: '' }).execute()
    },
    apply: (name) => void inMemory.push(name),
  })
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

const rows = async (): Promise<string[]> =>
  (await store.db.selectFrom('serviceKey').select('name').orderBy('name').execute()).map(({ name }) => name)

it('makes a change in memory once its row and those written with it are there', async () => {
  const seen: Promise<string[]>[] = []
  const looking = journal.kind<string>('look', {
    store: () => Promise.resolve(),
    apply: () => void seen.push(rows()),
  })
  await looking.commit('', async (transaction) => {
    await transaction.insertInto('serviceKey').values({ name: 'also', key: '' }).execute()
  })
  expect(await Promise.all(seen)).toEqual([['also']])
})

it('makes a change in memory before what waits for the same commit, and before it resolves', async () => {
  const order: string[] = []
  await keys.commit('one', (transaction) => afterCommit(transaction, () => order.push(`told, ${inMemory.join()}`)))
  expect(order).toEqual(['told, one'])
})

it('changes neither rows nor memory where the change or what is written with it fails', async () => {
  await keys.commit('one')
  await expect(keys.commit('one')).rejects.toThrow(/unique/i)
  await expect(keys.commit('two', () => Promise.reject(new Error('no copy')))).rejects.toThrow('no copy')
  expect([inMemory, await rows()]).toEqual([['one'], ['one']])
})

it('stores what an event changes in the transaction of the event, and leaves to it when memory changes', async () => {
  const change = keys.ofEvent('one')
  await store.db.transaction().execute((transaction) => change.store(transaction))
  expect([inMemory, await rows()]).toEqual([[], ['one']])
  change.apply()
  expect(inMemory).toEqual(['one'])
})

it('runs work on one key in turn, also after work that failed, and work on others at once', async () => {
  const order: string[] = []
  let release = (): void => undefined
  const waits = new Promise<void>((resolve) => (release = resolve))
  const first = keys.inTurn(7, async () => {
    await waits
    order.push('first of 7')
    throw new Error('failed')
  })
  const second = keys.inTurn(7, () => void order.push('second of 7'))
  await keys.inTurn(8, () => void order.push('of 8'))
  release()
  await expect(first).rejects.toThrow('failed')
  await second
  expect(order).toEqual(['of 8', 'first of 7', 'second of 7'])
})

it('has one kind of a name', () => {
  expect(() => journal.kind('key', { store: () => Promise.resolve(), apply: () => undefined })).toThrow(
    'there is a kind of change named key already',
  )
})
