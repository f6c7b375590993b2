import { describe, expect, it } from 'vitest'
import type { RecordedFile } from '../../../contract/rpc/index.ts'
import { times } from '../../format/times.ts'
import { reelOf } from './reel.ts'
import { clockOf, exactOf, lengthOf, typedAt } from './times.ts'

const zone = times('UTC')
const begin = Date.UTC(2026, 10, 21, 23, 59, 50, 250)
const file = { vid: 1, begin, duration: 60_000, merged: false } as RecordedFile
const reel = reelOf([file])
const untimed = reelOf([{ ...file, merged: true }])

describe('a time of the editor', () => {
  it('is the clock of the recording, or where it is in a file without one', () => {
    expect(clockOf(reel, zone, 1_000)).toBe('23:59:51')
    expect(exactOf(reel, zone, 1_040)).toBe('23:59:51.29')
    expect(exactOf(untimed, zone, 61_040)).toBe('00:01:01.04')
  })

  it.each([
    [60_000, '1:00.0'],
    [999, '0:01.0'],
    [59_980, '1:00.0'],
    [3_725_300, '1:02:05.3'],
  ])('as a length of %s ms is %s', (ms, said) => {
    expect(lengthOf(ms)).toBe(said)
  })
})

describe('a typed time', () => {
  it('is where that clock is, over midnight too', () => {
    expect(typedAt(reel, zone, 0, '23:59:55.25')).toBe(5_000)
    expect(typedAt(reel, zone, 0, '00:00:05.25')).toBe(15_000)
    expect(typedAt(reel, zone, 15_000, '23:59:55,25')).toBe(5_000)
    expect(typedAt(untimed, zone, 0, '0:0:12.5')).toBe(12_500)
  })

  it('stays within the recording', () => {
    expect(typedAt(reel, zone, 0, '23:00:00')).toBe(0)
    expect(typedAt(reel, zone, 0, '01:00:00')).toBe(60_000)
  })

  it('that was not changed changes nothing, though it is shown with hundredths only', () => {
    expect(typedAt(reel, zone, 33.4, exactOf(reel, zone, 33.4))).toBe(33.4)
  })

  it('that is none is not taken', () => {
    expect(typedAt(reel, zone, 0, 'soon')).toBeUndefined()
    expect(typedAt(reel, zone, 0, '12:30')).toBeUndefined()
  })
})
