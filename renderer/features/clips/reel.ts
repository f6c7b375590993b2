import type { RecordedFile } from '../../../contract/rpc/index.ts'

/** A file in a reel; its place and length in ms. */
export interface ReelPart {
  readonly file: RecordedFile
  readonly at: number
  readonly length: number
  /** When its first picture was recorded; null where that is not known. */
  readonly begin: number | null
}

/** Files one after the other, as a cut over a seam plays them. Times within it are in ms from its begin. */
export interface Reel {
  readonly parts: readonly ReelPart[]
  readonly length: number
}

/** What is cut out, in ms of the reel. */
export interface Cut {
  readonly from: number
  readonly to: number
}

/** Completion is the begin of a merged file; that of a clip is when its first picture was recorded. */
const beginOf = (file: RecordedFile): number | null =>
  file.clip ? (file.clip.begin ?? null) : file.merged === true ? null : file.begin

/** Makes a reel of files in order. */
export function reelOf(files: readonly RecordedFile[]): Reel {
  let length = 0
  const parts = files.map((file): ReelPart => {
    const at = length
    length += file.duration ?? 0
    return { file, at, length: file.duration ?? 0, begin: beginOf(file) }
  })
  return { parts, length }
}

/** The part that is shown at a time; at a seam the later one, at the end the last. */
export const partAt = ({ parts }: Reel, at: number): ReelPart | undefined =>
  parts.findLast((part) => at >= part.at) ?? parts[0]

/** When what is at a time of the reel was recorded; undefined where that is not known. */
export function recordedAt(reel: Reel, at: number): number | undefined {
  const part = partAt(reel, at)
  return part?.begin == null ? undefined : part.begin + at - part.at
}

/** Where in the reel a time of recording is; undefined outside of it. */
export function placeOf({ parts }: Reel, time: number): number | undefined {
  const part = parts.find(({ begin, length }) => begin !== null && time >= begin && time < begin + length)
  return part?.begin == null ? undefined : part.at + time - part.begin
}

/** What `clip/trim` is asked for. */
export function askedOf({ parts }: Reel, { from, to }: Cut): { vids: number[]; from: number; to: number } | undefined {
  const within = parts.filter((part) => part.at < to && part.at + part.length > from)
  const [first, last] = [within[0], within.at(-1)]
  return first && last
    ? { vids: within.map(({ file }) => file.vid), from: Math.round(from - first.at), to: Math.round(to - last.at) }
    : undefined
}

/** Size of a cut in bytes, by its share of the files. */
export const sizeOf = ({ parts }: Reel, { from, to }: Cut): number =>
  parts.reduce((sum, { at, length, file }) => {
    const within = Math.min(at + length, to) - Math.max(at, from)
    return length > 0 && within > 0 ? sum + ((file.bytes ?? 0) * within) / length : sum
  }, 0)

/** In the order of time: a handle that passes the other one takes its part. */
export const ordered = (one: number, other: number): Cut => ({ from: Math.min(one, other), to: Math.max(one, other) })

const limited = (value: number, most: number): number => Math.min(most, Math.max(0, value))

/** Index of the last of sorted times that is not after a time; -1 for none. */
export function lastBy(times: ArrayLike<number>, at: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! <= at) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Half of a ms: times that are asked for are whole ms. */
const whole = 0.5

/** The begin of the picture that is so many after the one at a time. Without pictures, 30 a second are assumed. */
export function stepped(pictures: ArrayLike<number>, at: number, steps: number, end: number): number {
  if (pictures.length === 0) return limited(at + (steps * 1000) / 30, end)
  // The end is a place after the last picture.
  const index = (at >= end ? pictures.length : lastBy(pictures, at + whole)) + steps
  if (index >= pictures.length) return end
  return limited(pictures[Math.max(0, index)]!, end)
}

/** By how many ms a player that ignores edit lists begins before a cut: with the key frame before. */
export function earlyBy(pictures: ArrayLike<number>, keys: ArrayLike<number>, from: number): number {
  const picture = pictures[lastBy(pictures, from + whole)]
  const key = picture === undefined ? undefined : keys[lastBy(keys, picture + whole)]
  return picture === undefined || key === undefined ? 0 : Math.round(picture - key)
}

/** The next time of others, in a direction; undefined for none. */
export const nextOf = (times: readonly number[], at: number, direction: 1 | -1): number | undefined =>
  direction === 1
    ? times.filter((time) => time > at + whole).sort((a, b) => a - b)[0]
    : times.filter((time) => time < at - whole).sort((a, b) => b - a)[0]
