import { ascii, box, u32, u64, u8 } from './mp4-boxes.ts'
import { movieBox, type Mp4Track } from './mp4-init.ts'

/**
 * A recording that opens at every moment (decisions, Live): `ftyp`, 16 bytes of `free`, a fragmented movie; once finished, a full `moov` lies at
 * the end and the `free` has become the head of an `mdat` that covers everything before it, so that the same bytes are an ordinary movie.
 */
const ftyp = box('ftyp', ascii('isom'), u32(0x200), ascii('isomiso6avc1mp41'))

/** Length of the box that changes from `free` to `mdat`: the head of a box with a 64-bit size (ISO/IEC 14496-12 4.2). */
export const hybridMarkLength = 16
/** Where it lies. */
export const hybridMarkAt = ftyp.length

/** The start of a file that is being written: `ftyp`, `free`, and the `moov` of a fragmented movie. */
export const hybridHead = (tracks: readonly Mp4Track[]): Buffer => Buffer.concat([ftyp, box('free', Buffer.alloc(hybridMarkLength - 8)), movieBox(tracks)])

/** The 16 bytes that turn a file into an ordinary movie whose media end, and whose full `moov` begins, at `end`. */
export const hybridMark = (end: number): Buffer => Buffer.concat([u32(1), ascii('mdat'), u64(end - hybridMarkAt)])

/** The start of an ordinary movie of the same shape, written with its size known: its media are `length` bytes, then comes `moov`. */
export const plainHead = (length: number): Buffer => Buffer.concat([ftyp, hybridMark(hybridMarkAt + hybridMarkLength + length)])

/** Kinds of records in the sample index. */
export const indexKind = { sample: 0, chunk: 1, start: 2 } as const
/** Bytes of one record: kind, track, sync, a spare byte, then 12 bytes by kind. */
export const indexRecordLength = 16

/** A sample: size, duration and composition offset in units of its track. */
export function sampleRecord(
  track: number,
  sample: { readonly data: { readonly length: number }; readonly duration: number; readonly compositionOffset: number; readonly sync: boolean },
): Buffer {
  const record = Buffer.allocUnsafe(indexRecordLength)
  record.writeUInt32BE((indexKind.sample << 24) | (track << 16) | (sample.sync ? 0x100 : 0), 0)
  record.writeUInt32BE(sample.data.length, 4)
  record.writeUInt32BE(Math.min(sample.duration, 0xffff_ffff), 8)
  record.writeInt32BE(sample.compositionOffset, 12)
  return record
}

/** A chunk of `count` samples, whose records follow, at a place in the file. */
export const chunkRecord = (track: number, count: number, at: number): Buffer => Buffer.concat([u8(indexKind.chunk, track, 0, 0), u32(count), u64(at)])

/** Decode time of a track's first sample. */
export const startRecord = (track: number, decodeTime: number): Buffer => Buffer.concat([u8(indexKind.start, track, 0, 0), u32(0), u64(decodeTime)])
