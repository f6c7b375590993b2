import { expect, it, onTestFinished, vi } from 'vitest'
import type { WatchState } from '../../contract/watch.ts'
import { createMotion } from './motion.ts'

const live: WatchState = { title: 'Channel', live: true, disabled: false, since: 1000, time: 50_000, viewers: 1 }
const held: WatchState = { ...live, held: 48_000 }

/** What is told of a player whose pictures the test shows; `isPlain`: the browser does not tell of them. */
function watch({ lag = 15_000, isPlain = false } = {}) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const video = document.createElement('video')
  const now = { place: 0, paused: false, isPlaying: true, isPaused: false, hidden: false }
  let shows: VideoFrameRequestCallback | undefined
  Object.defineProperty(video, 'currentTime', { get: () => now.place })
  Object.defineProperty(video, 'paused', { get: () => now.paused })
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => now.hidden })
  onTestFinished(() => void Reflect.deleteProperty(document, 'hidden'))
  Object.defineProperty(video, 'requestVideoFrameCallback', {
    value: (call: VideoFrameRequestCallback) => {
      shows = call
      return 1
    },
  })
  video.cancelVideoFrameCallback = () => {
    shows = undefined
  }
  const told = { changes: 0, asked: 0 }
  const motion = createMotion(video, {
    isPlaying: () => now.isPlaying,
    isPaused: () => now.isPaused,
    lag: () => lag,
    changed: () => void told.changes++,
    stands: () => void told.asked++,
  })
  if (!isPlain) video.dispatchEvent(new Event('playing'))
  /** Plays so many pictures, each of so many s. */
  const play = (pictures: number, length: number): void => {
    for (let each = 0; each < pictures; each++) {
      now.place += length
      const call = shows
      shows = undefined
      call?.(0, { mediaTime: now.place } as VideoFrameCallbackMetadata)
      vi.advanceTimersByTime(length * 1000)
    }
  }
  return { motion, now, told, play, video, isHeld: () => motion.held() !== undefined }
}

it('a picture is held when it stands, not while what came before the hold is still played', () => {
  const { motion, told, play, isHeld } = watch()
  play(50, 0.04)
  motion.tell(held)
  play(75, 0.04)
  expect(isHeld()).toBe(false)
  const { changes } = told
  play(1, 1)
  expect([isHeld(), told.changes]).toEqual([true, changes + 1])
  // Since it began, by the service.
  expect(motion.held()!.length).toBeCloseTo(6_000, -3)
  play(10, 1)
  expect(isHeld()).toBe(true)
})

it('it stays held after the service told the end, until it moves', () => {
  const { motion, told, play, isHeld } = watch()
  play(50, 0.04)
  motion.tell({ ...held, growsTo: 30_000 })
  play(5, 1)
  motion.tell(live)
  play(6, 1)
  expect([isHeld(), motion.held()?.growsTo]).toEqual([true, 30_000])
  const { changes } = told
  play(2, 0.04)
  expect([isHeld(), told.changes]).toEqual([false, changes + 1])
  play(20, 1)
  expect(isHeld()).toBe(false)
})

it('the first picture after a hold ends it, also where few are drawn, and one that is repeated does not', () => {
  const { motion, now, told, play, isHeld } = watch()
  play(50, 0.04)
  motion.tell(held)
  play(5, 1)
  motion.tell(live)
  play(2, 0.999)
  expect(isHeld()).toBe(true)
  const { changes } = told
  now.place += 0.8
  play(1, 0)
  expect([isHeld(), told.changes]).toEqual([false, changes + 1])
})

it('it is held no longer than a player may be late, nor once it does not play or is off air', () => {
  const { motion, now, play, isHeld } = watch({ lag: 4_000 })
  const begin = (): void => {
    play(50, 0.04)
    motion.tell(held)
    play(5, 1)
    motion.tell(live)
    play(2, 1)
    expect(isHeld()).toBe(true)
  }
  begin()
  play(3, 1)
  expect(isHeld()).toBe(false)
  begin()
  now.isPlaying = false
  play(1, 1)
  expect(isHeld()).toBe(false)
  now.isPlaying = true
  begin()
  motion.tell({ ...live, live: false })
  expect(isHeld()).toBe(false)
})

it('where the browser does not tell of single pictures, it is held as the service says', () => {
  const { motion, play, isHeld } = watch({ isPlain: true })
  play(50, 0.04)
  motion.tell(held)
  expect(isHeld()).toBe(true)
  motion.tell(live)
  expect(isHeld()).toBe(false)
})

it('the service is asked when the picture stands still, but not while it is paused, and once in 4 s at most', () => {
  const { told, now, play } = watch()
  play(50, 0.04)
  expect(told.asked).toBe(0)
  play(1, 1)
  play(10, 1)
  expect(told.asked).toBe(1)
  for (let each = 0; each < 4; each++) {
    play(5, 0.04)
    play(1, 1)
  }
  expect(told.asked).toBe(2)
  play(200, 0.04)
  now.paused = true
  play(2, 1)
  expect(told.asked).toBe(2)
})

it('a player without progress for 2 s has stopped, but one that is paused or does not play', () => {
  const { motion, told, now, play } = watch()
  play(50, 0.04)
  vi.advanceTimersByTime(1_800)
  expect(motion.hasStopped()).toBe(false)
  const { changes } = told
  vi.advanceTimersByTime(400)
  expect([motion.hasStopped(), told.changes]).toEqual([true, changes + 1])
  play(10, 0.04)
  expect([motion.hasStopped(), told.changes]).toEqual([false, changes + 2])
  for (const stands of [{ paused: true }, { isPlaying: false }]) {
    Object.assign(now, stands)
    vi.advanceTimersByTime(10_000)
    expect(motion.hasStopped()).toBe(false)
    Object.assign(now, { paused: false, isPlaying: true })
    play(10, 0.04)
  }
})

it('a picture that stands for 3 s stands long, also while another stream is opened, and until one plays', () => {
  const { motion, told, now, play } = watch()
  play(50, 0.04)
  // Emptied for the other stream.
  Object.assign(now, { isPlaying: false, paused: true, place: 0 })
  vi.advanceTimersByTime(2_800)
  expect(motion.standsLong()).toBe(false)
  const { changes } = told
  vi.advanceTimersByTime(400)
  expect([motion.standsLong(), told.changes]).toEqual([true, changes + 1])
  Object.assign(now, { isPlaying: true, paused: false })
  vi.advanceTimersByTime(400)
  expect(motion.standsLong()).toBe(true)
  play(10, 0.04)
  expect(motion.standsLong()).toBe(false)
  for (const stands of [{ isPaused: true }, { hidden: true }]) {
    Object.assign(now, stands)
    vi.advanceTimersByTime(10_000)
    expect(motion.standsLong()).toBe(false)
    Object.assign(now, { isPaused: false, hidden: false })
    play(10, 0.04)
  }
})

it('a hold is counted from where it began, and to where this viewer gets out of it', () => {
  const { motion, play } = watch()
  play(50, 0.04)
  motion.tell({ ...held, growsTo: 15_000, goesOn: 63_000 })
  // Five seconds of what came before it, which began two seconds ago, were still to be played.
  play(125, 0.04)
  play(3, 1)
  expect(motion.held()!.length).toBeCloseTo(10_000, -3)
  expect(motion.held()!.goesOnIn).toBe(12)
  // A hold in the midst of it, and Back to live.
  motion.tell({ ...held, time: 58_000, held: 57_000 })
  expect(motion.held()!.goesOnIn).toBeUndefined()
  motion.tell({ ...held, time: 58_000, growsTo: 15_000, goesOn: 73_000 })
  expect(motion.held()!.goesOnIn).toBe(22)
  play(30, 1)
  expect(motion.held()!.goesOnIn).toBe(0)
})

it('where nothing was shown before a hold, it is counted as the service tells', () => {
  const { motion } = watch()
  motion.tell({ ...held, goesOn: 59_500 })
  expect(motion.held()!.goesOnIn).toBe(10)
})
