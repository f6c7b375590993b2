import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { leadSeeks } from './flv-seeks.ts'

/** A video element with one buffered range, and the player of it, which notes its seeks. */
function stage(end: number, duration: number) {
  let complete = (): void => undefined
  const seeks: number[] = []
  const heard: number[] = []
  const ranges = [{ start: 0, end }]
  const video = Object.assign(new EventTarget(), {
    currentTime: 0,
    duration,
    get buffered() {
      return {
        length: ranges.length,
        start: (index: number) => ranges[index]!.start,
        end: (index: number) => ranges[index]!.end,
      }
    },
  })
  const seek = (to: number): void => {
    video.currentTime = to
    video.dispatchEvent(new Event('seeking', { cancelable: true }))
  }
  const player = {
    get currentTime() {
      return video.currentTime
    },
    set currentTime(to: number) {
      seeks.push(to)
      seek(to)
    },
    on: (_event: string, listener: () => void) => {
      complete = listener
    },
  }
  const stop = leadSeeks(video as unknown as HTMLMediaElement, player, 'complete')
  video.addEventListener('seeking', () => heard.push(video.currentTime))
  return {
    seeks,
    heard,
    seek,
    stop,
    readToEnd: () => complete(),
    takeIn: (to: number) => (ranges[0] = { start: 0, end: to }),
  }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a seek to what is buffered is left to the player', () => {
  const { seek, seeks, heard } = stage(10, 60)
  seek(5)
  vi.advanceTimersByTime(5000)
  expect([seeks, heard]).toEqual([[], [5]])
})

test('a seek beyond what is buffered is made once, to where the control was dragged last', () => {
  const { seek, seeks, heard } = stage(10, 60)
  seek(20)
  seek(30)
  expect(heard).toEqual([])
  vi.advanceTimersByTime(5000)
  expect([seeks, heard]).toEqual([[30], [30]])
})

test('a seek waits while the end of the file is taken in, and asks for nothing that came meanwhile', () => {
  const { seek, seeks, readToEnd, takeIn } = stage(10, 60)
  readToEnd()
  seek(30)
  vi.advanceTimersByTime(5000)
  expect(seeks).toEqual([])
  takeIn(40)
  vi.advanceTimersByTime(5000)
  expect(seeks).toEqual([])
})

test('a seek into what was dropped reads again once the end has been taken in', () => {
  const { seek, seeks, readToEnd, takeIn } = stage(10, 60)
  readToEnd()
  seek(70)
  vi.advanceTimersByTime(5000)
  expect(seeks).toEqual([])
  takeIn(60)
  vi.advanceTimersByTime(5000)
  expect(seeks).toEqual([70])
})

test('a player that is taken down seeks no more', () => {
  const { seek, seeks, stop } = stage(10, 60)
  seek(30)
  stop()
  vi.advanceTimersByTime(5000)
  expect(seeks).toEqual([])
})
