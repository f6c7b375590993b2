import { expect, it } from 'vitest'
import { nextClockChange, zonesByRegion } from './clock-change.ts'
import { times } from './times.ts'

const november = Date.UTC(2026, 10, 21, 12)

it('finds the next change of clocks to the minute, in either half of the world', () => {
  expect(nextClockChange('Europe/Berlin', november)).toEqual({ at: Date.UTC(2027, 2, 28, 1), zone: 'UTC+2' })
  expect(nextClockChange('Europe/Berlin', Date.UTC(2027, 2, 28, 1))).toEqual({
    at: Date.UTC(2027, 9, 31, 1),
    zone: 'UTC+1',
  })
  expect(nextClockChange('America/New_York', november)).toEqual({ at: Date.UTC(2027, 2, 14, 7), zone: 'UTC-4' })
  expect(nextClockChange('Australia/Lord_Howe', november)).toEqual({ at: Date.UTC(2027, 3, 3, 15), zone: 'UTC+10:30' })
  for (const steady of ['Asia/Shanghai', 'UTC', 'Asia/Kathmandu'])
    expect(nextClockChange(steady, november), steady).toBeNull()
})

it('shows times on both sides of a change as a wall clock does', () => {
  const berlin = times('Europe/Berlin')
  const change = Date.UTC(2027, 2, 28, 1)
  expect([berlin.date(change - 1_000), berlin.clock(change - 1_000), berlin.zone(change - 1_000)]).toEqual([
    '2027-03-28 01:59',
    '01:59:59',
    'UTC+1',
  ])
  expect([berlin.date(change), berlin.clock(change), berlin.zone(change)]).toEqual([
    '2027-03-28 03:00',
    '03:00:00',
    'UTC+2',
  ])
  const twice = Date.UTC(2027, 9, 31, 0, 30)
  expect([berlin.minute(twice), berlin.minute(twice + 3_600_000)]).toEqual(['02:30', '02:30'])
  expect([berlin.zone(twice), berlin.zone(twice + 3_600_000)]).toEqual(['UTC+2', 'UTC+1'])
})

it('offers every zone once, each under its region', () => {
  const all = zonesByRegion().flatMap(({ zones }) => zones)
  expect(new Set(all).size).toBe(all.length)
  for (const zone of ['UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/Argentina/Ushuaia']) expect(all).toContain(zone)
  expect(zonesByRegion().find(({ region }) => region === 'Europe')?.zones).toContain('Europe/Paris')
})

it('begins the regions with UTC, which stands in no other', () => {
  const regions = zonesByRegion()
  expect(regions[0]).toEqual({ region: 'UTC', zones: ['UTC'] })
  expect(regions.filter(({ zones }) => zones.includes('UTC'))).toHaveLength(1)
  for (const { region, zones } of regions)
    for (const zone of zones) expect(zone === region || zone.startsWith(`${region}/`), zone).toBe(true)
})
