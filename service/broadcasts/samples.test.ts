import { expect, it } from 'vitest'
import type { IngestFigures } from '../../contract/local-events.ts'
import { createSamples, firstSample, type Sample } from './samples.ts'

const figures = (viewers: number, kbps?: number): IngestFigures => ({
  viewers,
  droppedForReaders: 0,
  ...(kbps !== undefined && { kbps, millifps: 10 * kbps, keyFrameGap: kbps, audioGap: viewers }),
})
const sum = (samples: readonly Sample[], of: keyof Sample): number => samples.reduce((all, each) => all + each[of], 0)

it('a sample has the sums, the lowest and the highest of its 10 s', () => {
  const samples = createSamples(100)
  for (let second = 0; second < 12; second++) samples.measure(second * 1000, figures(second, second === 3 ? 100 : 400))
  samples.measure(12_000, figures(2))
  expect(samples.unstored()).toMatchObject({
    isAll: false,
    samples: [
      {
        at: 0,
        measured: 10,
        known: 10,
        viewers: 45,
        peak: 9,
        kbps: 3700,
        kbpsLow: 100,
        millifps: 37_000,
        keyFrameGap: 400,
        audioGap: 9,
      },
      { at: 10_000, measured: 3, known: 2, viewers: 23, peak: 11, kbps: 800, kbpsLow: 400, millifpsLow: 4000 },
    ],
  })
})

it('what is stored is not given again, but for a sample that was measured further', () => {
  const samples = createSamples(100)
  for (let second = 0; second < 25; second++) samples.measure(second * 1000, figures(1, 400))
  const given = samples.unstored()
  samples.measure(25_000, figures(1, 400))
  samples.stored(given)
  expect(samples.unstored()).toMatchObject({ isAll: false, samples: [{ at: 20_000, measured: 6 }] })
  samples.stored(samples.unstored())
  expect(samples.unstored().samples).toEqual([])
})

it('a long broadcast has no more samples than there may be, and they lose nothing of its sums', () => {
  const samples = createSamples(50)
  const hours = 6 * 3600
  for (let second = 0; second < hours; second++) {
    samples.measure(second * 1000, figures(second % 7, 400))
    if (second % 10 === 0) samples.stored(samples.unstored())
    expect(samples.unstored().samples.length).toBeLessThanOrEqual(50)
  }
  const again = createSamples(50)
  for (let second = 0; second < hours; second++) again.measure(second * 1000, figures(second % 7, 400))
  const all = again.unstored()
  expect([all.isAll, sum(all.samples, 'measured'), sum(all.samples, 'kbps')]).toEqual([true, hours, hours * 400])
  expect(all.samples.length).toBeGreaterThan(20)
  // What is there is replaced, until that is stored; what was made coarser meanwhile too.
  again.stored(all)
  expect(again.unstored()).toMatchObject({ isAll: false, samples: [] })
})

it('samples of before a pause stay, and the pause is one', () => {
  const before = createSamples(100)
  for (let second = 0; second < 20; second++) before.measure(second * 1000, figures(3, 400))
  const after = createSamples(100)
  after.measure(90_000, figures(5, 300))
  after.follow(before.unstored().samples)
  expect(after.unstored()).toMatchObject({ isAll: false, samples: [{ at: 90_000, viewers: 5 }] })
  const coarse = createSamples(2)
  coarse.measure(90_000, figures(5, 300))
  coarse.follow(before.unstored().samples)
  expect(coarse.unstored()).toMatchObject({
    isAll: true,
    samples: [
      { at: 0, measured: 20 },
      { at: 90_000, measured: 1 },
    ],
  })
})

it('times ascend also when the clock is set back', () => {
  const samples = createSamples(100)
  for (const at of [100_000, 100_000 + firstSample, 50_000, 60_000]) samples.measure(at, figures(1, 400))
  expect(samples.unstored().samples.map(({ at, measured }) => [at, measured])).toEqual([
    [100_000, 1],
    [110_000, 3],
  ])
})
