import { hybridMarkAt, hybridMarkLength, plainHead } from './mp4-hybrid.ts'
import { contentsLength, movie, type Edit, type MovieContent } from './mp4-hybrid-movie.ts'
import { piece, type Piece } from './mp4-hybrid-tables.ts'
import { fullBox, u32 } from './mp4-boxes.ts'
import { cutPart } from './mp4-cut.ts'
import {
  fileBoxes,
  maxMovie,
  Mp4Fault,
  readMovie,
  type ByteSource,
  type MergePart,
  type ReadTrack,
} from './mp4-reader.ts'

/** Reads a finished movie for a merge: one `mdat`, then `moov`. Throws `Mp4Fault`. */
export function readMergePart(source: ByteSource): MergePart {
  const boxes = [...fileBoxes(source)]
  const mdat = boxes.filter(({ type }) => type === 'mdat')
  const moov = boxes.filter(({ type }) => type === 'moov')
  if (mdat.length !== 1 || moov.length !== 1 || boxes.at(-1)?.end !== source.size)
    throw new Mp4Fault('the file is not a finished movie')
  const { from, end } = moov[0]!
  if (end - from > maxMovie) throw new Mp4Fault('the moov is too long')
  return { tracks: readMovie(source.read(from, end - from)), mediaFrom: mdat[0]!.from, mediaEnd: mdat[0]!.end }
}

/** Whether parts can be joined: equal tracks and byte-equal sample descriptions. */
export const canFollow = (first: Pick<MergePart, 'tracks'>, other: Pick<MergePart, 'tracks'>): boolean =>
  first.tracks.length === other.tracks.length &&
  first.tracks.every(({ track }, index) => {
    const { track: second } = other.tracks[index]!
    return (
      track.kind === second.kind && track.timescale === second.timescale && track.description.equals(second.description)
    )
  })

const sum = (stts: Buffer): number => {
  let total = 0
  for (let at = 4; at + 8 <= stts.length; at += 8) total += stts.readUInt32BE(at) * stts.readUInt32BE(at + 4)
  return total
}
const count = (stsz: Buffer): number => stsz.readUInt32BE(4)
const unitsOf = (ms: number, timescale: number): number => Math.round((ms * timescale) / 1000)

class JoinedTrack {
  readonly #track: ReadTrack['track']
  readonly #offsetVersion: number
  readonly #durations: Buffer[] = []
  readonly #offsets: Buffer[] = []
  readonly #syncs: Buffer[] = []
  readonly #chunkRuns: Buffer[] = []
  readonly #sizes: Buffer[] = []
  readonly #places: Buffer[] = []
  readonly #withOffsets: boolean
  readonly #withSyncs: boolean
  /** Of clips: what is played. */
  readonly #edits: Edit[] | undefined
  #isToEnd = false
  #samples = 0
  #chunks = 0
  start = 0
  duration = 0

  constructor(all: readonly ReadTrack[]) {
    this.#track = all[0]!.track
    this.#offsetVersion = Math.max(...all.map(({ offsetVersion }) => offsetVersion))
    this.#withOffsets = all.some(({ tables }) => tables.ctts)
    this.#withSyncs = all.some(({ tables }) => tables.stss)
    this.#edits = all.some(({ edits }) => edits) ? [] : undefined
  }

  /** End of what was added, in ms of the movie. */
  get end(): number {
    const last = this.#edits?.at(-1)
    return last ? last.at + last.length : ((this.start + this.duration) * 1000) / this.#track.timescale
  }

  /** Adds a part that starts at `base` ms and whose media moves by `shift` bytes. */
  add(part: ReadTrack, base: number, shift: number): void {
    const { tables, pause, track } = part
    const { stts, ctts, stss, stsc, stsz, co64, stco } = tables
    const places = co64 ?? stco
    if (!stts || !stsc || !stsz || !places || stsz.readUInt32BE(0) !== 0)
      throw new Mp4Fault('a table of samples is missing')
    const samples = count(stsz)
    const begin = unitsOf(base + pause, track.timescale)
    if (this.#edits) this.#play(part, this.#edits, base)
    else if (this.#samples === 0) this.start = begin
    else if (samples > 0) this.#stretch(begin - this.start - this.duration)
    // Copies: the last run may be extended, and the source's tables should not be retained.
    this.#durations.push(Buffer.from(stts.subarray(4)))
    if (this.#withOffsets) this.#offsets.push(ctts ? ctts.subarray(4) : samples > 0 ? u32(samples, 0) : u32())
    if (this.#withSyncs) this.#syncs.push(this.#numbers(stss, samples))
    this.#chunkRuns.push(this.#renumbered(stsc))
    this.#sizes.push(stsz.subarray(8))
    this.#places.push(this.#shifted(places, co64 !== undefined, shift))
    this.#samples += samples
    this.#chunks += places.readUInt32BE(0)
    this.duration += sum(stts)
  }

  #play({ edits = [], isToEnd = false, track }: ReadTrack, played: Edit[], base: number): void {
    const [first] = edits
    const last = played.at(-1)
    if (!first) return
    // The media goes on until the next part: players know pauses at the begin of a track only.
    const gap = last && this.#isToEnd ? base + first.at - last.at - last.length : 0
    if (last && gap > 0) {
      played.push({ ...played.pop()!, length: last.length + gap })
      this.#stretch(unitsOf(gap, track.timescale))
    }
    for (const { at, from, length } of edits) played.push({ at: base + at, from: this.duration + from, length })
    this.#isToEnd = isToEnd
  }

  /** Extends the last sample to the begin of the next part. */
  #stretch(units: number): void {
    const last = this.#durations.pop()
    if (!last || units === 0) return void (last && this.#durations.push(last))
    const at = last.length - 8
    const length = Math.max(0, last.readUInt32BE(at + 4) + units)
    this.duration += length - last.readUInt32BE(at + 4)
    const repeats = last.readUInt32BE(at)
    if (repeats > 1) {
      last.writeUInt32BE(repeats - 1, at)
      this.#durations.push(last, u32(1, length))
    } else {
      last.writeUInt32BE(length, at + 4)
      this.#durations.push(last)
    }
  }

  #numbers(stss: Buffer | undefined, samples: number): Buffer {
    const numbers = stss ? Buffer.from(stss.subarray(4)) : Buffer.alloc(samples * 4)
    for (let at = 0; at < numbers.length; at += 4)
      numbers.writeUInt32BE((stss ? numbers.readUInt32BE(at) : at / 4 + 1) + this.#samples, at)
    return numbers
  }

  #renumbered(stsc: Buffer): Buffer {
    const runs = Buffer.from(stsc.subarray(4))
    for (let at = 0; at < runs.length; at += 12) runs.writeUInt32BE(runs.readUInt32BE(at) + this.#chunks, at)
    return runs
  }

  #shifted(places: Buffer, wide: boolean, shift: number): Buffer {
    const step = wide ? 8 : 4
    const total = places.readUInt32BE(0)
    const shifted = Buffer.allocUnsafe(total * 8)
    for (let index = 0; index < total; index++) {
      const at = 4 + index * step
      const place =
        (wide ? places.readUInt32BE(at) * 0x1_0000_0000 + places.readUInt32BE(at + 4) : places.readUInt32BE(at)) + shift
      shifted.writeUInt32BE(Math.floor(place / 0x1_0000_0000), index * 8)
      shifted.writeUInt32BE(place % 0x1_0000_0000, index * 8 + 4)
    }
    return shifted
  }

  content(): MovieContent {
    const entries = (
      type: string,
      version: number,
      parts: readonly Buffer[],
      length: number,
      ...before: number[]
    ): Piece => {
      const bytes = Buffer.concat(parts)
      return piece(fullBox(type, version, 0, u32(...before, bytes.length / length), bytes))
    }
    const tables = [
      entries('stts', 0, this.#durations, 8),
      ...(this.#withOffsets ? [entries('ctts', this.#offsetVersion, this.#offsets, 8)] : []),
      ...(this.#withSyncs ? [entries('stss', 0, this.#syncs, 4)] : []),
      entries('stsc', 0, this.#chunkRuns, 12),
      entries('stsz', 0, this.#sizes, 4, 0),
      entries('co64', 0, this.#places, 8),
    ]
    return { track: this.#track, start: this.start, duration: this.duration, tables, edits: this.#edits }
  }
}

/**
 * Plans the merge of parts in order (behaviour.md#merging). Media is copied unchanged; a part begins at the later of
 * the audio and video ends before it, so each part keeps its synchronisation. Throws `Mp4Fault` when parts do not fit.
 */
export function planMerge(parts: readonly MergePart[]) {
  // Beside a clip every file is a cut of itself.
  const isCut = parts.some(({ tracks }) => tracks.some(({ edits }) => edits))
  return join(isCut ? parts.map((part) => cutPart(part, 0, Infinity).part) : parts)
}

function join(parts: readonly MergePart[]) {
  const [first] = parts
  if (!first) throw new Mp4Fault('nothing to merge')
  for (const part of parts) if (!canFollow(first, part)) throw new Mp4Fault('the files do not have the same codecs')
  const joined = first.tracks.map((_, index) => new JoinedTrack(parts.map(({ tracks }) => tracks[index]!)))
  const copies: { part: number; from: number; length: number }[] = []
  let base = 0
  let at = hybridMarkAt + hybridMarkLength
  parts.forEach((part, index) => {
    const length = part.mediaEnd - part.mediaFrom
    copies.push({ part: index, from: part.mediaFrom, length })
    joined.forEach((track, number) => track.add(part.tracks[number]!, base, at - part.mediaFrom))
    at += length
    base = Math.max(...joined.map(({ end }) => end))
  })
  const contents = joined.map((track) => track.content()).filter(({ edits }) => edits?.length !== 0)
  const moov = movie(contents)
  return {
    head: plainHead(at - hybridMarkAt - hybridMarkLength),
    copies,
    moov,
    duration: contentsLength(contents),
    size: at + moov.size,
  }
}

/**
 * Plans a file of what lies between `from` ms of the first part and `to` ms of the last (behaviour.md#clips), exact by
 * edits. Says where it begins in the first part, and by how many ms a player that ignores edits begins earlier.
 */
export function planTrim(parts: readonly MergePart[], from: number, to: number) {
  const [first] = parts
  if (!first) throw new Mp4Fault('nothing to cut')
  const cuts = parts.map((part, index) =>
    cutPart(part, index === 0 ? from : 0, index === parts.length - 1 ? to : Infinity),
  )
  return { ...join(cuts.map(({ part }) => part)), from: cuts[0]!.from, early: cuts[0]!.early }
}
