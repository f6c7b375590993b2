import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLiveEdge, flvLiveEdge } from './live-edge.ts'
import { startPlayback } from './playback.ts'

/** A video element that shows what is buffered, by the faked clock. */
class Video extends EventTarget {
  currentTime = 0
  playbackRate = 1
  paused = false
  end = 0.5
  readonly buffered = { length: 1, start: () => 0, end: () => this.end }
  getVideoPlaybackQuality(): { droppedVideoFrames: number; totalVideoFrames: number } {
    return { droppedVideoFrames: 0, totalVideoFrames: Math.round(this.currentTime * 30) }
  }
}

let video: Video
let playback: ReturnType<typeof startPlayback>
/** Times of silence that were told. */
let told: number
/** Bytes that came of media that is not buffered yet. */
let bytes: number
beforeEach(() => {
  vi.useFakeTimers()
  video = new Video()
  told = 0
  bytes = 0
  playback = startPlayback(video as unknown as HTMLVideoElement, createLiveEdge(flvLiveEdge), {
    playing: () => undefined,
    silent: () => {
      told += 1
    },
    arrived: () => bytes,
  })
  video.dispatchEvent(new Event('playing'))
})
afterEach(() => {
  playback.stop()
  vi.useRealTimers()
})
/** Lets time pass in steps of 0.1 s; `arrives` says whether media comes, `plays` whether the picture moves. */
const pass = (seconds: number, { arrives, plays }: { arrives: boolean; plays: boolean }): void => {
  for (let step = 0; step < seconds * 10; step++) {
    if (arrives) video.end += 0.1
    if (plays) video.currentTime = Math.min(video.currentTime + 0.1, video.end)
    vi.advanceTimersByTime(100)
  }
}

it('is as far behind as the newest picture that came, while pictures come', () => {
  pass(3, { arrives: true, plays: true })
  expect(playback.behind).toBeCloseTo(0.5, 1)
  expect([playback.standing, playback.frames().standing]).toEqual([0, 0])
})

it('falls behind by the clock once nothing comes, and stands still when the buffer is played out', () => {
  pass(3, { arrives: true, plays: true })
  pass(4, { arrives: false, plays: true })
  expect(playback.behind).toBeGreaterThan(3.5)
  expect(playback.standing).toBeGreaterThan(3)
  expect(playback.frames().standing).toBe(playback.standing)
  pass(1, { arrives: true, plays: true })
  expect([playback.standing, playback.frames().standing]).toEqual([0, 0])
  expect(playback.behind).toBeLessThan(1)
})

it('is behind by no less after half a second than after ten, and tells the silence every 6 s', () => {
  pass(3, { arrives: true, plays: true })
  expect(told).toBe(0)
  pass(0.6, { arrives: false, plays: true })
  expect(playback.behind).toBeGreaterThan(0.5)
  pass(12.6, { arrives: false, plays: true })
  expect([Math.round(playback.behind ?? 0), told]).toEqual([13, 2])
  pass(1, { arrives: true, plays: true })
  pass(5.5, { arrives: false, plays: true })
  expect(told).toBe(2)
})

it('hears no silence while bytes of the next segment come, and tells it 6 s after the last ones', () => {
  pass(3, { arrives: true, plays: true })
  for (let step = 0; step < 20; step++) {
    bytes += 75_000
    pass(1, { arrives: false, plays: true })
  }
  expect([told, playback.standing > 15]).toEqual([0, true])
  pass(4.5, { arrives: false, plays: false })
  expect(told).toBe(0)
  pass(1.5, { arrives: false, plays: false })
  expect(told).toBe(1)
})

it('stands still where pictures come and none is shown', () => {
  pass(2, { arrives: true, plays: true })
  video.paused = true
  pass(1, { arrives: true, plays: false })
  expect(playback.frames().standing).toBeCloseTo(1, 0)
})

it('counts the frames of the stream, also while it catches up', () => {
  pass(3, { arrives: true, plays: true })
  video.end += 1
  for (let step = 0; step < 40; step++) {
    video.end += 0.1
    video.currentTime += 0.1 * video.playbackRate
    vi.advanceTimersByTime(100)
  }
  expect(video.playbackRate).toBeGreaterThan(1)
  expect(playback.frames().fps).toBeCloseTo(30, 0)
})

it('counts no frames where the picture jumped: what a jump passes over is not shown', () => {
  pass(6, { arrives: true, plays: true })
  expect(playback.frames().fps).toBeCloseTo(30, 0)
  const rates: (number | null)[] = []
  video.end += 8
  for (let step = 0; step < 30; step++) {
    pass(0.1, { arrives: true, plays: true })
    rates.push(playback.frames().fps)
  }
  expect(new Set(rates.map((rate) => rate && Math.round(rate)))).toEqual(new Set([30, null]))
  expect(rates.at(-1)).toBeCloseTo(30, 0)
})
