import { readIndex, type IndexedTrack } from './mp4-index.ts'
import { openRanges, type ReadRange } from './ranges.ts'
import type { StripIndex, StripSource } from './strip-messages.ts'
import { lastBy } from './reel.ts'

/** Samples of a track in the order in which they are shown, with their times in ms of the reel. */
export interface OrderedTrack {
  readonly track: IndexedTrack
  readonly samples: Uint32Array
  readonly times: Float64Array
}

/** A file of the reel with the index of its media. */
export interface StripPart extends StripSource {
  readonly read: ReadRange
  readonly video: OrderedTrack | undefined
  readonly audio: OrderedTrack | undefined
}

function orderedBy(track: IndexedTrack | undefined, { at, length }: StripSource): OrderedTrack | undefined {
  if (!track) return undefined
  const { shown } = track
  const samples = Uint32Array.from(shown.keys())
    .filter((index) => shown[index]! >= 0 && shown[index]! < length)
    .sort((one, other) => shown[one]! - shown[other]!)
  return { track, samples, times: Float64Array.from(samples, (index) => at + shown[index]!) }
}

/** Reads the index of each file. */
export const openParts = (sources: readonly StripSource[], signal: AbortSignal): Promise<StripPart[]> =>
  Promise.all(
    sources.map(async (source) => {
      const { size, read } = await openRanges(source.path, signal)
      const tracks = await readIndex(read, size)
      const of = (kind: IndexedTrack['kind']): OrderedTrack | undefined =>
        orderedBy(
          tracks.find((track) => track.kind === kind),
          source,
        )
      return { ...source, read, video: of('video'), audio: of('audio') }
    }),
  )

const joined = (lists: readonly Float64Array[]): Float64Array<ArrayBuffer> => {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const list of lists) {
    all.set(list, at)
    at += list.length
  }
  return all
}

/** What the page is told of them. */
export function indexOf(parts: readonly StripPart[]): StripIndex {
  const videos = parts.flatMap(({ video }) => video ?? [])
  return {
    pictures: joined(videos.map(({ times }) => times)),
    keys: joined(videos.map(({ track, samples, times }) => times.filter((_, index) => track.isSync(samples[index]!)))),
    width: videos[0]?.track.width ?? 0,
    height: videos[0]?.track.height ?? 0,
    sound: parts.some(({ audio }) => audio !== undefined && audio.times.length > 0),
  }
}

/** Index of the sample that is shown at a time; -1 for none. */
export const sampleAt = ({ samples, times }: OrderedTrack, at: number): number => samples[lastBy(times, at)] ?? -1

/** Bytes between two runs of samples that are rather read than asked around. */
const near = 256 * 1024
/** Read at once at most. */
const longest = 4 * 1024 * 1024

/** The bytes of samples of a track, by runs that follow each other in the file; what lies near is read at once. */
export async function bytesOf(
  { read }: StripPart,
  { places, sizes }: IndexedTrack,
  runs: readonly (readonly number[])[],
): Promise<Uint8Array<ArrayBuffer>[][]> {
  const spans = runs.map((run) => {
    const [first, last] = [run[0], run.at(-1)]
    return first === undefined || last === undefined
      ? undefined
      : { from: places[first]!, end: places[last]! + sizes[last]! }
  })
  const reads: { from: number; end: number }[] = []
  const readOf = spans.map((span) => {
    if (!span) return undefined
    const last = reads.at(-1)
    const isNear = last && span.from >= last.from && span.from - last.end <= near && span.end - last.from <= longest
    if (isNear) last.end = Math.max(last.end, span.end)
    else reads.push({ ...span })
    return reads.length - 1
  })
  const blocks = await Promise.all(reads.map(({ from, end }) => read(from, end - from)))
  return runs.map((run, index) => {
    const number = readOf[index]
    const [one, bytes] = number === undefined ? [] : [reads[number], blocks[number]]
    if (!one || !bytes) return []
    return run.map((sample) => {
      const at = places[sample]! - one.from
      return bytes.subarray(at, at + sizes[sample]!)
    })
  })
}
