import { expect, it } from 'vitest'
import { requireEncoder } from '../hub/testing/fixture.ts'
import { killRounds } from './testing/kill-harness.ts'

await requireEncoder()

it('kill -9 while FLV and MP4 are recorded and files are merged: everything opens, at most the last second is missing, each is listed and called back once', async () => {
  // Fixed moments; `npm run soak:kill` takes 50 random ones.
  const moments = [0.21, 0.63, 0.05, 0.97, 0.48]
  let next = 0
  const report = await killRounds({ rounds: 3, random: () => moments[next++ % moments.length]! })
  report.remove()
  expect(report.faults).toEqual([])
  expect(report.torn).toBeGreaterThanOrEqual(5)
  expect(report.opened).toBeGreaterThanOrEqual(4)
  expect(report.listed).toBeGreaterThanOrEqual(4)
  expect(Math.max(...report.missing)).toBeLessThanOrEqual(1000)
}, 180_000)
