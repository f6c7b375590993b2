import { describe, expect, it } from 'vitest'
import { createLiveEdge, type EdgeSample, flvLiveEdge, hlsLiveEdge, type LiveEdgeOptions } from './live-edge.ts'

/** Plays a stream against the controller in steps of 50 ms of its own clock and returns how far behind it was at each. */
function play(
  options: LiveEdgeOptions,
  stream: { initial: number; seconds: number; jitter?: (second: number) => number; tick?: number },
) {
  const edge = createLiveEdge(options)
  let position = 0
  let rate = 1
  let seeks = 0
  let stalled = 0
  const behind: number[] = []
  for (let at = 0; at < stream.seconds * 1000; at += 50) {
    const second = at / 1000
    const end = stream.initial + second - (stream.jitter?.(second) ?? 0)
    const waiting = position >= end - 0.02
    if (waiting) stalled += 50
    else position = Math.min(position + 0.05 * rate, end)
    if (at % (stream.tick ?? 200) === 0) {
      const action = edge.decide({ now: at, position, start: 0, end, waiting, paused: false })
      rate = action.rate
      if (action.seekTo !== undefined) {
        position = action.seekTo
        seeks += 1
      }
    }
    behind.push(stream.initial + second - position)
  }
  return { at: (second: number) => behind[Math.round(second * 20)] ?? Number.NaN, seeks, stalled, edge }
}

describe('live edge of HTTP-FLV', () => {
  it.each([0.5, 1.5, 2, 2.9, 4, 8])('is at most 1.5 s behind 10 s after a join with %s s in the cache', (initial) => {
    const run = play(flvLiveEdge, { initial, seconds: 20 })
    for (let second = 10; second < 20; second += 0.5) expect(run.at(second)).toBeLessThanOrEqual(1.5)
  })

  it('does not jump when the join is within reach, and jumps once when it is not', () => {
    expect(play(flvLiveEdge, { initial: 1.3, seconds: 20 }).seeks).toBe(0)
    expect(play(flvLiveEdge, { initial: 4, seconds: 20 }).seeks).toBe(1)
  })

  it('returns to the target after a pause of 10 s on the line', () => {
    const run = play(flvLiveEdge, {
      initial: 1,
      seconds: 40,
      jitter: (second) => (second > 10 && second < 20 ? second - 10 : 0),
    })
    for (let second = 28; second < 39; second += 1) expect(run.at(second)).toBeLessThanOrEqual(1.6)
  })

  it('keeps natural speed between target and the upper mark, in both directions', () => {
    const edge = createLiveEdge(flvLiveEdge)
    const at = (now: number, behind: number) =>
      edge.decide({ now, position: 10, start: 0, end: 10 + behind, waiting: false, paused: false }).rate
    const between = (flvLiveEdge.target + flvLiveEdge.fasterAbove) / 2
    expect(at(0, between)).toBe(1)
    expect(at(3000, flvLiveEdge.fasterAbove + 0.05)).toBeGreaterThan(1)
    expect(at(3200, between)).toBeGreaterThan(1)
    expect(at(3400, flvLiveEdge.target - 0.01)).toBe(1)
    expect(at(3600, between)).toBe(1)
  })

  it('never runs faster than its limit nor slower than natural speed', () => {
    const edge = createLiveEdge(flvLiveEdge)
    for (let behind = 0; behind < 3; behind += 0.05) {
      const { rate } = edge.decide({
        now: 5000 + behind * 1000,
        position: 0,
        start: 0,
        end: behind,
        waiting: false,
        paused: false,
      })
      expect(rate).toBeGreaterThanOrEqual(1)
      expect(rate).toBeLessThanOrEqual(flvLiveEdge.fastest)
    }
  })

  it('settles further behind after stalls, within its bound, and comes back after calm', () => {
    const edge = createLiveEdge(flvLiveEdge)
    const decide = (now: number, waiting: boolean) =>
      edge.decide({ now, position: 0, start: 0, end: 1, waiting, paused: false })
    decide(0, false)
    for (let n = 0; n < 10; n++) {
      decide(5000 + n * 400, true)
      decide(5200 + n * 400, false)
    }
    expect(edge.target).toBeCloseTo(flvLiveEdge.maxTarget)
    for (let now = 10_000; now < 120_000; now += 200) decide(now, false)
    expect(edge.target).toBeCloseTo(flvLiveEdge.target)
  })

  it('holds still while a person has paused, and jumps to live when playing again', () => {
    const edge = createLiveEdge(flvLiveEdge)
    edge.decide({ now: 0, position: 0, start: 0, end: 1, waiting: false, paused: false })
    expect(edge.decide({ now: 60_000, position: 1, start: 0, end: 61, waiting: false, paused: true })).toMatchObject({
      rate: 1,
      seekTo: undefined,
    })
    expect(
      edge.decide({ now: 61_000, position: 1, start: 40, end: 62, waiting: false, paused: false }).seekTo,
    ).toBeCloseTo(62 - flvLiveEdge.target)
  })

  it('shows no part again when it comes back from a position at which nothing is buffered', () => {
    const edge = createLiveEdge(hlsLiveEdge(4))
    const sample = { start: 0, end: 10, waiting: false, paused: false }
    edge.decide({ ...sample, now: 0, position: 9 })
    expect(edge.decide({ ...sample, now: 9_000, position: 30 }).seekTo).toBe(9)
  })

  it('comes back to the newest of what is buffered, where what it showed is of another time', () => {
    const edge = createLiveEdge(hlsLiveEdge(4))
    const sample = { start: 0, end: 10, waiting: false, paused: false }
    edge.decide({ ...sample, now: 0, position: 20, end: 21 })
    expect(edge.decide({ ...sample, now: 9_000, position: 20 }).seekTo).toBe(6)
  })

  it('jumps back into what is buffered when the position has fallen out of it', () => {
    const edge = createLiveEdge(flvLiveEdge)
    edge.decide({ now: 0, position: 0, start: 0, end: 1, waiting: false, paused: false })
    expect(
      edge.decide({ now: 9_000, position: 5, start: 6, end: 7.5, waiting: true, paused: false }).seekTo,
    ).toBeGreaterThanOrEqual(6)
  })
})

describe('one decision at the live edge', () => {
  const sample = (now: number, behind: number, change: Partial<EdgeSample> = {}): EdgeSample => ({
    now,
    position: 10,
    start: 0,
    end: 10 + behind,
    waiting: false,
    paused: false,
    ...change,
  })

  it('knows nothing, and does nothing, while nothing is buffered', () => {
    const edge = createLiveEdge(flvLiveEdge)
    const nothing = { rate: 1, seekTo: undefined, behind: undefined }
    expect(edge.decide(sample(0, 0, { start: undefined }))).toEqual(nothing)
    expect(edge.decide(sample(0, 0, { end: undefined }))).toEqual(nothing)
  })

  it('jumps sooner in the first two seconds than after them', () => {
    const early = createLiveEdge(flvLiveEdge)
    early.decide(sample(0, 0.6))
    expect(early.decide(sample(1_999, 1.5)).seekTo).toBeCloseTo(10.9)
    const late = createLiveEdge(flvLiveEdge)
    late.decide(sample(0, 0.6))
    expect(late.decide(sample(2_000, 1.5)).seekTo).toBeUndefined()
    expect(late.decide(sample(2_200, 3)).seekTo).toBeUndefined()
    expect(late.decide(sample(2_400, 3.1)).seekTo).toBeCloseTo(12.5)
  })

  it('does not jump again before two seconds passed, a quarter of one at the start', () => {
    const edge = createLiveEdge(flvLiveEdge)
    const jumps = (now: number): boolean => edge.decide(sample(now, 5)).seekTo !== undefined
    expect([jumps(0), jumps(249), jumps(250)]).toEqual([true, false, true])
    expect([jumps(2_100), jumps(2_249), jumps(2_250), jumps(4_249), jumps(4_250)]).toEqual([
      false,
      false,
      true,
      false,
      true,
    ])
  })

  it('jumps no further back than what is buffered', () => {
    const edge = createLiveEdge(flvLiveEdge)
    expect(edge.decide(sample(0, 5, { start: 14.8 })).seekTo).toBe(14.8)
  })

  it('does not count a stall at the start or right after a jump', () => {
    const edge = createLiveEdge(flvLiveEdge)
    edge.decide(sample(0, 0.6))
    edge.decide(sample(1_900, 0, { waiting: true }))
    edge.decide(sample(2_000, 0.6))
    expect(edge.target).toBe(0.6)
    edge.decide(sample(5_000, 5))
    edge.decide(sample(5_900, 0, { waiting: true }))
    edge.decide(sample(6_000, 0.6))
    expect(edge.target).toBe(0.6)
    edge.decide(sample(6_200, 0, { waiting: true }))
    expect(edge.target).toBeCloseTo(0.85)
    // The same stall counts once.
    edge.decide(sample(6_400, 0, { waiting: true }))
    expect(edge.target).toBeCloseTo(0.85)
  })

  it('comes back after more than thirty seconds without a stall', () => {
    const edge = createLiveEdge(flvLiveEdge)
    edge.decide(sample(0, 0.6))
    edge.decide(sample(5_000, 0, { waiting: true }))
    edge.decide(sample(35_000, 0.6))
    expect(edge.target).toBeCloseTo(0.85)
    edge.decide(sample(35_001, 0.6))
    expect(edge.target).toBeCloseTo(0.6)
  })

  it('goes faster by the distance, up to its limit, and by a twentieth at least', () => {
    const edge = createLiveEdge(flvLiveEdge)
    edge.decide(sample(0, 0.6))
    expect(edge.decide(sample(3_000, 1.4)).rate).toBe(1.2)
    expect(edge.decide(sample(3_200, 0.7)).rate).toBe(1.05)
    expect(edge.decide(sample(3_400, 2.9)).rate).toBe(1.3)
  })

  it('has of HLS marks around its target, where a jump costs a segment', () => {
    expect(hlsLiveEdge(4)).toEqual({
      target: 4,
      fasterAbove: 5.5,
      seekAbove: 12,
      seekAboveAtStart: 12,
      fastest: 1.1,
      maxTarget: 10,
      seekPause: 8_000,
    })
  })
})
