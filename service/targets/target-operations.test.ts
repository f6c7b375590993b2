import { expect, it } from 'vitest'
import { needsOf } from './target-operations.ts'

it('counts the push for each target that it goes to or that tries again, and the rest of a push that is over', () => {
  const all = [
    { state: 'sending', kbps: 310 },
    { state: 'retrying', kbps: 0 },
    { state: 'stopped', kbps: 0 },
  ] as const
  expect(needsOf(3_000, all)).toBe(6_000)
  expect(needsOf(0, all)).toBe(0)
  expect(needsOf(undefined, all)).toBe(310)
})
