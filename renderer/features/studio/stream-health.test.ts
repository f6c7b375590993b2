import { describe, expect, it } from 'vitest'
import type { Figures } from '../../../contract/rpc/state.ts'
import {
  type HealthReading,
  judgeReading,
  judgeStream,
  measuredRates,
  steadyRate,
  type StreamHealth,
  usualRate,
} from './stream-health.ts'

const figures: Figures = {
  kbps: 6_000,
  fps: 60,
  keyFrameGap: 2_000,
  keyFrameGapMax: 2_000,
  kbpsDeviation: 300,
  fpsDeclared: 60,
  drift: 40,
  audioGap: 24,
  width: 1920,
  height: 1080,
  videoCodec: 'H.264 High 4.2',
  audioCodec: 'AAC-LC',
  sampleRate: 48_000,
  audioChannels: 2,
  encoder: null,
  viewers: 3,
}
const reading = (change: Partial<Figures> = {}, more: Partial<HealthReading> = {}): HealthReading => ({
  local: true,
  live: true,
  lost: false,
  ofNode: false,
  since: 0,
  returned: null,
  figures: { ...figures, ...change },
  fpsUsual: null,
  ...more,
})

describe('one reading', () => {
  it.each<[string, Partial<Figures>, string, string | null, number | null]>([
    ['all in range', {}, 'good', null, null],
    ['nothing comes', { kbps: 0, fps: 0, drift: 6_000 }, 'poor', 'silent', 0],
    ['media time a little behind', { drift: 1_600 }, 'fair', 'behind', 1.6],
    ['media time far behind, which loses frames too', { drift: 5_000, fps: 20, kbps: 90 }, 'poor', 'behind', 5],
    ['media time far ahead', { drift: -40_000 }, 'poor', 'ahead', 40],
    ['a fifth of the frames lost', { fps: 48 }, 'fair', 'frames', 48],
    ['half of the frames lost', { fps: 30 }, 'poor', 'frames', 30],
    ['few frames, as declared', { fps: 12, fpsDeclared: 12 }, 'fair', 'frames', 12],
    ['few frames, none declared', { fps: 12, fpsDeclared: null }, 'fair', 'frames', 12],
    ['no sound', { audioCodec: null, audioGap: null }, 'fair', 'soundMissing', 0],
    ['a hole in the sound', { audioGap: 1_500 }, 'fair', 'soundGaps', 1.5],
    ['sound that is gone', { audioGap: 8_000 }, 'poor', 'soundGaps', 8],
    ['8 s between key frames', { keyFrameGapMax: 8_000 }, 'fair', 'keyFrames', 8],
    ['20 s between key frames', { keyFrameGapMax: 20_000 }, 'poor', 'keyFrames', 20],
    ['a low bitrate', { kbps: 200, kbpsDeviation: 10 }, 'fair', 'bitrate', 200],
    ['an uneven bitrate', { kbpsDeviation: 4_200 }, 'fair', 'uneven', 70],
    ['the worst before the first', { drift: 2_000, audioGap: 5_000 }, 'poor', 'soundGaps', 5],
    ['the first of two as bad', { keyFrameGapMax: 8_000, fps: 48 }, 'fair', 'frames', 48],
    [
      'sound alone',
      { fps: null, videoCodec: null, kbps: 96, kbpsDeviation: null, keyFrameGapMax: null },
      'good',
      null,
      null,
    ],
    ['figures that are not known', { kbps: null }, 'unknown', 'measuring', null],
  ])('%s', (_what, change, word, cause, value) => {
    const judged = judgeReading(reading(change), 60_000)
    expect(judged).toMatchObject({ word, cause })
    if (value === null) expect(judged.value).toBeNull()
    else expect(judged.value).toBeCloseTo(value)
  })

  it('is unknown for a hosted profile, without a push and in its first seconds', () => {
    expect(judgeReading(reading({}, { local: false }), 60_000)).toMatchObject({ word: 'unknown', cause: 'notGiven' })
    expect(judgeReading(reading({}, { live: false }), 60_000)).toMatchObject({ word: 'unknown', cause: 'idle' })
    expect(judgeReading(reading({}, { live: false, lost: true }), 60_000)).toMatchObject({
      word: 'lost',
      cause: 'lost',
    })
    expect(judgeReading(reading({}, { live: false, lost: true, ofNode: true }), 60_000)).toMatchObject({
      word: 'lost',
      cause: 'node',
    })
    expect(judgeReading(reading({}, { since: 58_000 }), 60_000)).toMatchObject({ word: 'unknown', cause: 'measuring' })
    expect(judgeReading(reading({}, { figures: null }), 60_000)).toMatchObject({ word: 'unknown', cause: 'measuring' })
  })

  it('holds frames against the usual rate where none is declared', () => {
    expect(judgeReading(reading({ fps: 30, fpsDeclared: null }, { fpsUsual: 60 }), 60_000)).toMatchObject({
      word: 'poor',
      cause: 'frames',
    })
    expect(usualRate([1, 2])).toBeNull()
    expect(usualRate([...Array.from({ length: 8 }, () => 20), ...Array.from({ length: 2 }, () => 60)])).toBe(60)
  })
})

describe('the steady rate of a push', () => {
  it.each<[string, number | null, number[], number | null]>([
    ['is what the encoder declares', 59.94, [24, 27, 30], 60],
    ['is not known too early', null, [24, 24, 24], null],
    ['is the common rate beside what most seconds have', null, [24.5, 24, 27, 23.5, 24, 0, 24, 24, 23.5, 24.5], 24],
    ['of film is 24', null, Array.from({ length: 20 }, () => 23.976), 24],
    ['of television is 25', null, Array.from({ length: 20 }, (_, second) => 25 + (second % 3) * 0.5 - 0.5), 25],
    ['is a rare one where it is', null, Array.from({ length: 20 }, () => 36.2), 36],
  ])('%s', (_what, declared, rates, rate) => {
    expect(steadyRate(declared, rates)).toBe(rate)
  })

  it('is measured of this push alone', () => {
    expect(
      measuredRates(
        [1, 2, 3].map((at) => ({ at, figures: { fps: at === 3 ? null : at * 10 } })),
        2,
      ),
    ).toEqual([20])
  })
})

describe('the word in force', () => {
  /** Words second by second while drift is as given, in s. */
  const through = (drifts: readonly number[]): string[] => {
    let health: StreamHealth | null = null
    return drifts.map((drift, second) => {
      health = judgeStream(health, reading({ drift: drift * 1_000 }), 60_000 + second * 1_000)
      return health.word
    })
  }
  const repeat = (count: number, value: number): number[] => Array.from({ length: count }, () => value)

  it('gets worse after 3 s and better after 10 s', () => {
    expect(through([0, ...repeat(5, 5)])).toEqual(['good', 'good', 'good', 'good', 'poor', 'poor'])
    expect(through([5, ...repeat(12, 0)])).toEqual([...repeat(11, 0).map(() => 'poor'), 'good', 'good'])
  })

  it('does not flicker on readings that go to and fro, nor around a limit', () => {
    expect(new Set(through(Array.from({ length: 60 }, (_, second) => (second % 2 === 0 ? 0 : 5))))).toEqual(
      new Set(['good']),
    )
    const fair = through([
      0,
      ...repeat(4, 1.6),
      ...Array.from({ length: 60 }, (_, second) => (second % 2 === 0 ? 1.45 : 1.55)),
    ])
    expect(fair.slice(4)).toEqual(fair.slice(4).map(() => 'fair'))
  })

  it.each([
    { declared: 30, lost: 24, most: 29.8 },
    { declared: 15, lost: 12, most: 14.9 },
    { declared: null, lost: 12, most: 14.9 },
  ])(
    'is over when nearly all frames come again, as they do from any encoder: $declared frames',
    ({ declared, lost, most }) => {
      let health: StreamHealth | null = null
      let at = 60_000
      const after = (seconds: number, fps: number): string | undefined => {
        for (const end = at + seconds * 1_000; at < end; at += 1_000)
          health = judgeStream(health, reading({ fps, fpsDeclared: declared }), at)
        return health?.word
      }
      expect(after(1, most)).toBe('good')
      expect(after(5, lost)).toBe('fair')
      expect(after(12, most)).toBe('good')
    },
  )

  it('has the figure of the same moment as the cells, also while it waits for a better word', () => {
    let health: StreamHealth | null = judgeStream(null, reading({ fps: 12, fpsDeclared: 15 }), 60_000)
    expect(health).toMatchObject({ word: 'fair', cause: 'frames', value: 12 })
    health = judgeStream(health, reading({ fps: 14.9, fpsDeclared: 15 }), 61_000)
    expect(health).toMatchObject({ word: 'fair', cause: 'frames', value: 14.9 })
  })

  it('waits as long for readings that are worse in different ways', () => {
    let health: StreamHealth | null = judgeStream(null, reading(), 60_000)
    for (const [second, change] of [{ drift: 2_000 }, { fps: 20 }, { drift: 2_000 }, { fps: 20 }].entries())
      health = judgeStream(health, reading(change), 61_000 + second * 1_000)
    expect(health).toMatchObject({ word: 'poor', cause: 'frames', next: null })
  })

  it('is not that nothing arrives once something does, nor what was measured over the silence', () => {
    let health: StreamHealth | null = judgeStream(null, reading(), 60_000)
    const words = (count: number, change: Partial<Figures>, from: number): string[] =>
      Array.from({ length: count }, (_, second) => {
        health = judgeStream(health, reading(change), from + second * 1_000)
        return health.cause ?? health.word
      })
    // At once: a bitrate of 0 is in no range.
    expect(words(8, { kbps: 0, fps: 0, drift: 8_000 }, 61_000)).toEqual(Array.from({ length: 8 }, () => 'silent'))
    expect(words(5, { kbps: 9_000, fps: 20, drift: 5_000 }, 69_000)).toEqual(
      Array.from({ length: 5 }, () => 'settling'),
    )
    expect(words(1, {}, 74_000)).toEqual(['good'])
    // A short one too.
    expect(words(1, { kbps: 0, fps: 0 }, 77_000)).toEqual(['silent'])
    expect(words(2, { fps: 20 }, 78_000)).toEqual(['settling', 'settling'])
    // And again, before it has settled.
    expect(words(1, { kbps: 0, fps: 0 }, 80_000)).toEqual(['silent'])
  })

  it('is unknown at once when the push ends', () => {
    const lost = judgeStream(judgeStream(null, reading(), 60_000), reading({}, { live: false, lost: true }), 61_000)
    expect(lost).toMatchObject({ word: 'lost', cause: 'lost' })
    expect(judgeStream(lost, reading(), 62_000)).toMatchObject({ word: 'good', cause: null })
    expect(judgeStream(judgeStream(null, reading(), 60_000), reading({}, { live: false }), 61_000)).toMatchObject({
      word: 'unknown',
      cause: 'idle',
    })
  })
})
