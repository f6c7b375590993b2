import { expect, it } from 'vitest'
import { createRefusalCount } from './refusal-count.ts'

it('says what was refused in one line an interval, and the rest at its end', async () => {
  const lines: Readonly<Record<string, number>>[] = []
  const first = Promise.withResolvers<void>()
  const count = createRefusalCount((counts) => {
    lines.push(counts)
    first.resolve()
  }, 30)
  for (let number = 0; number < 10_000; number += 1) count.add(number % 4 === 0 ? 'full' : 'address')
  await first.promise
  expect(lines).toEqual([{ full: 2500, address: 7500 }])
  count.add('full')
  count.close()
  count.close()
  expect(lines).toEqual([{ full: 2500, address: 7500 }, { full: 1 }])
})
