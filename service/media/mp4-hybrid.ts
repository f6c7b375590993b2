import { ascii, box, u32, u64 } from './mp4-boxes.ts'
import { movieBox, type Mp4Track } from './mp4-init.ts'

/**
 * A recording that is playable at any moment (behaviour.md#mp4-files): `ftyp`, 16 bytes of `free`, a fragmented movie.
 * Finishing appends a full `moov` and turns `free` into the header of an `mdat` over everything before it: the same
 * bytes become an ordinary movie.
 */
const ftyp = box('ftyp', ascii('isom'), u32(0x200), ascii('isomiso6avc1mp41'))

/** Length of the box that changes from `free` to `mdat`: a header with 64-bit size (ISO/IEC 14496-12 4.2). */
export const hybridMarkLength = 16
/** Its offset. */
export const hybridMarkAt = ftyp.length

/** Start of a file being written: `ftyp`, `free`, and the `moov` of a fragmented movie. */
export const hybridHead = (tracks: readonly Mp4Track[]): Buffer =>
  Buffer.concat([ftyp, box('free', Buffer.alloc(hybridMarkLength - 8)), movieBox(tracks)])

/** The 16 bytes that turn a file into an ordinary movie whose `moov` begins at `end`. */
export const hybridMark = (end: number): Buffer => Buffer.concat([u32(1), ascii('mdat'), u64(end - hybridMarkAt)])

/** Start of an ordinary movie of the same layout with known size: `length` bytes of media, then `moov`. */
export const plainHead = (length: number): Buffer =>
  Buffer.concat([ftyp, hybridMark(hybridMarkAt + hybridMarkLength + length)])

/** Kinds of records in the sample index. */
export const indexKind = { sample: 0, chunk: 1, start: 2 } as const
/** Record length in bytes: kind, track, sync, a spare byte, then 12 bytes by kind. */
export const indexRecordLength = 16

/** A run of a fragment in the index. */
export interface IndexRun {
  readonly trackId: number
  readonly decodeTime: number
  readonly dataAt: number
  readonly samples: readonly {
    readonly size: number
    readonly duration: number
    readonly compositionOffset: number
    readonly sync: boolean
  }[]
}

/** Records of the runs of one fragment: the start of a track before its first run, then chunk and samples. */
export function indexRecords(runs: readonly IndexRun[], started: Set<number>): Buffer {
  const begins = runs.filter(({ trackId }) => !started.has(trackId)).length
  const records = Buffer.allocUnsafe(
    (begins + runs.length + runs.reduce((sum, { samples }) => sum + samples.length, 0)) * indexRecordLength,
  )
  let at = 0
  const head = (kind: number, track: number, sync: boolean, value: number): void => {
    records.writeUInt32BE((kind << 24) | (track << 16) | (sync ? 0x100 : 0), at)
    records.writeUInt32BE(value, at + 4)
  }
  const wide = (value: number): void => {
    records.writeUInt32BE(Math.floor(value / 0x1_0000_0000), at + 8)
    records.writeUInt32BE(value % 0x1_0000_0000, at + 12)
    at += indexRecordLength
  }
  for (const { trackId, decodeTime, dataAt, samples } of runs) {
    if (!started.has(trackId)) {
      started.add(trackId)
      head(indexKind.start, trackId, false, 0)
      wide(decodeTime)
    }
    head(indexKind.chunk, trackId, false, samples.length)
    wide(dataAt)
    for (const { size, duration, compositionOffset, sync } of samples) {
      head(indexKind.sample, trackId, sync, size)
      records.writeUInt32BE(Math.min(duration, 0xffff_ffff), at + 8)
      records.writeInt32BE(compositionOffset, at + 12)
      at += indexRecordLength
    }
  }
  return records
}
