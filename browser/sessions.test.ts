import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { manualClock } from '../platform/testing/manual-clock.ts'
import { createSessions } from './sessions.ts'

it('a link signs in once within its life, however the clock of the computer is set meanwhile', () => {
  const clock = manualClock()
  const sessions = createSessions({ clock, random: randomBytes })
  const day = 86_400_000
  const [first, second] = [sessions.mint(1_000), sessions.mint(1_000)]
  clock.advance(999)
  clock.set(day)
  const session = sessions.trade(first)
  expect(session !== undefined && sessions.knows(session)).toBe(true)
  expect(sessions.trade(first)).toBeUndefined()
  clock.advance(2)
  clock.set(-2 * day)
  expect(sessions.trade(second)).toBeUndefined()
})
