import { describe, expect, it } from 'vitest'
import { times } from '../../format/times.ts'
import { rangeOf } from './time-line.ts'
import { hoursBefore, shifted, ticksIn, zoomed } from './time-line-view.ts'

const [minute, hour] = [60_000, 3_600_000]
const whole = { begin: 0, end: 100 * hour }
const view = { begin: 40 * hour, end: 50 * hour }

describe('a zoomed view', () => {
  it('keeps the moment under the pointer where it was', () => {
    expect(zoomed(view, whole, 0.5, 0.2)).toEqual({ begin: 41 * hour, end: 46 * hour })
    expect(zoomed(view, whole, 2, 1)).toEqual({ begin: 30 * hour, end: 50 * hour })
  })

  it('is never longer than the whole, nor beyond it, and never shorter than ten minutes', () => {
    expect(zoomed(view, whole, 100, 0.5)).toEqual(whole)
    expect(zoomed({ begin: 0, end: 10 * hour }, whole, 2, 0.9)).toEqual({ begin: 0, end: 20 * hour })
    const { begin, end } = zoomed(view, whole, 1e-9, 0.5)
    expect([begin, end]).toEqual([45 * hour - 5 * minute, 45 * hour + 5 * minute])
  })
})

it('a moved view stays within the whole', () => {
  expect(shifted(view, whole, 0.5)).toEqual({ begin: 45 * hour, end: 55 * hour })
  expect(shifted(view, whole, 99)).toEqual({ begin: 90 * hour, end: 100 * hour })
  expect(shifted(view, whole, -99)).toEqual({ begin: 0, end: 10 * hour })
})

it('the hours end a little after the last moment, and lie within the whole', () => {
  expect(hoursBefore(50 * hour, whole)).toEqual({ begin: 44 * hour + 20 * minute, end: 50 * hour + 20 * minute })
  expect(hoursBefore(100 * hour, whole)).toEqual({ begin: 94 * hour, end: 100 * hour })
  expect(hoursBefore(hour, whole)).toEqual({ begin: 0, end: 6 * hour })
})

describe('the named times', () => {
  const zone = times('Asia/Kolkata')
  const week = rangeOf('week', Date.UTC(2026, 10, 21, 12), zone)
  const named = (begin: number, end: number): string[] =>
    ticksIn({ begin, end }, week, 'hours', zone).map((at) => zone.minute(at))

  it('are days while all of a week is seen', () => {
    expect(ticksIn(week, week, 'week', zone)).toHaveLength(7)
    expect(ticksIn(week, week, 'hours', zone)).toHaveLength(7)
  })

  it('are round times of the zone in a part of it, eight or so', () => {
    const at = Date.UTC(2026, 10, 21, 15, 40)
    expect(named(at, at + 5 * hour)).toEqual(['22:00', '23:00', '00:00', '01:00', '02:00'])
    expect(named(at, at + 30 * minute)).toEqual(['21:10', '21:15', '21:20', '21:25', '21:30', '21:35', '21:40'])
  })
})
