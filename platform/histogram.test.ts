import { expect, it } from 'vitest'
import { Histogram } from './histogram.ts'

it('counts values up to each bound, with those before it, and larger ones in the count alone', () => {
  const sizes = new Histogram([1, 10, 100])
  for (const value of [0, 1, 2, 10, 11, 500]) sizes.add(value)
  expect(sizes.read()).toEqual({
    upTo: [
      [1, 2],
      [10, 4],
      [100, 5],
    ],
    sum: 524,
    count: 6,
  })
})

it('has zeros before the first value', () => {
  expect(new Histogram([5]).read()).toEqual({ upTo: [[5, 0]], sum: 0, count: 0 })
})
