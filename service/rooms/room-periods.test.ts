import { expect, it } from 'vitest'
import { createRoomPeriods } from './room-periods.ts'

const hour = 3_600_000

it.each([
  ['UTC', '2027-01-15T10:59:59.999Z', '2027-01-15T10:00:00Z', '2027-01-15T00:00:00Z', 24],
  ['Asia/Kolkata', '2027-01-15T10:29:00Z', '2027-01-15T09:30:00Z', '2027-01-14T18:30:00Z', 24],
  ['Asia/Kathmandu', '2027-01-15T10:29:00Z', '2027-01-15T10:15:00Z', '2027-01-14T18:15:00Z', 24],
  ['America/New_York', '2027-03-14T20:10:00Z', '2027-03-14T20:00:00Z', '2027-03-14T05:00:00Z', 23],
  ['America/New_York', '2027-11-07T20:10:00Z', '2027-11-07T20:00:00Z', '2027-11-07T04:00:00Z', 25],
  ['Africa/Cairo', '2027-04-30T12:00:00Z', '2027-04-30T12:00:00Z', '2027-04-29T22:00:00Z', 23],
])('begins hours and days where people of %s see them begin', (zone, at, hourStart, dayStart, hours) => {
  const periods = createRoomPeriods(zone)
  expect(new Date(periods.startOf('HOUR', Date.parse(at)))).toEqual(new Date(hourStart))
  expect(periods.endOf('HOUR', Date.parse(hourStart))).toBe(Date.parse(hourStart) + hour)
  const start = periods.startOf('DAY', Date.parse(at))
  expect(new Date(start)).toEqual(new Date(dayStart))
  expect((periods.endOf('DAY', start) - start) / hour).toBe(hours)
  expect(periods.startOf('DAY', start)).toBe(start)
  expect(periods.startOf('DAY', start - 1)).toBeLessThan(start)
})
