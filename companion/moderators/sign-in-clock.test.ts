import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createSignInDelay } from './sign-in-delay.ts'

it('who failed waits as long as they had to, and no longer when the clock of the computer is set', () => {
  const clock = manualClock()
  const delay = createSignInDelay(clock)
  for (let failure = 0; failure < 5; failure++) delay.failed('a', 'ann')
  expect(delay.left('a', 'ann')).toBe(4_000)
  clock.set(-86_400_000)
  expect(delay.left('a', 'ann')).toBe(4_000)
  clock.set(2 * 86_400_000)
  expect(delay.left('a', 'ann')).toBe(4_000)
  clock.advance(3_999)
  expect(delay.left('a', 'ann')).toBe(1)
  clock.advance(1)
  expect(delay.left('a', 'ann')).toBe(0)
})
