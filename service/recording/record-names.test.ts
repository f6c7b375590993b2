import { describe, expect, it } from 'vitest'
import { createRecordNames, fileKey } from './record-names.ts'

const cid = 'c'.repeat(32)
const hour = 3_600_000
const named = (timeZone: string, begin: number, end: number, filename = 'x'): string =>
  createRecordNames(timeZone).name({ filename, cid, begin, end })

describe('the name of a recorded file', () => {
  it('has its times in the time zone of the service, not in UTC', () => {
    const begin = Date.UTC(2026, 11, 31, 20, 30, 5, 999)
    expect(named('UTC', begin, begin + hour)).toBe('x_20261231-203005_20261231-213005')
    expect(named('Asia/Shanghai', begin, begin + hour)).toBe('x_20270101-043005_20270101-053005')
    expect(named('America/St_Johns', begin, begin + hour)).toBe('x_20261231-170005_20261231-180005')
    expect(named('Asia/Kathmandu', begin, begin + hour)).toBe('x_20270101-021505_20270101-031505')
  })

  it('writes midnight as 00, in the calendar and with the digits of everybody', () => {
    const midnight = Date.UTC(2026, 0, 1)
    for (const zone of ['UTC', 'Africa/Abidjan'])
      expect(named(zone, midnight, midnight)).toBe('x_20260101-000000_20260101-000000')
    expect(named('Asia/Tehran', midnight, midnight)).toBe('x_20260101-033000_20260101-033000')
    expect(named('Asia/Riyadh', midnight, midnight)).toBe('x_20260101-030000_20260101-030000')
  })

  it('jumps with the clocks: an hour of recording over the change begins and ends as a wall clock shows', () => {
    const spring = Date.UTC(2026, 2, 29, 0, 30)
    expect(named('Europe/Berlin', spring, spring + hour)).toBe('x_20260329-013000_20260329-033000')
    const autumn = Date.UTC(2026, 9, 25, 0, 30)
    expect(named('Europe/Berlin', autumn, autumn + hour)).toBe('x_20261025-023000_20261025-023000')
    // Two files of the repeated hour have the same name but different keys.
    expect(named('Europe/Berlin', autumn, autumn)).toBe(named('Europe/Berlin', autumn + hour, autumn + hour))
    const key = (begin: number, vid: number): string =>
      fileKey({ cid, begin, end: begin, vid, slice: 0, format: 'mp4' })
    expect(key(autumn, 1)).not.toBe(key(autumn + hour, 2))
  })

  it('begins with the file name as it was set, or with the channel', () => {
    const longest = '录'.repeat(64)
    expect(named('UTC', 0, 0, longest)).toBe(`${longest}_19700101-000000_19700101-000000`)
    expect(named('UTC', 0, 0, '')).toBe(`${cid}_19700101-000000_19700101-000000`)
  })
})

describe('the storage path of a recorded file', () => {
  it('has the channel, times in ms whatever the zone, the number and a slice of five digits', () => {
    expect(fileKey({ cid, begin: 1_800_000_000_123, end: 1_800_000_060_456, vid: 7, slice: 12, format: 'flv' })).toBe(
      `${cid}_1800000000123_1800000060456_7-00012.flv`,
    )
    expect(fileKey({ cid, begin: 1, end: 2, vid: 9_007_199_254_740_991, slice: 123_456, format: 'mp4' })).toBe(
      `${cid}_1_2_9007199254740991-123456.mp4`,
    )
  })
})
