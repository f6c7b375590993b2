import { expect } from 'playwright/test'

/** Rounds of the measured work, and how long they take on the machine that the promised times were set on, in ms. */
const rounds = 2e8
const reference = 320

/** How many times slower than that machine this one is now, with all that runs on it; at least 1. */
function slowness(): number {
  const began = performance.now()
  let state = 1
  for (let round = 0; round < rounds; round++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
  }
  if (state === 0) throw new Error('the measured work was not done')
  return Math.max(1, (performance.now() - began) / reference)
}

/** By how much a promised time is stretched now: not at all on the machine it was set for, more than in proportion on slower ones, since many processes share in it. */
export const allowance = (): number => 1 + 2 * (slowness() - 1)

/** Fails when something took longer than promised, in ms; how slow the machine is at that moment counts for it. */
export function expectWithin(took: number, promised: number): void {
  if (took <= promised) return
  const stretched = allowance()
  expect(
    took,
    `promised within ${promised} ms, stretched ${stretched.toFixed(1)} times on this machine`,
  ).toBeLessThanOrEqual(promised * stretched)
}
