import { describe, expect, it } from 'vitest'
import { asCall, hasStored, noteUnchanged } from './unchanged.ts'
import { createWriteBatch } from './write-batch.ts'

describe('a batch of writes', () => {
  it('gathers what comes together, in order, and keeps writes apart', async () => {
    const writes: number[][] = []
    let running = 0
    const store = createWriteBatch<number>(async (items) => {
      expect(++running).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      writes.push([...items])
      running--
    })
    const first = [1, 2, 3].map((item) => store(item))
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([...first, store(4), store(5)])
    await store(6)
    expect(writes).toEqual([[1, 2, 3], [4, 5], [6]])
  })

  it('fails only for the caller whose item is bad', async () => {
    const stored: number[] = []
    const store = createWriteBatch<number>(async (items) => {
      if (items.includes(2)) throw new Error(`bad: ${items.join()}`)
      stored.push(...items)
    })
    const outcomes = await Promise.allSettled([1, 2, 3].map((item) => store(item)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ message: 'bad: 2' })
    expect(stored).toEqual([1, 3])
    await store(4)
    expect(stored).toEqual([1, 3, 4])
  })

  it('is noted by each call whose item is stored, and by no other', async () => {
    const failure = new Error('bad')
    const store = createWriteBatch<number>(async (items) => {
      if (items.includes(2)) throw failure
    })
    const call = (item: number): Promise<boolean> =>
      asCall(async () => {
        await store(item).catch(() => undefined)
        return hasStored()
      })
    // It may have been stored with the others before it failed.
    expect(await Promise.all([1, 2, 3].map(call))).toEqual([true, true, true])
    noteUnchanged(failure)
    expect(await Promise.all([1, 2, 3].map(call))).toEqual([true, false, true])
    await store(4)
    expect(hasStored()).toBe(false)
  })

  it('writes a bounded number at once', async () => {
    const sizes: number[] = []
    const store = createWriteBatch<number>(async (items) => void sizes.push(items.length))
    await Promise.all(Array.from({ length: 450 }, (_, index) => store(index)))
    expect(sizes).toEqual([200, 200, 50])
  })
})
