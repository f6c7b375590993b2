import { spawnSync } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { expect } from 'vitest'

/** Time of the work below on the reference machine under load, in ms. */
const usual = 60
const rounds = 300_000
/** Time of starting Node.js there, in ms. */
const usualLaunch = 50

/** How many times slower this machine is now than the reference; at least 1. */
export function machinePace(): number {
  const begun = performance.now()
  pbkdf2Sync('pace', 'of this machine', rounds, 32, 'sha256')
  return Math.max(1, (performance.now() - begun) / usual)
}

/** How many times slower programs start, which depends on pages and files more than on the processor; at least 1. */
export function launchPace(): number {
  const begun = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return Math.max(machinePace(), (performance.now() - begun) / usualLaunch)
}

/** Expects `act` within `ms`, scaled by the pace of this machine. */
export async function promised<T>(ms: number, act: () => Promise<T>): Promise<T> {
  const before = machinePace()
  const begun = performance.now()
  const result = await act()
  const took = performance.now() - begun
  expect(took).toBeLessThan(ms * Math.max(before, machinePace()))
  return result
}
