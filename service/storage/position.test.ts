import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPosition } from './position.ts'
import type { Store } from './store.ts'
import { openStore } from './testing/open-store.ts'

let folder: string
let store: Store
let other: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sidestage-position-'))
  store = await openStore(folder)
  other = await openStore(folder)
})
afterEach(async () => {
  await store.close()
  await other.close()
  rmSync(folder, { recursive: true, force: true })
})

const positionOf = ({ db }: Store, ahead: number) => {
  const { take } = createPosition(db, 'linePosition', { ahead })
  return (count: number, fails = false): Promise<number> =>
    db.transaction().execute(async (transaction) => {
      const first = await take(transaction, count)
      if (fails) throw new Error('undone')
      return first
    })
}

it.each([0, 10])('numbers follow one another, also after a transaction that fails; taken ahead: %i', async (ahead) => {
  const take = positionOf(store, ahead)
  expect([await take(1), await take(3)]).toEqual([1, 2])
  await expect(take(5, true)).rejects.toThrow('undone')
  const next = await take(1)
  // Those of the transaction that failed were not given; taken ahead they are left out.
  expect([5, 10]).toContain(next)
  expect(await take(20)).toBeGreaterThan(next)
})

it.each([0, 10])('a first transaction that fails leaves nothing to be given twice; taken ahead: %i', async (ahead) => {
  const [take, takeElsewhere] = [positionOf(store, ahead), positionOf(other, ahead)]
  await expect(take(1, true)).rejects.toThrow('undone')
  const numbers = [await takeElsewhere(1), await take(1), await takeElsewhere(1), await take(1)]
  expect(new Set(numbers).size).toBe(4)
})

it.each([0, 3])('no two processes are given one number; taken ahead: %i', async (ahead) => {
  const takes = [positionOf(store, ahead), positionOf(other, ahead)]
  const numbers: number[] = []
  for (let turn = 0; turn < 20; turn++) {
    const first = await takes[turn % 2]!(2)
    numbers.push(first, first + 1)
  }
  expect(new Set(numbers).size).toBe(40)
  const again = await positionOf(store, ahead)(1)
  expect(again).toBeGreaterThan(Math.max(...numbers))
})
