import type { Edit } from './mp4-hybrid-movie.ts'
import { u32, u64 } from './mp4-boxes.ts'
import { Mp4Fault, type MergePart, type ReadTrack } from './mp4-reader.ts'
import { readSamples, type Samples } from './mp4-samples.ts'

/** A cut out of a movie, and what a player that ignores edit lists makes of it. */
export interface CutPart {
  readonly part: MergePart
  /** Where it begins in the movie, in ms: with the picture that is shown at the time that was asked for. */
  readonly from: number
  /** How much earlier the media begins, in ms: at the key frame before. */
  readonly early: number
}

const unitsOf = (ms: number, timescale: number): number => Math.round((ms * timescale) / 1000)
const msOf = (units: number, timescale: number): number => (units * 1000) / timescale

/** What is played of a track: its edits, or everything from its first picture on. */
const playedOf = ({ edits, pause, track }: ReadTrack, { count, shown, durations }: Samples): readonly Edit[] => {
  if (edits) return edits
  let [begin, end] = [Infinity, 0]
  for (let index = 0; index < count; index++) {
    begin = Math.min(begin, shown[index]!)
    end = Math.max(end, shown[index]! + durations[index]!)
  }
  const ms = (units: number): number => msOf(units, track.timescale)
  return count === 0 ? [] : [{ at: pause + ms(begin), from: begin, length: ms(end - begin) }]
}

/** Begin in ms of the picture that is shown at a time; before the first one, of that. */
function pictureAt(at: number, played: readonly Edit[], { count, shown }: Samples, timescale: number): number {
  const edit = played.find((each) => at >= each.at && at < each.at + each.length)
  if (!edit) return Math.max(at, played[0]?.at ?? 0)
  // Times are asked for in whole ms.
  const wanted = edit.from + unitsOf(at - edit.at + 0.5, timescale)
  let best = -1
  for (let index = 0; index < count; index++) if (shown[index]! <= wanted && shown[index]! > best) best = shown[index]!
  if (best < 0) return at
  return edit.at + Math.max(0, msOf(best - edit.from, timescale))
}

const within = (played: readonly Edit[], from: number, to: number, timescale: number): Edit[] =>
  played.flatMap((edit) => {
    const begin = Math.max(edit.at, from)
    const length = Math.min(edit.at + edit.length, to) - begin
    return length < 0.5 ? [] : [{ at: begin - from, from: edit.from + unitsOf(begin - edit.at, timescale), length }]
  })

/** First and last sample that edits need; undefined for none. `earlier`: units that the media begins earlier. */
function needed(
  samples: Samples,
  edits: readonly Edit[],
  timescale: number,
  earlier: number,
): { readonly first: number; readonly last: number } | undefined {
  const [begin, end] = [edits[0], edits.at(-1)]
  if (!begin || !end) return undefined
  const until = end.from + unitsOf(end.length, timescale)
  let [first, last] = [0, -1]
  for (let index = 0; index < samples.count; index++) {
    if (samples.isSync(index) && samples.shown[index]! <= begin.from - earlier) first = index
    if (samples.shown[index]! < until) last = index
  }
  return last < first ? undefined : { first, last }
}

/** Counts of equal values in a row, as `stts` and `ctts` have them. */
function runs(values: Float64Array | Int32Array | Uint32Array, first: number, last: number): Buffer {
  const entries: number[] = []
  for (let index = first; index <= last; index++) {
    const value = values[index]! >>> 0
    if (entries.length > 0 && entries.at(-1) === value) entries[entries.length - 2]!++
    else entries.push(1, value)
  }
  return Buffer.concat([u32(entries.length / 2), table(entries)])
}

function table(values: ArrayLike<number>): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4)
  for (let index = 0; index < values.length; index++) bytes.writeUInt32BE(values[index]!, index * 4)
  return bytes
}

function tablesOf(samples: Samples, first: number, last: number, isMarked: boolean): ReadTrack['tables'] {
  const count = last - first + 1
  const places: number[] = []
  const perChunk: number[] = []
  const syncs: number[] = []
  for (let index = first; index <= last; index++) {
    const follows = index > first && samples.places[index] === samples.places[index - 1]! + samples.sizes[index - 1]!
    if (follows) perChunk[perChunk.length - 1]!++
    else {
      places.push(samples.places[index]!)
      perChunk.push(1)
    }
    if (samples.isSync(index)) syncs.push(index - first + 1)
  }
  const chunkRuns: number[] = []
  perChunk.forEach((length, index) => {
    if (length !== perChunk[index - 1]) chunkRuns.push(index + 1, length, 1)
  })
  const wide = Buffer.allocUnsafe(places.length * 8)
  places.forEach((place, index) => u64(place).copy(wide, index * 8))
  return {
    stts: runs(samples.durations, first, last),
    ...(samples.offsets && { ctts: runs(samples.offsets, first, last) }),
    ...(isMarked && { stss: Buffer.concat([u32(syncs.length), table(syncs)]) }),
    stsc: Buffer.concat([u32(chunkRuns.length / 3), table(chunkRuns)]),
    stsz: Buffer.concat([u32(0, count), table(samples.sizes.subarray(first, last + 1))]),
    co64: Buffer.concat([u32(places.length), wide]),
  }
}

const noSamples = { stts: u32(0), stsc: u32(0), stsz: u32(0, 0), co64: u32(0) } as const

/**
 * Cuts a part to a range of its movie in ms, without an encoder: the media begins at the key frame before, and edits
 * say what is played of it. Sound begins with that key frame too, so that what ignores edits keeps both together.
 * Throws `Mp4Fault` when nothing lies within the range.
 */
export function cutPart({ tracks }: MergePart, wanted: number, to: number): CutPart {
  const all = tracks.map((track) => {
    const samples = readSamples(track)
    return { track, samples, played: playedOf(track, samples), timescale: track.track.timescale }
  })
  const picture = all.find(({ track }) => track.track.kind === 'video')
  const from = picture ? pictureAt(wanted, picture.played, picture.samples, picture.timescale) : wanted
  const cut = all.map((each) => ({ ...each, edits: within(each.played, from, to, each.timescale) }))
  let early = 0
  if (picture) {
    const { edits } = cut[all.indexOf(picture)]!
    const range = needed(picture.samples, edits, picture.timescale, 0)
    if (range) early = Math.max(0, msOf(edits[0]!.from - picture.samples.shown[range.first]!, picture.timescale))
  }
  let [mediaFrom, mediaEnd] = [Infinity, 0]
  const parts = cut.map(({ track, samples, edits, timescale }): ReadTrack => {
    const range = needed(samples, edits, timescale, unitsOf(track.track.kind === 'video' ? 0 : early, timescale))
    if (!range) return { ...track, pause: 0, edits: [], tables: noSamples }
    // A frame of sound needs the one before it.
    const first = track.track.kind === 'audio' && early === 0 ? Math.max(0, range.first - 1) : range.first
    const { last } = range
    const end = edits.at(-1)!.from + unitsOf(edits.at(-1)!.length, timescale)
    for (let index = first; index <= last; index++) {
      mediaFrom = Math.min(mediaFrom, samples.places[index]!)
      mediaEnd = Math.max(mediaEnd, samples.places[index]! + samples.sizes[index]!)
    }
    const begin = samples.begins[first]!
    return {
      ...track,
      pause: 0,
      edits: edits.map((edit) => ({ ...edit, from: edit.from - begin })),
      isToEnd: samples.shown.every((shown, index) => shown + samples.durations[index]! <= end + 1),
      tables: tablesOf(samples, first, last, track.tables.stss !== undefined),
    }
  })
  if (mediaEnd === 0) throw new Mp4Fault('nothing lies within the range')
  return { part: { tracks: parts, mediaFrom, mediaEnd }, from, early }
}
