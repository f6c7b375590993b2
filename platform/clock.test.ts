import { afterEach, expect, it, vi } from 'vitest'
import { monotonicOf, pause, systemClock, within } from './clock.ts'
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

it('a system time by the monotonic clock is right where the process paused between the reads of both', () => {
  let [time, read] = [1000, 0]
  // 5 ms before the second read.
  const tick = (): number => (time += ++read === 2 ? 5 : 0.1)
  const clock = { now: () => 1_800_000_000_000 + tick(), monotonic: () => tick() }
  const at = 1_800_000_000_000 + 400
  expect(Math.abs(monotonicOf(clock, at) - 400)).toBeLessThan(0.2)
  expect(read).toBe(6)
})

it('a system time by the monotonic clock comes of the shortest pause where there always was one', () => {
  let [time, read] = [1000, 0]
  const pauses = [9, 4, 6, 8, 7]
  const clock = {
    now: () => time,
    monotonic: () => (read++ % 2 === 0 ? time : (time += pauses[(read >> 1) - 1]!)),
  }
  expect(monotonicOf(clock, 400)).toBe(402)
  expect(read).toBe(10)
})
