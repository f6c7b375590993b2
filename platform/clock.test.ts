import { afterEach, expect, it, vi } from 'vitest'
import { pause, systemClock, within } from './clock.ts'
import { manualClock } from './testing/manual-clock.ts'

afterEach(() => {
  vi.useRealTimers()
})
const settled = () => new Promise((resolve) => setImmediate(resolve))

it('the clock of the system calls after its ms once, and not when that was cancelled', () => {
  vi.useFakeTimers()
  const called: string[] = []
  systemClock.after(100, () => called.push('one'))
  const cancel = systemClock.after(100, () => called.push('two'))
  vi.advanceTimersByTime(99)
  expect(called).toEqual([])
  cancel()
  vi.advanceTimersByTime(1_000)
  expect(called).toEqual(['one'])
})

it('the clock of the system tells the time since 1970, and the time that passed whatever that is set to', () => {
  vi.useFakeTimers({ now: 1_000, toFake: ['Date'] })
  const before = systemClock.monotonic()
  expect(systemClock.now()).toBe(1_000)
  vi.setSystemTime(5_000_000)
  expect(systemClock.now()).toBe(5_000_000)
  expect(systemClock.monotonic() - before).toBeLessThan(1_000_000)
})

it('a pause ends after its time, and takes nothing of the clock then', async () => {
  const clock = manualClock()
  let over = false
  const waiting = pause(clock, 100).then(() => (over = true))
  clock.advance(99)
  await settled()
  expect(over).toBe(false)
  clock.advance(1)
  await waiting
  expect(clock.waiting()).toBe(0)
})

it('a pause ends with its signal, or does not begin after that', async () => {
  const clock = manualClock()
  const signal = new AbortController()
  const waiting = pause(clock, 100, signal.signal)
  expect(clock.waiting()).toBe(1)
  signal.abort()
  await waiting
  expect(clock.waiting()).toBe(0)
  await pause(clock, 100, signal.signal)
  expect(clock.waiting()).toBe(0)
})

it('work within its time settles as it does, and takes nothing of the clock then', async () => {
  const clock = manualClock()
  const late = () => new Error('late')
  expect(await within(clock, 100, Promise.resolve('x'), late)).toBe('x')
  await expect(within(clock, 100, Promise.reject(new Error('why')), late)).rejects.toThrow('why')
  expect(clock.waiting()).toBe(0)
})

it('what work throws that is no error becomes one with its text', async () => {
  const thrown = Promise.reject('text' as unknown as Error)
  await expect(within(manualClock(), 100, thrown, () => new Error('late'))).rejects.toEqual(new Error('text'))
})

it('work that takes longer fails as late at its time, whatever comes of it', async () => {
  const clock = manualClock()
  const work = Promise.withResolvers<string>()
  let failed: unknown
  const waiting = within(clock, 100, work.promise, () => new Error('late')).catch((error: unknown) => (failed = error))
  clock.advance(99)
  await settled()
  expect(failed).toBeUndefined()
  clock.advance(1)
  await waiting
  expect(failed).toEqual(new Error('late'))
  work.resolve('x')
  await settled()
  expect(clock.waiting()).toBe(0)
})
