import { expect, it } from 'vitest'
import { createTokenBucket } from './token-bucket.ts'
import { manualClock } from './testing/manual-clock.ts'

const bucket = (rate = { perSecond: 4, atOnce: 10 }) => {
  const clock = manualClock()
  return { clock, ...createTokenBucket(clock, rate) }
}

it('is full at first: there is no wait until everything is spent', () => {
  const { spend, wait } = bucket()
  expect(wait()).toBe(0)
  spend(9)
  expect(wait()).toBe(0)
  spend(1)
  expect(wait()).toBe(250)
})

it('is filled by its rate with the time that passes', () => {
  const { clock, spend, wait } = bucket()
  spend(10)
  clock.advance(249)
  expect(wait()).toBe(0)
  spend(1)
  clock.advance(1_000)
  for (let times = 0; times < 4; times++) {
    expect(wait()).toBe(0)
    spend(1)
  }
  expect(wait()).toBeGreaterThan(0)
})

it('holds no more than at first, however long nothing is spent', () => {
  const { clock, spend, wait } = bucket()
  clock.advance(3_600_000)
  spend(10)
  expect(wait()).toBe(250)
})

it('may be overdrawn, for which there is a longer wait', () => {
  const { clock, spend, wait } = bucket()
  spend(14)
  expect(wait()).toBe(1_250)
  clock.advance(1_000)
  expect(wait()).toBe(250)
  clock.advance(250)
  expect(wait()).toBe(0)
})

it('does not go by the clock of the computer, which somebody may set', () => {
  const { clock, spend, wait } = bucket()
  spend(10)
  clock.set(60_000)
  expect(wait()).toBe(250)
})
