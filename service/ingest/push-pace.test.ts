import { expect, it } from 'vitest'
import { createPushPace, pushPace } from './push-pace.ts'

it('a channel begins 20 pushes at once, then one a second, and no other channel waits for it', () => {
  let now = 0
  const pace = createPushPace({ monotonic: () => now })
  let begun = 0
  while (pace.wait('a') === 0 && begun < 100) {
    pace.spend('a')
    begun++
  }
  expect(begun).toBe(20)
  expect([pace.wait('a') > 0, pace.wait('b')]).toEqual([true, 0])
  now += 1000
  expect(pace.wait('a')).toBe(0)
  pace.spend('a')
  expect(pace.wait('a')).toBeGreaterThan(0)
})

it('tidying forgets no channel before it may begin as many pushes at once as at first', () => {
  let now = 1
  const pace = createPushPace({ monotonic: () => now }, { perSecond: 1, atOnce: 2 })
  for (let each = 0; each < 3; each++) pace.spend('a')
  pace.tidy()
  expect(pace.wait('a')).toBeGreaterThan(0)
  now += 1000
  pace.spend('a')
  now += 1500
  // Its last push was less than 2 s ago.
  pace.tidy()
  pace.spend('a')
  expect(pace.wait('a')).toBeGreaterThan(0)
  now += 2001
  pace.tidy()
  expect(pace.wait('a')).toBe(0)
})

it('how long a channel waits is told in ms, and other channels never spend its rate', () => {
  let now = 5
  const pace = createPushPace({ monotonic: () => now }, { perSecond: 0.5, atOnce: 1 })
  expect([pushPace, pace.wait('a')]).toEqual([{ perSecond: 1, atOnce: 20 }, 0])
  pace.spend('a')
  for (let each = 0; each < 5; each++) pace.spend('b')
  expect(pace.wait('a')).toBe(2000)
  pace.spend('a')
  expect(pace.wait('a')).toBe(4000)
  now += 2000
  expect([pace.wait('a'), pace.wait('b')]).toEqual([2000, 8000])
  now += 1
  expect(pace.wait('a')).toBe(0)
})
