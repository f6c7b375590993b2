import { expect, it } from 'vitest'
import { times } from './times.ts'

const at = Date.UTC(2026, 0, 2, 16, 4, 9)

it('writes a time with minutes, with seconds and with its date, two digits each', () => {
  const shanghai = times('Asia/Shanghai')
  expect(shanghai.minute(at)).toBe('00:04')
  expect(shanghai.clock(at)).toBe('00:04:09')
  expect(shanghai.date(at)).toBe('2026-01-03 00:04')
  expect(shanghai.second(at)).toBe('2026-01-03 00:04:09')
})

it.each([
  ['Asia/Shanghai', 'UTC+8'],
  ['Australia/Brisbane', 'UTC+10'],
  ['Asia/Kolkata', 'UTC+5:30'],
  ['America/New_York', 'UTC-5'],
  ['Europe/London', 'UTC'],
])('names the zone %s by its distance from UTC: %s', (zone, name) => {
  expect(times(zone).zone(at)).toBe(name)
})

it.each(['', 'No/Such'])('takes the zone of the page where it knows none of the name “%s”', (zone) => {
  const own = times(new Intl.DateTimeFormat().resolvedOptions().timeZone)
  expect([times(zone).second(at), times(zone).zone(at)]).toEqual([own.second(at), own.zone(at)])
})

it.each([2 ** 53 - 1, 8.64e15 + 1, -8.64e15 - 1, Number.NaN])('writes “–” for %d, which is no time', (none) => {
  const { clock, minute, date, second, zone } = times('Asia/Shanghai')
  expect([clock, minute, date, second, zone].map((write) => write(none))).toEqual(['–', '–', '–', '–', '–'])
})

it('writes the first and the last time that there is', () => {
  const { second } = times('UTC')
  expect([second(8.64e15), second(-8.64e15)]).toEqual(['275760-09-13 00:00:00', '271822-04-20 00:00:00'])
})
