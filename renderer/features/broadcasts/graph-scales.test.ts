import { describe, expect, it } from 'vitest'
import { sampleAt } from '../../testing/broadcast-values.ts'
import { foldedFlags, pathsOf, scaleOf, ticksOf } from './graph-scales.ts'

const minute = 60_000

it.each([
  [0, [0, 1, 2, 3]],
  [3, [0, 2, 4, 6]],
  [318, [0, 200, 400, 600]],
  [6090, [0, 3000, 6000, 9000]],
])('a scale up to %s has round labels, with room above', (most, labels) => {
  expect(scaleOf(most)).toEqual(labels)
})

it('times are round ones of the day, as many as there is room for', () => {
  const midnight = 1_000 * 86_400_000
  const from = midnight + 13 * 60 * minute + 7 * minute
  const at = (to: number, most: number) => ticksOf(from, to, midnight, most).map((each) => (each - midnight) / minute)
  expect(at(from + 60 * minute, 5)).toEqual([795, 810, 825, 840])
  expect(at(from + 90 * 1_440 * minute, 4).length).toBeLessThanOrEqual(4)
})

it('lines have a pause where nothing was measured, and the bitrate where nothing came', () => {
  const scales = {
    x: (at: number) => at / 1_000,
    viewers: (value: number) => 100 - value,
    kbps: (value: number) => value,
  }
  const at = (seconds: number, change: object = {}) =>
    sampleAt(seconds * 1_000, { seconds: 10, viewers: 5_000, kbps: 50, ...change })
  const paths = pathsOf([at(0), at(10, { kbps: undefined }), at(20), at(60)], scales)
  expect(paths.line).toBe('M0.0 95.0L10.0 95.0L20.0 95.0L30.0 95.0M60.0 95.0L70.0 95.0')
  expect(paths.kbps).toBe('M0.0 50.0L10.0 50.0M20.0 50.0L30.0 50.0M60.0 50.0L70.0 50.0')
  expect(paths.area.match(/Z/g)).toHaveLength(2)
})

describe('flags', () => {
  const fold = (at: readonly number[], room = 1_000) =>
    foldedFlags(at, { x: (flag) => flag, width: () => 100, folded: 80, room }).map(({ flags, left }) => [left, flags])

  it('stand alone where their labels do not touch', () => {
    expect(fold([0, 106, 300])).toEqual([
      [0, [0]],
      [106, [106]],
      [300, [300]],
    ])
  })

  it('are one where they would', () => {
    expect(fold([0, 50, 100, 300])).toEqual([
      [0, [0, 50]],
      [100, [100]],
      [300, [300]],
    ])
  })

  it('stand before their line at the right edge, folded with what that would cover', () => {
    expect(fold([600, 950])).toEqual([
      [600, [600]],
      [850, [950]],
    ])
    expect(fold([800, 950])).toEqual([[800, [800, 950]]])
  })
})
