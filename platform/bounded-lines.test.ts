import { expect, it } from 'vitest'
import { createBoundedLines } from './bounded-lines.ts'

it('writes some lines at once and few later, and says how many were left out', () => {
  let now = 0
  const written: object[] = []
  const lines = createBoundedLines({ monotonic: () => now })
  for (let each = 0; each < 10_000; each++) lines.line((leftOut) => void written.push(leftOut))
  expect(written).toEqual(Array.from({ length: 20 }, () => ({})))
  now += 5000
  for (let each = 0; each < 10; each++) lines.line((leftOut) => void written.push(leftOut))
  expect(written.slice(20)).toEqual([{ leftOut: 9980 }, {}, {}, {}, {}])
})
