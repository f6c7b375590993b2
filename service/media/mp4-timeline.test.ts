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

describe('the length of a single frame', () => {
  it('is 40 ms of picture unless said otherwise, and at least one unit up to a time before it', () => {
    expect(collect(createVideoTimeline(), [0])).toMatchObject([{ duration: 3600 }])
    expect(collect(createVideoTimeline(20), [0])).toMatchObject([{ duration: 1800 }])
    const timeline = createVideoTimeline()
    timeline.push(data, 100)
    expect(timeline.flush(90)).toMatchObject({ decodeTime: 9000, duration: 1 })
  })

  it('is 1024 samples of sound, or those of a frame that was said to have more', () => {
    expect(collect(createAudioTimeline(48_000), [0])).toMatchObject([
      { duration: 1024, sync: true, compositionOffset: 0 },
    ])
    expect(collect(createAudioTimeline(44_100, 2048), [0, 46])).toMatchObject([{ duration: 2048 }, { duration: 2048 }])
  })
})

describe('the sound between two frames', () => {
  /** Pushes a frame at 1 s, then one that follows its end by these samples; durations and times of both. */
  const after = (samples: number): { readonly durations: number[]; readonly dropped: number } => {
    let dropped = 0
    const timeline = createAudioTimeline(48_000, 1024, () => dropped++)
    timeline.push(data, 1000)
    const at = 1000 + (1024 + samples) / 48
    const first = timeline.push(Buffer.from([2]), at)
    const last = timeline.flush()
    return { durations: [first, last].flatMap((one) => (one ? [one.duration] : [])), dropped }
  }

  it('is contiguous up to 15 ms of deviation, and corrected by a 64th of a frame beyond', () => {
    expect([after(0), after(720), after(-720)].map(({ durations }) => durations[0])).toEqual([1024, 1024, 1024])
    expect([after(721), after(-721)].map(({ durations }) => durations[0])).toEqual([1040, 1008])
  })

  it('is a gap beyond 150 ms, and a frame that comes more than 150 ms too early is dropped and reported', () => {
    expect(after(7200)).toEqual({ durations: [1040, 1024], dropped: 0 })
    expect(after(7201)).toEqual({ durations: [1024 + 7201, 1024], dropped: 0 })
    expect(after(-7200)).toEqual({ durations: [1008, 1024], dropped: 0 })
    expect(after(-7201)).toEqual({ durations: [1024], dropped: 1 })
  })

  it('keeps the frame before one that is dropped', () => {
    const timeline = createAudioTimeline(48_000)
    timeline.push(Buffer.from([1]), 1000)
    expect(timeline.push(Buffer.from([2]), 0)).toBeUndefined()
    expect(timeline.held).toMatchObject({ at: 1000, sync: true })
    expect(timeline.flush()).toEqual({
      data: Buffer.from([1]),
      decodeTime: 48_000,
      duration: 1024,
      compositionOffset: 0,
      sync: true,
    })
    expect([timeline.held, timeline.flush()]).toEqual([undefined, undefined])
  })

  it('never begins before 0, in picture neither', () => {
    expect(collect(createAudioTimeline(48_000), [-5])[0]!.decodeTime).toBe(0)
    expect(collect(createVideoTimeline(), [-5])[0]!.decodeTime).toBe(0)
  })
})

describe('a picture', () => {
  it('is no sync sample without a composition offset unless said so, and keeps a negative offset', () => {
    const timeline = createVideoTimeline()
    timeline.push(data, 0)
    expect(timeline.held).toMatchObject({ at: 0, sync: false })
    expect(timeline.push(data, 40, { offset: -40, sync: true })).toEqual({
      data,
      decodeTime: 0,
      duration: 3600,
      compositionOffset: 0,
      sync: false,
    })
    expect(timeline.flush()).toMatchObject({ compositionOffset: -3600, sync: true, duration: 3600 })
  })
})
