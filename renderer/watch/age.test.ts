import { expect, it } from 'vitest'
import type { WatchState } from '../../contract/watch.ts'
import { createAge } from './age.ts'

/** A page whose clock is `ahead` of the service's by so many ms, and that asks over a line with these delays. */
function made(ahead: number) {
  let real = 1_000_000
  const age = createAge(() => real + ahead)
  const ask = (up: number, down: number, newest: WatchState['newest']): void => {
    const asked = real + ahead
    const time = (real += up)
    real += down
    age.answered({ title: '', live: true, disabled: false, viewers: 1, time, ...(newest && { newest }) }, asked)
  }
  return { age, ask, pass: (ms: number) => (real += ms), real: () => real }
}

it('counts from the arrival at the service, by its clock, with the delay of the channel', () => {
  const { age, ask, pass, real } = made(-3_600_000)
  expect(age.of({ date: 1_000_000 })).toBeUndefined()
  ask(20, 20, { timestamp: 50_000, sent: real(), delay: 30_000 })
  const sent = 1_000_000
  pass(2_000)
  // 2.04 s after it was sent, which was 30 s after it came.
  expect(age.of({ timestamp: 50_000 })).toBeCloseTo(32.04, 1)
  expect(age.of({ timestamp: 49_000 })).toBeCloseTo(33.04, 1)
  expect(age.of({ date: sent })).toBeCloseTo(32.04, 1)
  expect(age.delay()).toBe(30)
})

it('is not made too low by answers that wait behind the picture on a slow line', () => {
  const { age, ask, real } = made(500)
  ask(10, 10, { timestamp: 0, sent: real(), delay: 0 })
  for (let each = 0; each < 5; each++) ask(10, 6_000, { timestamp: 0, sent: 1_000_000, delay: 0 })
  expect(age.of({ timestamp: 0 })).toBeCloseTo((real() - 1_000_000) / 1000, 1)
})

it('begins anew when a clock was set, or stood still with the computer', () => {
  const { age, ask, real } = made(0)
  ask(10, 10, { timestamp: 0, sent: real(), delay: 0 })
  const later = made(0)
  later.ask(5, 5, undefined)
  age.answered(
    {
      title: '',
      live: true,
      disabled: false,
      viewers: 1,
      time: real() + 7_200_000,
      newest: { timestamp: 0, sent: real() + 7_200_000, delay: 0 },
    },
    real() - 10,
  )
  expect(age.of({ timestamp: 0 })).toBeLessThan(0.1)
})

it('says nothing while nothing was sent', () => {
  const { age, ask } = made(0)
  ask(10, 10, undefined)
  expect(age.of({ date: 1 })).toBeUndefined()
  expect(age.of(undefined)).toBeUndefined()
})

it('says nothing while the clocks may differ by more than that, as after a first answer that waited', () => {
  const { age, ask, pass, real } = made(0)
  const sent = real()
  // The page was busy with its start when the answer came.
  ask(5, 1_000, { timestamp: 0, sent, delay: 0 })
  // Shown 0.2 s after it was sent.
  expect(age.of({ timestamp: real() - sent - 200 })).toBeUndefined()
  expect(age.of({ timestamp: real() - sent - 3_000 })).toBeCloseTo(2.5, 1)
  pass(1_000)
  ask(5, 5, { timestamp: real() - sent, sent: real(), delay: 0 })
  expect(age.of({ timestamp: real() - sent - 200 })).toBeCloseTo(0.2, 1)
})
