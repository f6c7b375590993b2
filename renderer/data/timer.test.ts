import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { later } from './timer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('calls once, after as many milliseconds as it was told', () => {
  let calls = 0
  later(300, () => (calls += 1))
  vi.advanceTimersByTime(299)
  expect(calls).toBe(0)
  vi.advanceTimersByTime(1)
  expect(calls).toBe(1)
  vi.advanceTimersByTime(10_000)
  expect(calls).toBe(1)
})

it('does not call once it was called off', () => {
  let calls = 0
  const stop = later(300, () => (calls += 1))
  vi.advanceTimersByTime(299)
  stop()
  vi.advanceTimersByTime(10_000)
  expect([calls, vi.getTimerCount()]).toEqual([0, 0])
})
