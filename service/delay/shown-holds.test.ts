import { expect, test } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createShownHolds } from './shown-holds.ts'

test('a hold is seen later by the delay, and for as long', () => {
  const clock = manualClock(1_000_000)
  const shown = createShownHolds(clock)
  expect(shown.seen('a', 0)?.since).toBeUndefined()
  shown.began('a', clock.now())
  expect([shown.seen('a', 0)?.since, shown.seen('a', 30_000)?.since, shown.seen('b', 0)?.since]).toEqual([
    1_000_000,
    undefined,
    undefined,
  ])
  clock.advance(5_000)
  expect(shown.seen('a', 0)).toEqual({ since: 1_000_000, until: undefined })
  shown.ended('a')
  shown.ended('a')
  expect(shown.seen('a', 0)?.since).toBeUndefined()
  expect([shown.over('a', 0), shown.over('a', 30_000)]).toEqual([undefined, 1_035_000])
  clock.advance(25_000)
  expect(shown.seen('a', 30_000)).toEqual({ since: 1_030_000, until: 1_035_000 })
  clock.advance(4_999)
  expect(shown.seen('a', 30_000)?.since).toBe(1_030_000)
  clock.advance(1)
  expect([shown.seen('a', 30_000), shown.over('a', 30_000)]).toEqual([undefined, undefined])
  shown.began('a', clock.now())
  shown.forget('a')
  expect(shown.seen('a', 0)?.since).toBeUndefined()
  // The hub's own time of the hold is told, though it is heard of later.
  shown.began('a', clock.now() - 2)
  expect(shown.seen('a', 30)?.since).toBeUndefined()
  clock.advance(30)
  expect(shown.seen('a', 30)?.since).toBe(clock.now() - 2)
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
    shown.ended('a')
    expect(shown.seen('a', delay)?.since).toBeUndefined()
    clock.advance(25_000)
    expect(shown.seen('a', delay)?.since).toBe(clock.now())
    clock.advance(4_999)
    expect(shown.seen('a', delay)?.since).toBe(clock.now() - 4_999)
    clock.set(-by)
    clock.advance(1)
    expect(shown.seen('a', delay)?.since).toBeUndefined()
    for (let minute = 0; minute < 130; minute++) {
      clock.advance(60_000)
      expect(shown.seen('a', delay)?.since).toBeUndefined()
    }
  },
)
