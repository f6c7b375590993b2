import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { Failure } from '../failure.ts'
import { createActRates } from './act-rates.ts'

function stage() {
  const clock = manualClock()
  const rates = createActRates(clock)
  const takes = (seat: string | undefined, content: unknown = ''): boolean => {
    try {
      rates.take(seat, content)
      return true
    } catch (error) {
      if (error instanceof Failure && error.data.kind === 'code' && error.data.code === 416) return false
      throw error
    }
  }
  const timesOf = (seat: string | undefined, content: unknown = ''): number => {
    for (let done = 0; done < 5_000; done++) if (!takes(seat, content)) return done
    return Infinity
  }
  return { clock, takes, timesOf }
}

it('lets a seat act 100 times at once, and 4 times in each second after that', () => {
  const { clock, timesOf } = stage()
  expect(timesOf('a')).toBe(100)
  clock.advance(1_000)
  expect(timesOf('a')).toBe(4)
  clock.advance(3_600_000)
  expect(timesOf('a')).toBe(100)
})

it('lets the host act 1,000 times at once, and 50 times in each second after that', () => {
  const { clock, timesOf } = stage()
  expect(timesOf(undefined)).toBe(1_000)
  clock.advance(1_000)
  expect(timesOf(undefined)).toBe(50)
})

it('takes of a seat 128 KiB at once and 4 KiB in each second after that, counted as UTF-8 of JSON', () => {
  const { clock, timesOf, takes } = stage()
  // With its quotes 1,024 bytes.
  const content = '深'.repeat(340) + 'xx'
  expect(Buffer.byteLength(JSON.stringify(content))).toBe(1_024)
  expect(timesOf('calls', content)).toBe(100)
  const large = 'x'.repeat(64 * 1024 - 2)
  expect(timesOf('a', large)).toBe(2)
  clock.advance(1_000)
  expect([takes('a', 'x'.repeat(4_094)), takes('a')]).toEqual([true, false])
})

it('takes of the host 4 MiB at once and 256 KiB in each second after that', () => {
  const { clock, timesOf, takes } = stage()
  expect(timesOf(undefined, 'x'.repeat(1024 * 1024 - 2))).toBe(4)
  clock.advance(1_000)
  expect([takes(undefined, 'x'.repeat(256 * 1024 - 2)), takes(undefined)]).toEqual([true, false])
})

it('takes what is larger than what is left, and makes who did that wait for it', () => {
  const { clock, takes } = stage()
  expect(takes('a', 'x'.repeat(132 * 1024 - 2))).toBe(true)
  clock.advance(1_000)
  expect(takes('a')).toBe(false)
  clock.advance(1)
  expect(takes('a')).toBe(true)
})

it('counts nothing of what it refuses', () => {
  const { clock, timesOf, takes } = stage()
  timesOf('a')
  for (let times = 0; times < 50; times++) expect(takes('a', 'x'.repeat(10_000))).toBe(false)
  clock.advance(250)
  expect(takes('a')).toBe(true)
})

it('counts each seat by itself, and the host by none of them', () => {
  const { timesOf } = stage()
  timesOf('a')
  expect([timesOf('b'), timesOf(undefined), timesOf('a')]).toEqual([100, 1_000, 0])
})

it('remembers 1,000 seats, and forgets the one that acted longest ago', () => {
  const { timesOf, takes } = stage()
  timesOf('first')
  timesOf('second')
  for (let seat = 2; seat < 1_000; seat++) takes(`seat ${seat}`)
  // Its refusal is a use too.
  expect(takes('first')).toBe(false)
  takes('one more')
  expect([takes('first'), takes('second')]).toEqual([false, true])
})

it('goes by the time that passed, however the clock of the computer is set', () => {
  const { clock, timesOf, takes } = stage()
  timesOf('a')
  clock.set(3_600_000)
  expect(takes('a')).toBe(false)
})
