import { fullBox, u16, u32, u64 } from './mp4-boxes.ts'
import { boxOf, editList, indexTables, piece, tallyTrack, type IndexPass, type Piece } from './mp4-hybrid-tables.ts'
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

/** A track with its times, in its own units, and its tables. */
export interface MovieContent {
  readonly track: MovieTrack
  /** Decode time of the first sample. */
  readonly start: number
  /** Sum of all durations. */
  readonly duration: number
  /** `stts` and the rest of `stbl` after `stsd`. */
  readonly tables: readonly Piece[]
}

/** Units per second of movie times. */
const movieTimescale = 1000
const undetermined = 0x55c4

const inMovie = (units: number, timescale: number): number => Math.ceil((units * movieTimescale) / timescale)

function trak({ track, start, duration, tables }: MovieContent): Piece {
  const { id, kind, timescale, width, height, description } = track
  const video = kind === 'video'
  const length = inMovie(start + duration, timescale)
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
  const edits =
    start > 0 ? [piece(editList(Math.round((start * movieTimescale) / timescale), inMovie(duration, timescale)))] : []
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
  const duration = Math.max(
    0,
    ...contents.map(({ track, start, duration }) => inMovie(start + duration, track.timescale)),
  )
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
export const contentsLength = (contents: readonly Pick<MovieContent, 'track' | 'start' | 'duration'>[]): number =>
  Math.round(
    Math.max(0, ...contents.map(({ track, start, duration }) => ((start + duration) * 1000) / track.timescale)),
  )
