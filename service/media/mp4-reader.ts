import type { IndexRun } from './mp4-hybrid.ts'
import type { Edit, MovieTrack } from './mp4-hybrid-movie.ts'

/** Reads a file at any offset; short reads only at its end. */
export interface ByteSource {
  readonly size: number
  read(at: number, length: number): Buffer
}

/** Not a movie of ours, or beyond the bounds. */
export class Mp4Fault extends Error {}

/** A box in a file: offset with header, and range of its contents. */
export interface FileBox {
  readonly type: string
  readonly at: number
  readonly from: number
  readonly end: number
}

/** Longest accepted `moov` and `moof`; 4 h at 60 fps with audio need about 30 MB. */
export const maxMovie = 128 * 1024 * 1024
const maxFragment = 4 * 1024 * 1024

/** Reads the header of a box (ISO/IEC 14496-12 4.2); undefined when incomplete or invalid. */
export function readBox(source: ByteSource, at: number): FileBox | undefined {
  const head = source.read(at, 16)
  if (head.length < 8) return undefined
  const size = head.readUInt32BE(0)
  const type = head.toString('latin1', 4, 8)
  if (size !== 1) return size < 8 ? undefined : { type, at, from: at + 8, end: at + size }
  const long = head.length < 16 ? 0n : head.readBigUInt64BE(8)
  return long < 16n || long > BigInt(Number.MAX_SAFE_INTEGER)
    ? undefined
    : { type, at, from: at + 16, end: at + Number(long) }
}

/** Boxes of a file in order, up to the first incomplete one. */
export function* fileBoxes(source: ByteSource): Iterable<FileBox> {
  for (let at = 0; at < source.size;) {
    const box = readBox(source, at)
    if (!box || box.end > source.size) return
    yield box
    at = box.end
  }
}

/** Boxes in a buffer, by type; throws on an invalid size. */
export function children(
  bytes: Buffer,
): { readonly type: string; readonly whole: Buffer; readonly contents: Buffer }[] {
  const found = []
  for (let at = 0; at < bytes.length;) {
    const size = at + 8 <= bytes.length ? bytes.readUInt32BE(at) : 0
    if (size < 8 || at + size > bytes.length) throw new Mp4Fault('a box is broken')
    found.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      whole: bytes.subarray(at, at + size),
      contents: bytes.subarray(at + 8, at + size),
    })
    at += size
  }
  return found
}

const child = (bytes: Buffer, type: string): Buffer | undefined =>
  children(bytes).find((one) => one.type === type)?.contents
const needed = (bytes: Buffer, ...path: readonly string[]): Buffer =>
  path.reduce((contents, type) => {
    const found = child(contents, type)
    if (!found) throw new Mp4Fault(`the box ${type} is missing`)
    return found
  }, bytes)

/** A track: its tables are box contents without version and flags, within the `moov`. */
export interface ReadTrack {
  readonly track: MovieTrack
  /** Its start, in ms of the movie. */
  readonly pause: number
  /** What is played of its media, of a clip; absent where that is everything after the pause. */
  readonly edits?: readonly Edit[]
  /** Of a cut: its media ends with its last edit. */
  readonly isToEnd?: boolean
  readonly tables: { readonly [type in 'stts' | 'ctts' | 'stss' | 'stsc' | 'stsz' | 'stco' | 'co64']?: Buffer }
  readonly offsetVersion: number
}

/** A source of a merge or a cut: its tracks and the place of its media. */
export interface MergePart {
  readonly tracks: readonly ReadTrack[]
  readonly mediaFrom: number
  readonly mediaEnd: number
}
const tableTypes = ['stts', 'ctts', 'stss', 'stsc', 'stsz', 'stco', 'co64'] as const

/** Reads the contents of a `moov`; throws `Mp4Fault`. */
export function readMovie(moov: Buffer): ReadTrack[] {
  try {
    const mvhd = needed(moov, 'mvhd')
    const movieTimescale = mvhd.readUInt32BE(mvhd[0] === 1 ? 20 : 12)
    return children(moov).flatMap(({ type, contents }) =>
      type === 'trak' ? [readTrack(contents, movieTimescale)] : [],
    )
  } catch (error) {
    if (error instanceof RangeError) throw new Mp4Fault('a box of the movie is cut short', { cause: error })
    throw error
  }
}

function readTrack(trak: Buffer, movieTimescale: number): ReadTrack {
  const tkhd = needed(trak, 'tkhd')
  const mdhd = needed(trak, 'mdia', 'mdhd')
  const handler = needed(trak, 'mdia', 'hdlr').toString('latin1', 8, 12)
  if (handler !== 'vide' && handler !== 'soun') throw new Mp4Fault('a track is neither picture nor sound')
  const boxes = children(needed(trak, 'mdia', 'minf', 'stbl'))
  const description = boxes.find(({ type }) => type === 'stsd')?.whole
  if (!description) throw new Mp4Fault('the box stsd is missing')
  const timescale = mdhd.readUInt32BE(mdhd[0] === 1 ? 20 : 12)
  if (timescale === 0) throw new Mp4Fault('a timescale is 0')
  const ctts = boxes.find(({ type }) => type === 'ctts')
  return {
    track: {
      id: tkhd.readUInt32BE(tkhd[0] === 1 ? 20 : 12),
      kind: handler === 'vide' ? 'video' : 'audio',
      timescale,
      width: tkhd.readUInt32BE(tkhd.length - 8),
      height: tkhd.readUInt32BE(tkhd.length - 4),
      description,
    },
    ...readEdits(trak, movieTimescale, (mediaDuration(mdhd) * 1000) / timescale),
    tables: Object.fromEntries(
      tableTypes.flatMap((type) =>
        boxes.filter((one) => one.type === type).map(({ contents }) => [type, contents.subarray(4)]),
      ),
    ),
    offsetVersion: ctts?.contents[0] ?? 0,
  }
}

const mediaDuration = (mdhd: Buffer): number =>
  mdhd[0] === 1 ? Number(mdhd.readBigUInt64BE(24)) : mdhd.readUInt32BE(16)

/** A pause, then everything; or parts of the media in its order, as clips have. `length`: of the media, in ms. */
function readEdits(trak: Buffer, movieTimescale: number, length: number): Pick<ReadTrack, 'pause' | 'edits'> {
  const edts = child(trak, 'edts')
  if (!edts) return { pause: 0 }
  const elst = needed(edts, 'elst')
  const wide = elst[0] === 1
  const count = elst.readUInt32BE(4)
  const time = (at: number): number => (wide ? Number(elst.readBigInt64BE(at)) : elst.readInt32BE(at))
  const step = wide ? 20 : 12
  const ms = (units: number): number => (units * 1000) / movieTimescale
  const edits: Edit[] = []
  let end = 0
  let played = 0
  for (let index = 0, at = 8; index < count; index++, at += step) {
    const duration = time(at)
    const from = time(at + (wide ? 8 : 4))
    if (from !== -1) {
      if (from < played) throw new Mp4Fault('edits that go back in the media')
      edits.push({ at: ms(end), from, length: ms(duration) })
      played = from + 1
    }
    end += duration
  }
  const [first] = edits
  if (!first) return { pause: ms(end) }
  const isAll = edits.length === 1 && first.from === 0 && first.length >= length - 1
  return { pause: first.at, ...(!isAll && { edits }) }
}

/** A complete fragment of the file. */
export interface ReadFragment {
  readonly runs: readonly IndexRun[]
  readonly end: number
}

const notSync = 0x1_0000

function readRun(traf: Buffer, moofAt: number): IndexRun {
  const tfhd = needed(traf, 'tfhd')
  const tfdt = needed(traf, 'tfdt')
  const trun = needed(traf, 'trun')
  const flags = trun.readUIntBE(1, 3)
  // Exactly what we write: data offset; duration, size and flags per sample; offsets if any is not 0.
  if ((flags & ~0x800) !== 0x701 || tfdt[0] !== 1) throw new Mp4Fault('a fragment that is not ours')
  const offsets = (flags & 0x800) !== 0
  const samples = []
  const count = trun.readUInt32BE(4)
  for (let index = 0, at = 12; index < count; index++, at += offsets ? 16 : 12) {
    samples.push({
      duration: trun.readUInt32BE(at),
      size: trun.readUInt32BE(at + 4),
      sync: (trun.readUInt32BE(at + 8) & notSync) === 0,
      compositionOffset: offsets ? trun.readInt32BE(at + 12) : 0,
    })
  }
  return {
    trackId: tfhd.readUInt32BE(4),
    decodeTime: Number(tfdt.readBigUInt64BE(4)),
    dataAt: moofAt + trun.readInt32BE(8),
    samples,
  }
}

/** Fragments (`moof` and `mdat`) from an offset, up to the first that is incomplete or not ours. */
export function* fragments(source: ByteSource, from: number): Iterable<ReadFragment> {
  for (let at = from; ;) {
    const moof = readBox(source, at)
    if (moof?.type !== 'moof' || moof.end - at > maxFragment || moof.end > source.size) return
    const mdat = readBox(source, moof.end)
    if (mdat?.type !== 'mdat' || mdat.end > source.size) return
    try {
      const runs = children(source.read(moof.from, moof.end - moof.from)).flatMap(({ type, contents }) =>
        type === 'traf' ? [readRun(contents, at)] : [],
      )
      yield { runs, end: mdat.end }
    } catch (error) {
      if (error instanceof Mp4Fault || error instanceof RangeError) return
      throw error
    }
    at = mdat.end
  }
}
