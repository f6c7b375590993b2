import { pbkdf2Sync } from 'node:crypto'
import { expect } from 'vitest'

/** What the work below takes on the machine that the promises of time were made on, in ms, when other work runs beside it. */
const usual = 60
const rounds = 300_000

/** How many times slower this machine is at this moment than the one that promises of time were made on; 1 when it is not. */
export function machinePace(): number {
  const begun = performance.now()
  pbkdf2Sync('pace', 'of this machine', rounds, 32, 'sha256')
  return Math.max(1, (performance.now() - begun) / usual)
}

/** Expects that something takes less than was promised, in ms: a machine that is slower, or busy with other things, is given as much more. */
export async function promised<T>(ms: number, act: () => Promise<T>): Promise<T> {
  const before = machinePace()
  const begun = performance.now()
  const result = await act()
  const took = performance.now() - begun
  expect(took).toBeLessThan(ms * Math.max(before, machinePace()))
  return result
}
