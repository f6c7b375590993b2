import { spawnSync } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { expect } from 'vitest'

/** What the work below takes on the machine that the promises of time were made on, in ms, when other work runs beside it. */
const usual = 60
const rounds = 300_000
/** What starting Node.js takes there, in ms. */
const usualLaunch = 50

/** How many times slower this machine is at this moment than the one that promises of time were made on; 1 when it is not. */
export function machinePace(): number {
  const begun = performance.now()
  pbkdf2Sync('pace', 'of this machine', rounds, 32, 'sha256')
  return Math.max(1, (performance.now() - begun) / usual)
}

/** How many times slower programs start at this moment than there, which is more a matter of pages and files than of the processor; 1 when they do not. */
export function launchPace(): number {
  const begun = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return Math.max(machinePace(), (performance.now() - begun) / usualLaunch)
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
