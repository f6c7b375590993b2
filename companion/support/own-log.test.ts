import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createKnownSecrets } from './known-secrets.ts'
import { createOwnLog } from './own-log.ts'

it('writes each line as it is, and keeps it with its time and without known secrets', () => {
  const known = createKnownSecrets()
  known.note('canary-7f3a')
  const written: string[] = []
  const clock = manualClock(Date.UTC(2026, 10, 27, 5, 6, 7, 8))
  const own = createOwnLog(known, clock, (line) => written.push(line))
  own.log('first')
  clock.advance(1_000)
  own.log('second with canary-7f3a')
  expect(written).toEqual(['first', 'second with canary-7f3a'])
  const [first, second] = own.lines()
  expect(first).toBe('2026-11-27T05:06:07.008Z first')
  expect(second).toMatch(/^2026-11-27T05:06:08\.008Z second with /)
  expect(second).not.toContain('canary-7f3a')
})
