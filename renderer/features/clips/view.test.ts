import { describe, expect, it } from 'vitest'
import { following, lengthAt, ticksOf, viewed, zoomed, zoomOf } from './view.ts'

const hour = 3_600_000

describe('what the strip shows', () => {
  it('stays within the recording, and is never shorter than 4 s', () => {
    expect(viewed(-5, 100_000, hour)).toEqual({ from: 0, to: 100_000 })
    expect(viewed(hour, 100_000, hour)).toEqual({ from: hour - 100_000, to: hour })
    expect(viewed(0, 1, hour)).toEqual({ from: 0, to: 4_000 })
    expect(viewed(0, 1, 2_000)).toEqual({ from: 0, to: 2_000 })
  })

  it('is zoomed with a time kept in its place', () => {
    expect(zoomed({ from: 0, to: 100_000 }, 0.5, 25_000, hour)).toEqual({ from: 12_500, to: 62_500 })
    expect(zoomed({ from: 0, to: 100_000 }, 100, 25_000, hour).to).toBe(hour)
  })

  it('has a zoom from 0 for everything to 1 for the shortest', () => {
    expect(zoomOf({ from: 0, to: hour }, hour)).toBe(0)
    expect(zoomOf({ from: 0, to: 4_000 }, hour)).toBe(1)
    expect(lengthAt(zoomOf({ from: 0, to: 123_456 }, hour), hour)).toBeCloseTo(123_456)
    expect(zoomOf({ from: 0, to: 2_000 }, 2_000)).toBe(0)
  })

  it('follows the position when that leaves it', () => {
    const view = { from: 0, to: 10_000 }
    expect(following(view, 5_000, hour)).toBe(view)
    expect(following(view, 10_001, hour)).toEqual({ from: 9_001, to: 19_001 })
  })

  it('has ticks on round times of the clock', () => {
    expect(ticksOf({ from: 0, to: 60_000 }, 600, 5_000)).toEqual([15_000, 35_000, 55_000])
    expect(ticksOf({ from: 0, to: 60_000 }, 0, 5_000)).toEqual([])
  })
})
