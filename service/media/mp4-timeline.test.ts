import { describe, expect, it } from 'vitest'
import { createAudioTimeline, createVideoTimeline } from './mp4-timeline.ts'
import type { Mp4Sample } from './mp4-fragment.ts'

const data = Buffer.from([1])

/** Pushes frames at these times (ms) and collects all samples. */
function collect(timeline: ReturnType<typeof createAudioTimeline>, times: readonly number[]): Mp4Sample[] {
  const samples = times.map((at) => timeline.push(data, at)).filter((sample) => sample !== undefined)
  const last = timeline.flush()
  return last ? [...samples, last] : samples
}

const continuous = (samples: readonly Mp4Sample[]): boolean =>
  samples.every(
    (sample, index) =>
      index === 0 || samples[index - 1]!.decodeTime + samples[index - 1]!.duration === sample.decodeTime,
  )

describe('createAudioTimeline', () => {
  it('does not drift over six hours of whole milliseconds', () => {
    const frames = Math.floor((6 * 3600 * 44_100) / 1024)
    const samples = collect(
      createAudioTimeline(44_100),
      Array.from({ length: frames }, (_, index) => Math.round((index * 1024_000) / 44_100)),
    )
    expect(samples).toHaveLength(frames)
    expect(new Set(samples.map(({ duration }) => duration))).toEqual(new Set([1024]))
    expect(samples.at(-1)!.decodeTime).toBe((frames - 1) * 1024)
  })

  it('follows a clock that is off by 0.1 % without a jump', () => {
    for (const factor of [1.001, 0.999]) {
      const times = Array.from({ length: 20_000 }, (_, index) => Math.round((index * 1024 * factor) / 48))
      const samples = collect(createAudioTimeline(48_000), times)
      expect(samples).toHaveLength(times.length)
      expect(continuous(samples)).toBe(true)
      for (const { duration } of samples) expect(Math.abs(duration - 1024)).toBeLessThanOrEqual(16)
      expect(Math.abs(samples.at(-1)!.decodeTime / 48 - times.at(-1)!)).toBeLessThan(40)
    }
  })

  it('keeps a gap and drops a surplus', () => {
    const gap = collect(createAudioTimeline(48_000), [0, 21, 1021, 1043])
    expect(gap.map(({ decodeTime }) => decodeTime)).toEqual([0, 1024, 49_008, 50_032])
    const surplus = collect(
      createAudioTimeline(48_000),
      Array.from({ length: 100 }, () => 0),
    )
    expect(surplus.length).toBeLessThan(12)
    expect(continuous(surplus)).toBe(true)
  })
})

describe('createVideoTimeline', () => {
  it('adds up, and gives the last frame the length of the one before', () => {
    const samples = collect(createVideoTimeline(), [0, 33, 67, 100])
    expect(samples.map(({ duration }) => duration)).toEqual([2970, 3060, 2970, 2970])
    expect(continuous(samples)).toBe(true)
  })

  it('keeps the order of frames in the same millisecond', () => {
    const samples = collect(createVideoTimeline(), [5, 5, 5, 6])
    expect(samples.map(({ decodeTime }) => decodeTime)).toEqual([450, 451, 452, 540])
  })

  it('ends the held frame where it is told to', () => {
    const timeline = createVideoTimeline()
    timeline.push(data, 10, { sync: true, offset: 80 })
    expect(timeline.held).toMatchObject({ at: 10, sync: true })
    expect(timeline.flush(110)).toMatchObject({ decodeTime: 900, duration: 9000, compositionOffset: 7200, sync: true })
    expect(timeline.flush()).toBeUndefined()
  })
})
