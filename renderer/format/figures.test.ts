import { expect, it } from 'vitest'
import { bytes, grouped, lengthClock, remaining, shortId, stopwatch } from './figures.ts'
import { times } from './times.ts'

it('groups digits and rounds', () => {
  expect(grouped(1284)).toBe('1,284')
  expect(grouped(6011.6)).toBe('6,012')
})

it('runs a stopwatch past a day and never below zero', () => {
  expect(stopwatch(6_128_000)).toBe('01:42:08')
  expect(stopwatch(100 * 3_600_000 + 61_000)).toBe('100:01:01')
  expect(stopwatch(-5)).toBe('00:00:00')
})

it('splits what remains into days and a clock', () => {
  expect(remaining(6 * 86_400_000 + 4 * 3_600_000 + 12 * 60_000 + 37_000)).toEqual({
    days: 6,
    short: '04:12',
    long: '04:12:37',
  })
  expect(remaining(-1)).toEqual({ days: 0, short: '00:00', long: '00:00:00' })
})

it('writes bytes in the unit that fits', () => {
  expect(bytes(412e9)).toBe('412 GB')
  expect(bytes(4.55e9)).toBe('4.55 GB')
  expect(bytes(999_600)).toBe('1.00 MB')
  expect(bytes(12)).toBe('12 B')
})

it('writes times in the zone asked for, midnight as 00', () => {
  const shanghai = times('Asia/Shanghai')
  const at = Date.UTC(2026, 10, 12, 16, 4, 9)
  expect(shanghai.date(at)).toBe('2026-11-13 00:04')
  expect(shanghai.clock(at)).toBe('00:04:09')
  expect(shanghai.zone(at)).toBe('UTC+8')
  expect(times('UTC').zone(at)).toBe('UTC')
  expect(() => times('No/Such').clock(at)).not.toThrow()
})

it('writes a finished length to the nearest second, and a running time cut off', () => {
  expect([47_980, 121_970, 47_499].map(lengthClock)).toEqual(['00:00:48', '00:02:02', '00:00:47'])
  expect(stopwatch(47_980)).toBe('00:00:47')
})

it.each([
  [-1, '0 B'],
  [999, '999 B'],
  [1000, '1.00 kB'],
  [9940, '9.94 kB'],
  [9960, '10.0 kB'],
  [9_940_000, '9.94 MB'],
  [9_951_000, '10.0 MB'],
  [99_400_000, '99.4 MB'],
  [99_500_000, '100 MB'],
  [999_499_999, '999 MB'],
  [999_500_000, '1.00 GB'],
  [2e12, '2.00 TB'],
  [3e18, '3000 PB'],
])('writes %d bytes with three digits in a unit: %s', (value, said) => {
  expect(bytes(value)).toBe(said)
})

it('writes the rest of less than a day, and of exactly one', () => {
  expect(remaining(86_399_999)).toEqual({ days: 0, short: '23:59', long: '23:59:59' })
  expect(remaining(86_400_000)).toEqual({ days: 1, short: '00:00', long: '00:00:00' })
})

it('has the first eight characters of an id as its short form', () => {
  expect(shortId('0123456789abcdef')).toBe('01234567')
})
