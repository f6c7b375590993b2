import { describe, expect, it } from 'vitest'
import type { SoundBlock } from './loudness.ts'
import { createSoundLevels } from './sound-levels.ts'

const block = (...peaks: number[]): SoundBlock => ({
  channels: peaks.map((peak) => ({ peak, square: (peak * peak) / 2 })),
  weighted: 0.5,
})
const after = (...blocks: readonly (readonly [count: number, block: SoundBlock])[]) => {
  const levels = createSoundLevels()
  for (const [count, each] of blocks) for (let index = 0; index < count; index++) levels.add(each)
  return levels.now()
}

describe('levels of the last seconds', () => {
  it('are not known before 400 ms, and loudness not before 3 s', () => {
    expect(after([7, block(0.1, 0.1)])).toBeNull()
    expect(after([8, block(0.1, 0.1)])).toMatchObject({ loudness: null, isSilent: false })
    expect(after([59, block(0.1, 0.1)])!.loudness).toBeNull()
    expect(after([60, block(0.1, 0.1)])!.loudness).toBeCloseTo(-3.7, 1)
  })

  it('hold the peak for 2 s, and the mean for 400 ms', () => {
    const quiet = block(0.01, 0.01)
    expect(after([60, quiet], [1, block(0.5, 0.5)], [39, quiet])!.peak).toBeCloseTo(-6.02, 2)
    expect(after([60, quiet], [1, block(0.5, 0.5)], [40, quiet])!.peak).toBeCloseTo(-40, 2)
    expect(after([8, block(1, 1)], [7, quiet])!.mean).toBeCloseTo(-9, 1)
    expect(after([8, block(1, 1)], [8, quiet])!.mean).toBeCloseTo(-40, 2)
  })

  it('say silence after 3 s below −60 dB, and not a moment after a sound', () => {
    const still = block(0.0009, 0.0009)
    expect(after([59, still])!.isSilent).toBe(false)
    expect(after([60, still])!.isSilent).toBe(true)
    expect(after([60, still], [1, block(0.0011, 0)])!.isSilent).toBe(false)
    expect(after([60, block(0, 0)])).toMatchObject({ isSilent: true, mean: -Infinity, peak: -Infinity })
  })

  it('say clipping while a sample of the last 2 s is at full scale, in the quieter channel too', () => {
    const loud = block(0.9, 0.9)
    expect(after([60, block(0.988, 0.9)])!.isClipping).toBe(false)
    for (const full of [0.989, 1, 1.2]) {
      expect(after([60, loud], [1, block(0.1, full)], [39, loud])!.isClipping).toBe(true)
      expect(after([60, loud], [1, block(0.1, full)], [40, loud])!.isClipping).toBe(false)
    }
  })

  it('show one channel in both bars, and of surround the loudest of each side without LFE', () => {
    expect(after([8, block(0.1)])!.bars.map(({ peak }) => Math.round(peak))).toEqual([-20, -20])
    const bars = (...peaks: number[]) => after([8, block(...peaks)])!.bars.map(({ peak }) => Math.round(peak))
    expect(bars(0.1, 0.01, 0, 0)).toEqual([-20, -40])
    expect(bars(0.01, 0.01, 0.1, 0)).toEqual([-20, -40])
    expect(bars(0.1, 0.01, 0.001, 1, 0.001, 0.1)).toEqual([-20, -20])
    expect(bars(0.01, 0.01, 0.1, 1, 0.001, 0.001)).toEqual([-20, -20])
  })

  it('begin anew with another number of channels, and when they are cleared', () => {
    expect(after([60, block(0.1)], [7, block(0.1, 0.1)])).toBeNull()
    const levels = createSoundLevels()
    for (let index = 0; index < 60; index++) levels.add(block(1))
    levels.clear()
    expect(levels.now()).toBeNull()
  })
})
