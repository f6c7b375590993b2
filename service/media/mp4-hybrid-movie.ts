import { fullBox, u16, u32, u64 } from './mp4-boxes.ts'
import {
  boxOf,
  editList,
  indexTables,
  piece,
  tallyTrack,
  type EditEntry,
  type IndexPass,
  type Piece,
} from './mp4-hybrid-tables.ts'
import { dinf, hdlr, unityMatrix } from './mp4-init.ts'

/** A track's description, apart from its samples. */
export interface MovieTrack {
  readonly id: number
  readonly kind: 'video' | 'audio'
  readonly timescale: number
  /** As in `tkhd`: 16.16 fixed point. */
  readonly width: number
  readonly height: number
  /** The whole `stsd` box. */
  readonly description: Buffer
}

/** A part of a track's media that is played: from when in ms of the movie, from where in units of the media, for ms. */
export interface Edit {
  readonly at: number
  readonly from: number
  readonly length: number
}

/** A track with its times, in its own units, and its tables. */
export interface MovieContent {
  readonly track: MovieTrack
  /** Decode time of the first sample. */
  readonly start: number
  /** Sum of all durations. */
  readonly duration: number
  /** `stts` and the rest of `stbl` after `stsd`. */
  readonly tables: readonly Piece[]
  /** What is played, in order; everything from `start` on when absent. */
  readonly edits?: readonly Edit[] | undefined
}

/** Units per second of movie times. */
const movieTimescale = 1000
const undetermined = 0x55c4

const inMovie = (units: number, timescale: number): number => Math.ceil((units * movieTimescale) / timescale)

/** Length of a track in ms. */
const lengthOf = ({ track, start, duration, edits }: Omit<MovieContent, 'tables'>): number => {
  const last = edits?.at(-1)
  return last ? last.at + last.length : ((start + duration) * 1000) / track.timescale
}

function* editEntries({ track, start, duration, edits }: MovieContent): Iterable<EditEntry> {
  if (!edits) {
    if (start === 0) return
    yield { duration: Math.round((start * movieTimescale) / track.timescale) }
    yield { duration: inMovie(duration, track.timescale), media: 0 }
    return
  }
  let end = 0
  for (const { at, from, length } of edits) {
    const begin = Math.round(at)
    if (begin > end) yield { duration: begin - end }
    end = Math.round(at + length)
    yield { duration: end - begin, media: from }
  }
}

function trak(content: MovieContent): Piece {
  const { track, start, duration, tables } = content
  const { id, kind, timescale, width, height, description } = track
  const video = kind === 'video'
  const length = content.edits ? Math.ceil(lengthOf(content)) : inMovie(start + duration, timescale)
  const tkhd = fullBox(
    'tkhd',
    1,
    7,
    u64(0),
    u64(0),
    u32(id, 0),
    u64(length),
    u32(0, 0),
    u16(0, video ? 0 : 1, video ? 0 : 0x100, 0),
    unityMatrix,
    u32(width, height),
  )
  const mdhd = fullBox('mdhd', 1, 0, u64(0), u64(0), u32(timescale), u64(duration), u16(undetermined, 0))
  const media = video ? fullBox('vmhd', 0, 1, u16(0, 0, 0, 0)) : fullBox('smhd', 0, 0, u16(0, 0))
  const entries = [...editEntries(content)]
  const edits = entries.length > 0 ? [piece(editList(entries))] : []
  return boxOf(
    'trak',
    piece(tkhd),
    ...edits,
    boxOf(
      'mdia',
      piece(mdhd),
      piece(hdlr(video ? 'vide' : 'soun', video ? 'Video' : 'Sound')),
      boxOf('minf', piece(media), piece(dinf), boxOf('stbl', piece(description), ...tables)),
    ),
  )
}

/** `moov` of an ordinary movie (ISO/IEC 14496-12 8.2). */
export function movie(contents: readonly MovieContent[]): Piece {
  const duration = Math.max(0, ...contents.map((content) => Math.ceil(lengthOf(content))))
  const next = Math.max(0, ...contents.map(({ track }) => track.id)) + 1
  const mvhd = fullBox(
    'mvhd',
    1,
    0,
    u64(0),
    u64(0),
    u32(movieTimescale),
    u64(duration),
    u32(0x1_0000),
    u16(0x100, 0),
    u32(0, 0),
    unityMatrix,
    Buffer.alloc(24),
    u32(next),
  )
  return boxOf('moov', piece(mvhd), ...contents.map(trak))
}

/** `moov` for the samples of an index, and the movie's length in ms; empty tracks are omitted. */
export function movieOfIndex(
  tracks: readonly MovieTrack[],
  pass: IndexPass,
): { readonly moov: Piece; readonly duration: number } {
  const contents = tracks.flatMap((track): MovieContent[] => {
    const tally = tallyTrack(pass, track.id)
    return tally.samples === 0
      ? []
      : [{ track, start: tally.start, duration: tally.duration, tables: indexTables(pass, track.id, tally) }]
  })
  return { moov: movie(contents), duration: contentsLength(contents) }
}

/** Length of a movie in ms. */
export const contentsLength = (contents: readonly Omit<MovieContent, 'tables'>[]): number =>
  Math.round(Math.max(0, ...contents.map(lengthOf)))
