import { expect, it } from 'vitest'
import { createAgeClock } from './age-clock.ts'

const [hour, day] = [3600_000, 24 * 3600_000]
const start = Date.parse('2026-11-12T10:00:00Z')
const rig = () => {
  let [offset, passed] = [0, 5000]
  const age = createAgeClock({ now: () => start + passed - 5000 + offset, monotonic: () => passed })
  return {
    /** The time after `ms` more with the clock off by `wrong`, relative to the right time. */
    after(ms: number, wrong: number): number {
      passed += ms
      offset = wrong
      return age() - (start + passed - 5000)
    },
  }
}

it('is the clock while that goes on as time passes', () => {
  const { after } = rig()
  for (let count = 0; count < 50; count++) expect(after(hour, count * 1000)).toBe(count * 1000)
})

it('goes on by itself while the clock is ahead, and when it is right again', () => {
  const { after } = rig()
  expect(after(hour, 30 * day)).toBe(0)
  expect(after(hour, 30 * day)).toBe(0)
  expect(after(hour, 0)).toBe(0)
  for (let count = 0; count < 30; count++) {
    expect(after(3 * hour, (count % 5) * 100 * day)).toBe(0)
    expect(after(3 * hour, 0)).toBe(0)
  }
})

it('tells whole ms, though time passes in fractions', () => {
  let [time, passed] = [start, 5000.25]
  const age = createAgeClock({ now: () => time, monotonic: () => passed })
  time += 30 * day
  passed += hour + 0.5
  expect(age()).toBe(start + hour + 1)
})

it('follows a clock that is set back at once, and what sets it right after a day', () => {
  const { after } = rig()
  const back = Date.parse('2000-01-01T00:00:00Z') - start
  expect(after(hour, back)).toBe(back)
  for (let count = 0; count < 24; count++) expect(after(hour, 0)).toBe(back)
  expect(after(hour, 0)).toBe(0)
})

it('believes a clock that stays ahead after a day of running, not one that jumps on', () => {
  const { after } = rig()
  for (let count = 0; count < 24; count++) expect(after(hour, 30 * day)).toBe(0)
  expect(after(hour, 30 * day)).toBe(30 * day)
  for (let count = 0; count < 100; count++) expect(after(hour, (31 + count) * day)).toBe(30 * day)
})
