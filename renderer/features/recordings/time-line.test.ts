import { describe, expect, it } from 'vitest'
import type { Channel, Marker, RecordedFile } from '../../../contract/rpc/index.ts'
import { maxListRange } from '../../../contract/operations/recordings.ts'
import { times } from '../../format/times.ts'
import {
  barOf,
  barsOf,
  daysAfter,
  fileAt,
  barMeant,
  markerGroups,
  placeOf,
  rangeOf,
  runningOf,
  secondsAt,
  shownLanes,
  startOfDay,
  ticksOf,
} from './time-line.ts'

const hour = 3_600_000
const file = (vid: number, begin: number | null, end: number | null): RecordedFile => ({
  vid,
  cid: 'a',
  name: 'n',
  key: 'k',
  begin,
  end,
  format: 'mp4',
  bytes: 1,
  duration: 1,
  codecs: 'c',
  merged: false,
})

describe('days of a zone', () => {
  it('begin at its midnight', () => {
    expect(startOfDay(Date.UTC(2026, 10, 21, 12, 46, 12, 345), times('Asia/Shanghai'))).toBe(Date.UTC(2026, 10, 20, 16))
    expect(startOfDay(Date.UTC(2026, 10, 20, 16), times('Asia/Shanghai'))).toBe(Date.UTC(2026, 10, 20, 16))
    expect(startOfDay(Date.UTC(2026, 10, 20, 16) - 1, times('Asia/Shanghai'))).toBe(Date.UTC(2026, 10, 19, 16))
  })

  it('have 23 and 25 hours where the clock is put forward and back', () => {
    const berlin = times('Europe/Berlin')
    const spring = startOfDay(Date.UTC(2026, 2, 29, 20), berlin)
    expect(berlin.date(spring)).toBe('2026-03-29 00:00')
    expect(daysAfter(spring, 1, berlin) - spring).toBe(23 * hour)
    const autumn = startOfDay(Date.UTC(2026, 9, 25, 20), berlin)
    expect(berlin.date(autumn)).toBe('2026-10-25 00:00')
    expect(daysAfter(autumn, 1, berlin) - autumn).toBe(25 * hour)
  })
})

describe('a shown range', () => {
  it('is seven days that end with the day, or the day', () => {
    const zone = times('UTC')
    const at = Date.UTC(2026, 10, 21, 20)
    expect(rangeOf('week', at, zone)).toEqual({ begin: Date.UTC(2026, 10, 15), end: Date.UTC(2026, 10, 22) - 1 })
    expect(rangeOf('day', at, zone)).toEqual({ begin: Date.UTC(2026, 10, 21), end: Date.UTC(2026, 10, 22) - 1 })
    expect(ticksOf('week', rangeOf('week', at, zone), zone).map((tick) => new Date(tick).getUTCDate())).toEqual([
      15, 16, 17, 18, 19, 20, 21,
    ])
    expect(ticksOf('day', rangeOf('day', at, zone), zone)).toHaveLength(8)
  })

  it('is never longer than a list may ask for, also in a week of 169 hours', () => {
    const zone = times('Europe/Berlin')
    const { begin, end } = rangeOf('week', Date.UTC(2026, 9, 27, 12), zone)
    expect(end - begin).toBe(maxListRange)
  })
})

describe('a lane', () => {
  const range = { begin: 1_000, end: 2_000 }
  it('shows the part of a file that lies in the range, both ends included', () => {
    expect(barOf(500, 1_500, range)).toEqual({ from: 0, size: 0.5 })
    expect(barOf(1_500, 9_000, range)).toEqual({ from: 0.5, size: 0.5 })
    expect(barOf(0, 1_000, range)).toEqual({ from: 0, size: 0 })
    expect(barOf(2_000, 2_000, range)).toEqual({ from: 1, size: 0 })
    expect(barOf(0, 999, range)).toBeUndefined()
    expect(barOf(2_001, 3_000, range)).toBeUndefined()
    expect(placeOf(999, range)).toBeUndefined()
    expect(placeOf(1_250, range)).toBe(0.25)
  })

  it('has its own files only, and none whose time is not known', () => {
    expect(
      barsOf([file(1, 1_100, 1_200), { ...file(2, 1_100, 1_200), cid: 'b' }, file(3, null, null)], 'a', range).map(
        (bar) => bar.file.vid,
      ),
    ).toEqual([1])
  })
})

it('puts markers together whose buttons would cover each other, and loses none', () => {
  const range = { begin: 0, end: 1_000 }
  const marker = (markerId: number, at: number): Marker => ({ markerId, cid: 'a', at, label: '' })
  const markers = [
    marker(1, 500),
    marker(2, 100),
    marker(3, 510),
    marker(4, 523),
    marker(5, 524),
    marker(6, 5_000),
    marker(7, 500),
  ]
  const ids = (width: number): number[][] =>
    markerGroups(markers, range, width).map((group) => group.markers.map(({ markerId }) => markerId))
  expect(ids(1_000)).toEqual([[2], [1, 7, 3, 4], [5]])
  expect(markerGroups(markers, range, 1_000).map(({ place }) => place)).toEqual([0.1, 0.5, 0.524])
  // Of a smaller lane more, and of one that is not measured yet all.
  expect(ids(100)).toEqual([[2], [1, 7, 3, 4, 5]])
  expect(ids(0)).toEqual([[2, 1, 7, 3, 4, 5]])
  // Those of one moment are told apart in the list at any width.
  expect(ids(1e9)).toEqual([[2], [1, 7], [3], [4], [5]])
})

it('shows on a lane what runs by the tally, also where the end of a recording was never told', () => {
  const recording = { state: 'recording', since: 500 } as const
  expect(runningOf({ status: 3, since: 400 }, recording)).toEqual({ since: 500, recorded: true })
  expect(runningOf({ status: 3, since: 400 }, { state: 'off', since: null })).toEqual({ since: 400, recorded: true })
  expect(runningOf({ status: 1, since: 400 }, { state: 'off', since: null })).toEqual({ since: 400, recorded: false })
  expect(runningOf({ status: 1, since: 400 }, undefined)).toEqual({ since: 400, recorded: false })
  // Off the air, and deleted.
  expect(runningOf({ status: 0, since: null }, recording)).toBeUndefined()
  expect(runningOf(undefined, recording)).toBeUndefined()
})

it('leaves merged files off the lanes: they have no time of their own', () => {
  const range = { begin: 0, end: 24 * hour }
  const merged = { ...file(2, 5 * hour, 5 * hour), merged: true }
  expect(barsOf([file(1, hour, 2 * hour), merged], 'a', range).map((bar) => bar.file.vid)).toEqual([1])
  const lanes = Array.from({ length: 10 }, (_, index) => ({ cid: index === 0 ? 'a' : `c${index}` }) as Channel)
  expect(shownLanes(lanes, [merged, { ...merged, cid: 'c3', merged: false }], () => 0).map((lane) => lane.cid)).toEqual(
    ['c3'],
  )
})

it('draws of many lanes those that have something or are on air', () => {
  const lanes = Array.from({ length: 10 }, (_, index) => ({ cid: `c${index}` }) as Channel)
  const cids = (shown: readonly { cid: string }[]): string[] => shown.map((lane) => lane.cid)
  const files = [{ cid: 'c7' } as RecordedFile]
  expect(cids(shownLanes(lanes.slice(0, 4), [], () => 0))).toHaveLength(4)
  expect(cids(shownLanes(lanes, files, (cid) => (cid === 'c2' ? 3 : 0)))).toEqual(['c2', 'c7'])
  expect(cids(shownLanes(lanes, [], () => 2))).toEqual(['c0', 'c1', 'c2'])
})

it('finds the file that holds a moment', () => {
  const file = { vid: 1, cid: 'c', begin: 100, end: 200, merged: false } as RecordedFile
  const files = [{ ...file, vid: 2, merged: true }, { ...file, vid: 3, cid: 'd' }, file]
  const at = (moment: number) => fileAt(files, { cid: 'c', at: moment })?.vid
  expect([at(99), at(100), at(200), at(201)]).toEqual([undefined, 1, 1, undefined])
})

describe('a place on a lane', () => {
  const range = { begin: 0, end: 24 * hour }
  it('means the file that holds its moment, though a bar that is drawn wider than it is lies on top of it, else the bar that was pressed', () => {
    const minute = 60_000
    const files = [
      { vid: 1, cid: 'a', begin: 600 * minute, end: 602 * minute },
      { vid: 2, cid: 'a', begin: 603 * minute, end: 605 * minute },
      { vid: 3, cid: 'a', begin: 800 * minute, end: 801 * minute },
    ] as RecordedFile[]
    const bars = barsOf(files, 'a', range)
    const meant = (at: number) => barMeant(bars, (at * minute) / range.end, bars[1]!).file.vid
    expect([601, 604, 800.5].map(meant)).toEqual([1, 2, 3])
    // Between and beside them.
    expect([590, 602.4, 606, 900].map(meant)).toEqual([2, 2, 2, 2])
  })

  it('is a second of the file that lies there, within the file', () => {
    expect(secondsAt(0.5, range, { begin: 11 * hour, end: 13 * hour, merged: false })).toBe(3600)
    expect(secondsAt(0, range, { begin: 11 * hour, end: 13 * hour, merged: null })).toBe(0)
    expect(secondsAt(1, range, { begin: 11 * hour, end: 13 * hour, merged: false })).toBe(7200)
    // A file that began before the shown time.
    expect(secondsAt(0, range, { begin: -hour, end: hour, merged: false })).toBe(3600)
  })

  it('is the begin of a merged file, which has no time of its own', () => {
    expect(secondsAt(0.9, range, { begin: 0, end: 24 * hour, merged: true })).toBe(0)
    expect(secondsAt(0.9, range, { begin: null, end: null, merged: null })).toBe(0)
  })
})
