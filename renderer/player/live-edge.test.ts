import { describe, expect, it } from 'vitest'
import { createLiveEdge, flvLiveEdge, type LiveEdgeOptions } from './live-edge.ts'

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

  it('jumps back into what is buffered when the position has fallen out of it', () => {
    const edge = createLiveEdge(flvLiveEdge)
    edge.decide({ now: 0, position: 0, start: 0, end: 1, waiting: false, paused: false })
    expect(
      edge.decide({ now: 9_000, position: 5, start: 6, end: 7.5, waiting: true, paused: false }).seekTo,
    ).toBeGreaterThanOrEqual(6)
  })
})
