import { createHook } from 'node:async_hooks'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { nodeSqliteDialect } from './node-sqlite-dialect.ts'
import { createTurnLock } from './turn-lock.ts'

/** Runs concurrent statements; returns their order, and promises made for each. */
async function together(count: number): Promise<{ order: number[]; each: number }> {
  const db = new Kysely<Record<string, never>>({
    dialect: nodeSqliteDialect(new DatabaseSync(':memory:'), { monotonic: () => 0 }),
  })
  const order: number[] = []
  let promises = 0
  const hook = createHook({ init: (_id, type) => void (promises += Number(type === 'PROMISE')) }).enable()
  const one = async (number: number): Promise<void> => {
    await sql`select 1`.execute(db)
    order.push(number)
  }
  await Promise.all(Array.from({ length: count }, (_, number) => one(number)))
  hook.disable()
  await db.destroy()
  return { order, each: promises / count }
}

it('statements that are asked for at once run in their order, and each costs the same however many wait', async () => {
  const few = await together(10)
  const many = await together(300)
  expect(many.order).toEqual(Array.from({ length: 300 }, (_, number) => number))
  expect(many.each).toBeLessThan(few.each * 1.5)
})

it('a transaction has the connection to its end, and one that failed hands it on', async () => {
  const db = new Kysely<Record<string, never>>({ dialect: nodeSqliteDialect(new DatabaseSync(':memory:')) })
  const order: string[] = []
  const failing = db.transaction().execute(async (transaction) => {
    for (let count = 0; count < 3; count++) await sql`select 1`.execute(transaction)
    order.push('transaction')
    throw new Error('no')
  })
  const after = sql`select 1`.execute(db).then(() => order.push('after'))
  await expect(failing).rejects.toThrow('no')
  await after
  expect(order).toEqual(['transaction', 'after'])
  await db.destroy()
})

it('a lock is given to one at a time, to the longest waiter first, and is free when nobody waits', async () => {
  const { take, give } = createTurnLock()
  const order: string[] = []
  const wait = async (name: string): Promise<void> => {
    await take()
    order.push(name)
  }
  await wait('first')
  const waiting = [wait('second'), wait('third')]
  await nextTurn()
  expect(order).toEqual(['first'])
  give()
  await nextTurn()
  expect(order).toEqual(['first', 'second'])
  give()
  await Promise.all(waiting)
  give()
  await wait('fourth')
  const late = wait('fifth')
  await nextTurn()
  expect(order).toEqual(['first', 'second', 'third', 'fourth'])
  give()
  await late
  expect(order.at(-1)).toBe('fifth')
})
