import { describe, expect, it } from 'vitest'
import type { Figures } from '../../../contract/rpc/state.ts'
import { healthCells, sparkline } from './health.ts'
import { judgeReading, judgeStream } from './stream-health.ts'

const figures: Figures = {
  kbps: 6_012,
  fps: 59.94,
  keyFrameGap: 2_000,
  keyFrameGapMax: 2_000,
  kbpsDeviation: 200,
  fpsDeclared: 59.94,
  drift: 20,
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
const reading = (now: Figures) => ({
  local: true,
  live: true,
  lost: false,
  ofNode: false,
  since: 0,
  returned: null,
  figures: now,
  fpsUsual: null,
})
const preview = (delay: number, dropped: number) => [
  { at: 1, figures: { delay, kbps: 1, fps: 30, dropped, decoded: 1_000, standing: 0 } },
]
const verdicts = (
  now: Figures,
  delay = 0.4,
  dropped = 0,
  health = judgeReading(reading(now), 60_000),
  transport: 'flv' | 'hls' = 'flv',
) => {
  const slice = { at: 1, figures: now, last: now, history: [{ at: 1, figures: now }] }
  const cells = healthCells({
    slice,
    viewers: 3,
    health,
    preview: preview(delay, dropped),
    transport,
    live: true,
    local: true,
  })
  return Object.fromEntries(cells.map((cell) => [cell.name, cell.verdict]))
}

describe('the cells of the health strip', () => {
  it('are judged by their ranges and name figures that a profile cannot give', () => {
    expect(verdicts(figures, 1.4)).toEqual({
      kbps: 'good',
      fps: 'good',
      keyFrameGap: 'good',
      delay: 'good',
      viewers: 'none',
      dropped: 'good',
    })
    expect(verdicts(figures, 6, 0, undefined, 'hls')['delay']).toBe('good')
    const health = judgeReading({ ...reading(figures), local: false }, 60_000)
    const hosted = healthCells({
      slice: undefined,
      viewers: null,
      health,
      preview: [],
      transport: 'flv',
      live: true,
      local: false,
    })
    expect(hosted.filter((cell) => cell.unavailable).map((cell) => cell.name)).toEqual([
      'kbps',
      'fps',
      'keyFrameGap',
      'viewers',
    ])
  })

  it('have no fault where the preview of this computer alone is late or drops frames', () => {
    expect(verdicts(figures, 1.6, 11)).toMatchObject({ kbps: 'good', delay: 'aside', dropped: 'aside' })
  })

  it('have no tick over a picture that stands still, nor for what was measured before a silence', () => {
    const still = [{ at: 1, figures: { ...preview(0.1, 0)[0]!.figures, standing: 1 } }]
    const cellsOf = (now: Figures, samples: typeof still) => {
      const slice = { at: 1, figures: now, last: now, history: [{ at: 1, figures: now }] }
      const health = judgeReading(reading(figures), 60_000)
      return healthCells({ slice, viewers: 3, health, preview: samples, transport: 'flv', live: true, local: true })
    }
    const of = (now: Figures, samples: typeof still) =>
      Object.fromEntries(cellsOf(now, samples).map((cell) => [cell.name, [cell.verdict, cell.value]]))
    expect(of(figures, still)).toMatchObject({ delay: ['none', 0.1], dropped: ['none', 0], fps: ['good', 59.94] })
    const silent = of({ ...figures, kbps: 0, fps: 0 }, still)
    expect(Object.values(silent).filter(([verdict]) => verdict === 'good')).toEqual([])
    // How old the picture is that still shows is not known.
    expect(silent['delay']).toEqual(['none', null])
    expect(silent['keyFrameGap']).toEqual(['none', null])
  })

  it.each<[string, Partial<Figures>]>([
    ['all in range', {}],
    [
      'sound alone',
      { fps: null, videoCodec: null, kbps: 96, kbpsDeviation: null, keyFrameGap: null, keyFrameGapMax: null },
    ],
    ['a low bitrate', { kbps: 200, kbpsDeviation: 10 }],
    ['an uneven bitrate', { kbpsDeviation: 4_200 }],
    ['a fifth of the frames lost', { fps: 48 }],
    ['few frames', { fps: 12, fpsDeclared: 12 }],
    ['8 s between key frames', { keyFrameGap: 8_000, keyFrameGapMax: 8_000 }],
    ['nothing comes', { kbps: 0, fps: 0 }],
    ['media time behind', { drift: 5_000 }],
    ['no sound', { audioCodec: null, audioGap: null }],
  ])('say nothing else than the word for the push: %s', (_what, change) => {
    const now = { ...figures, ...change }
    const { word, cause } = judgeReading(reading(now), 60_000)
    const seen = verdicts(now, 9, 500)
    const poor = ['kbps', 'fps', 'keyFrameGap'].filter((name) => seen[name] === 'poor')
    if (word === 'good') expect(poor).toEqual([])
    const cells: Readonly<Record<string, string>> = {
      silent: 'kbps',
      bitrate: 'kbps',
      uneven: 'kbps',
      frames: 'fps',
      keyFrames: 'keyFrameGap',
    }
    const about = cells[String(cause)]
    if (about !== undefined) expect(seen[about]).not.toBe('good')
  })

  it('wait with the word for what has just left its range, and for what is not measured yet', () => {
    const low = { ...figures, kbps: 200, kbpsDeviation: 10 }
    const good = judgeStream(null, reading(figures), 60_000)
    expect(verdicts(low, 0.4, 0, judgeStream(good, reading(low), 61_000))['kbps']).toBe('none')
    expect(verdicts(low, 0.4, 0, judgeReading(reading(low), 2_000))['kbps']).toBe('none')
    expect(verdicts(low)['kbps']).toBe('poor')
  })

  it('show a dash and the last figure once the ingest is silent', () => {
    const health = judgeReading({ ...reading(figures), live: false }, 60_000)
    const slice = { at: 2, figures: null, last: figures, history: [] }
    const [kbps] = healthCells({
      slice,
      viewers: null,
      health,
      preview: [],
      transport: 'flv',
      live: false,
      local: true,
    })
    expect(kbps).toMatchObject({ value: null, last: 6_012, verdict: 'none' })
  })
})

describe('a line of the last two minutes', () => {
  const each = (...seconds: number[]) => seconds.map((second) => ({ at: second * 1_000, value: 5 }))

  it('lies in the middle where it is flat, and is nothing from a single point', () => {
    expect(sparkline(each(5), [], 119, 20)).toBe('')
    expect(sparkline(each(5, 6), [], 119, 20)).toBe('M118.0 10.0L119.0 10.0')
  })

  it('has a gap as long as the time in which nothing was measured', () => {
    expect(sparkline(each(0, 1, 21, 22), [], 119, 20)).toBe('M97.0 10.0L98.0 10.0M118.0 10.0L119.0 10.0')
  })

  it('begins anew with a push, though it starts a moment after the one before', () => {
    expect(sparkline(each(0, 1, 2, 3), [1_400], 119, 20)).toBe('M116.0 10.0L117.0 10.0M118.0 10.0L119.0 10.0')
    expect(sparkline(each(0, 1, 2, 3), [-5_000, 90_000], 119, 20).match(/M/g)).toHaveLength(1)
  })

  it('leaves out what is older', () => {
    expect(sparkline(each(0, 200, 201), [], 119, 20)).toBe('M118.0 10.0L119.0 10.0')
  })
})
