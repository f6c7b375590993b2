import { expect, it } from 'vitest'
import { createBackoff, doubledWait, listedWait } from './backoff.ts'

it('waits are doubled up to the longest, however many there were', () => {
  const waits = [0, 1, 2, 3, 4, 2_000].map((failures) => doubledWait({ first: 100, longest: 900 }, failures))
  expect(waits).toEqual([100, 200, 400, 800, 900, 900])
})

it('waits of a list go on with its last one', () => {
  expect([0, 1, 2, 3].map((before) => listedWait([5, 7, 9], before))).toEqual([5, 7, 9, 9])
})

it('calls once for each wait, the last one asked for, begins anew after a reset, and is silent once it is stopped', () => {
  const pending = new Set<{ ms: number; call: () => void }>()
  const clock = {
    after: (ms: number, call: () => void) => {
      const one = { ms, call }
      pending.add(one)
      return () => void pending.delete(one)
    },
  }
  let calls = 0
  const backoff = createBackoff(
    clock,
    (before) => 10 + before,
    () => calls++,
  )
  expect([backoff.again(), backoff.again()]).toEqual([10, 11])
  expect([...pending].map(({ ms }) => ms)).toEqual([11])
  for (const { call } of pending) call()
  expect(calls).toBe(1)
  backoff.reset()
  expect(backoff.again()).toBe(10)
  backoff.stop()
  expect(pending.size).toBe(0)
})
