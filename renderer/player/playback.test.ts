import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLiveEdge, flvLiveEdge } from './live-edge.ts'
import { type Playback, startPlayback } from './playback.ts'

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
let playback: Playback
beforeEach(() => {
  vi.useFakeTimers()
  video = new Video()
  playback = startPlayback(video as unknown as HTMLVideoElement, createLiveEdge(flvLiveEdge), { playing: () => undefined, silent: () => undefined })
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
  expect([playback.standing, playback.frames().frozen]).toEqual([0, false])
})

it('falls behind by the clock once nothing comes, and stands still when the buffer is played out', () => {
  pass(3, { arrives: true, plays: true })
  pass(4, { arrives: false, plays: true })
  expect(playback.behind).toBeGreaterThan(3.5)
  expect(playback.standing).toBeGreaterThan(3)
  expect(playback.frames().frozen).toBe(true)
  pass(1, { arrives: true, plays: true })
  expect([playback.standing, playback.frames().frozen]).toEqual([0, false])
  expect(playback.behind).toBeLessThan(1)
})

it('stands still where pictures come and none is shown', () => {
  pass(2, { arrives: true, plays: true })
  video.paused = true
  pass(1, { arrives: true, plays: false })
  expect(playback.frames().frozen).toBe(true)
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
