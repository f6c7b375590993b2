import { expect, it } from 'vitest'
import { readPages } from './pages.ts'

/** Looks for a number among the ten of each page, the numbers of a hundred in all. */
const lookFor = (wanted: number, most: number, calls: (number | undefined)[]) =>
  readPages({
    most,
    read: (from: number | undefined) => {
      calls.push(from)
      return Promise.resolve(Array.from({ length: 10 }, (_, index) => (from ?? 0) + index))
    },
    look: (page) => {
      if (page.includes(wanted)) return { answer: true }
      const next = page[0]! + 10
      return next === 100 ? { answer: false } : { next }
    },
  })

it('reads no page behind the one that has the answer', async () => {
  const calls: (number | undefined)[] = []
  expect(await lookFor(25, 50, calls)).toEqual({ answer: true })
  expect(calls).toEqual([undefined, 10, 20])
})

it('says when the list has ended, and where to read on when it has read as many as it may', async () => {
  const calls: (number | undefined)[] = []
  expect(await lookFor(100, 50, calls)).toEqual({ answer: false })
  expect(calls).toHaveLength(10)
  expect(await lookFor(100, 4, calls)).toEqual({ next: 40 })
  expect(calls).toHaveLength(14)
  expect(await lookFor(35, 4, calls)).toEqual({ answer: true })
})
