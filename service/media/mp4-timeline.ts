import type { Mp4Sample } from './mp4-fragment.ts'

/** Timescale of our video tracks: exact for milliseconds and common frame rates. */
export const videoTimescale = 90_000
const videoUnitsPerMs = videoTimescale / 1000

/** Converts a publisher's clock to samples without gaps, each held until the next gives its duration. */
export interface SampleTimeline {
  /** Decode time of the held sample in ms of the time line. */
  readonly held: { readonly at: number; readonly sync: boolean } | undefined
  /** Takes the next sample, `at` in ms of the time line; returns the previous one, completed. */
  push(data: Buffer, at: number, options?: { readonly offset?: number; readonly sync?: boolean }): Mp4Sample | undefined
  /** Completes the held sample with the last duration, or up to `until` (ms of the time line). */
  flush(until?: number): Mp4Sample | undefined
}

interface Held {
  readonly data: Buffer
  readonly at: number
  readonly decodeTime: number
  readonly compositionOffset: number
  readonly sync: boolean
}

const completed = ({ data, decodeTime, compositionOffset, sync }: Held, duration: number): Mp4Sample => ({
  data,
  decodeTime,
  duration,
  compositionOffset,
  sync,
})

/** Time line of a video track at {@link videoTimescale}; `nominal` is the duration of a single frame in ms. */
export function createVideoTimeline(nominal = 40): SampleTimeline {
  let held: Held | undefined
  let last = nominal * videoUnitsPerMs
  return {
    get held() {
      return held
    },
    push(data, at, { offset = 0, sync = false } = {}) {
      const before = held
      // Frames of the same millisecond keep their order.
      const decodeTime = Math.max(Math.round(at * videoUnitsPerMs), before ? before.decodeTime + 1 : 0)
      held = { data, at, decodeTime, compositionOffset: Math.round(offset * videoUnitsPerMs), sync }
      if (!before) return undefined
      last = decodeTime - before.decodeTime
      return completed(before, last)
    },
    flush(until) {
      const before = held
      held = undefined
      if (!before) return undefined
      return completed(
        before,
        until === undefined ? last : Math.max(1, Math.round(until * videoUnitsPerMs) - before.decodeTime),
      )
    },
  }
}

/** Up to this deviation frames are contiguous: millisecond rounding and jitter. */
const audioJitter = 0.015
/** Beyond this, audio is missing or surplus; below, the clocks drift. */
const audioGap = 0.15
/** Share of a frame by which drift is corrected: 1.5 %, inaudible and enough for any clock. */
const audioSlew = 1 / 64

/** Time line of AAC: contiguous frames; gaps are kept, surplus is dropped and reported, drift corrected per frame. */
export function createAudioTimeline(
  sampleRate: number,
  frameSamples = 1024,
  dropped: () => void = () => undefined,
): SampleTimeline {
  let held: Held | undefined
  const duration = (wanted: number): number => {
    const error = (wanted - frameSamples) / sampleRate
    if (error > audioGap) return wanted
    if (Math.abs(error) <= audioJitter) return frameSamples
    return frameSamples + Math.sign(error) * Math.floor(frameSamples * audioSlew)
  }
  return {
    get held() {
      return held
    },
    push(data, at) {
      const before = held
      const wanted = Math.max(0, Math.round((at * sampleRate) / 1000))
      if (!before) {
        held = { data, at, decodeTime: wanted, compositionOffset: 0, sync: true }
        return undefined
      }
      if (wanted - before.decodeTime - frameSamples < -audioGap * sampleRate) {
        dropped()
        return undefined
      }
      const length = duration(wanted - before.decodeTime)
      held = { data, at, decodeTime: before.decodeTime + length, compositionOffset: 0, sync: true }
      return completed(before, length)
    },
    flush() {
      const before = held
      held = undefined
      return before && completed(before, frameSamples)
    },
  }
}
