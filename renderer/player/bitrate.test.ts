import { expect, it } from 'vitest'
import { createBitrate } from './bitrate.ts'

it('is the mean over several GOPs, not of the second that had the key frame', () => {
  const bitrate = createBitrate()
  for (let second = 0; second < 20; second++) bitrate.report(second % 2 === 0 ? 4_000 : 1_000, second * 1_000)
  expect(bitrate.kbps).toBe(2_500)
})

it('does not count what lay ready for a player that opens', () => {
  const bitrate = createBitrate()
  expect(bitrate.kbps).toBeNull()
  bitrate.report(12_000, 100_000)
  bitrate.report(9_000, 101_200)
  expect(bitrate.kbps).toBeNull()
  bitrate.report(2_500, 102_400)
  expect(bitrate.kbps).toBe(2_500)
})

it('is 0 as soon as nothing comes any more', () => {
  const bitrate = createBitrate()
  for (let second = 0; second < 10; second++) bitrate.report(2_500, second * 1_000)
  bitrate.report(0, 10_000)
  expect(bitrate.kbps).toBe(0)
})

it('does not count what was missed in a silence and comes all at once', () => {
  const bitrate = createBitrate()
  for (let second = 0; second < 10; second++) bitrate.report(2_500, second * 1_000)
  for (let second = 10; second < 18; second++) bitrate.report(0, second * 1_000)
  for (const [kbps, at] of [
    [14_000, 18_000],
    [9_000, 19_000],
  ] as const) {
    bitrate.report(kbps, at)
    expect(bitrate.kbps).toBeNull()
  }
  bitrate.report(2_500, 20_000)
  expect(bitrate.kbps).toBe(2_500)
})

it('counts from the second after the begin, and the last six seconds alone', () => {
  const bitrate = createBitrate()
  bitrate.report(9_000, 0)
  bitrate.report(9_000, 1_999)
  expect(bitrate.kbps).toBeNull()
  bitrate.report(1_000, 2_000)
  expect(bitrate.kbps).toBe(1_000)
  bitrate.report(3_000, 7_999)
  expect(bitrate.kbps).toBe(2_000)
  bitrate.report(5_000, 8_000)
  expect(bitrate.kbps).toBe(4_000)
})

it('is not 0 before anything came', () => {
  const bitrate = createBitrate()
  bitrate.report(0, 0)
  expect(bitrate.kbps).toBeNull()
})
