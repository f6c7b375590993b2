import { expect, test } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createShownHolds } from './shown-holds.ts'

test('a hold is seen later by the delay, and for as long', () => {
  const clock = manualClock(1_000_000)
  const shown = createShownHolds(clock)
  expect(shown.since('a', 0)).toBeUndefined()
  shown.began('a', clock.now())
  expect([shown.since('a', 0), shown.since('a', 30_000), shown.since('b', 0)]).toEqual([
    1_000_000,
    undefined,
    undefined,
  ])
  clock.advance(5_000)
  shown.over('a')
  shown.over('a')
  expect(shown.since('a', 0)).toBeUndefined()
  clock.advance(25_000)
  expect(shown.since('a', 30_000)).toBe(1_030_000)
  clock.advance(4_999)
  expect(shown.since('a', 30_000)).toBe(1_030_000)
  clock.advance(1)
  expect(shown.since('a', 30_000)).toBeUndefined()
  shown.began('a', clock.now())
  shown.forget('a')
  expect(shown.since('a', 0)).toBeUndefined()
  // The hub's own time of the hold is told, though it is heard of later.
  shown.began('a', clock.now() - 2)
  expect(shown.since('a', 30)).toBeUndefined()
  clock.advance(30)
  expect(shown.since('a', 30)).toBe(clock.now() - 2)
})

test.each([-3_600_000, 3_600_000])(
  'a hold is seen at its time and for as long when the clock is set by %i ms',
  (by) => {
    const clock = manualClock()
    const shown = createShownHolds(clock)
    const delay = 30_000
    shown.began('a', clock.now())
    clock.set(by)
    clock.advance(5_000)
    shown.over('a')
    expect(shown.since('a', delay)).toBeUndefined()
    clock.advance(25_000)
    expect(shown.since('a', delay)).toBe(clock.now())
    clock.advance(4_999)
    expect(shown.since('a', delay)).toBe(clock.now() - 4_999)
    clock.set(-by)
    clock.advance(1)
    expect(shown.since('a', delay)).toBeUndefined()
    for (let minute = 0; minute < 130; minute++) {
      clock.advance(60_000)
      expect(shown.since('a', delay)).toBeUndefined()
    }
  },
)
