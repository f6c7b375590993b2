import { expect, it } from 'vitest'
import { createOneTimeCheckSums } from './one-time-check-sums.ts'

/** The memory of a service that began at 1000 s, with a clock that a test advances in ms. */
function made(limit?: number) {
  let now = 0
  const sums = createOneTimeCheckSums({ monotonic: () => now }, 1_000_900, limit)
  return { take: sums.take, pass: (ms: number) => (now += ms) }
}

it('a CheckSum whose second is before the begin is refused as early for 10 minutes, and fresh after them', () => {
  const { take, pass } = made()
  expect([take('a', 999), take('b', 1000)]).toEqual(['early', 'fresh'])
  pass(600_000)
  expect(take('a', 999)).toBe('early')
  pass(1)
  expect(take('a', 999)).toBe('fresh')
})

it('an early CheckSum takes no place of those that are remembered', () => {
  const { take } = made(1)
  expect([take('a', 999), take('b', 1000), take('b', 1000)]).toEqual(['early', 'fresh', 'used'])
})

it('a CheckSum counts as used for 10 minutes from its first use, which another try does not renew', () => {
  const { take, pass } = made()
  expect(take('a', 1000)).toBe('fresh')
  pass(400_000)
  expect(take('a', 1000)).toBe('used')
  pass(200_000)
  expect(take('a', 1000)).toBe('used')
  pass(1)
  expect(take('a', 1000)).toBe('fresh')
})

it('each CheckSum that is over makes one place, the oldest first', () => {
  const { take, pass } = made(2)
  take('a', 1000)
  pass(1)
  take('b', 1000)
  expect(take('c', 1000)).toBe('full')
  pass(600_000)
  expect([take('b', 1000), take('c', 1000), take('d', 1000)]).toEqual(['used', 'fresh', 'full'])
})

it('remembers 100,000 CheckSums and refuses the next as full', () => {
  const { take } = made()
  for (let count = 0; count < 100_000; count++) if (take(`s${count}`, 1000) !== 'fresh') expect.unreachable(`${count}`)
  expect([take('one more', 1000), take('s0', 1000)]).toEqual(['full', 'used'])
})
