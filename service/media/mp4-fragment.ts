import { ascii, box, fullBox, u32, u64 } from './mp4-boxes.ts'

/** A sample on its track's time line, in decode order. */
export interface Mp4Sample {
  /** Access unit with length-prefixed NAL units, or an AAC frame without header. Shared, never changed. */
  readonly data: Buffer
  readonly decodeTime: number
  readonly duration: number
  /** Presentation minus decode time; all times in units of the track's timescale. */
  readonly compositionOffset: number
  /** Decoding can begin here. */
  readonly sync: boolean
}

/** Consecutive samples of one track, at least one. */
export interface Mp4Run {
  readonly trackId: number
  readonly samples: readonly Mp4Sample[]
}

// trun flags (14496-12 8.8.8): data offset, then per sample duration, size, flags and composition offset.
const runFlags = 0x1 | 0x100 | 0x200 | 0x400
const withOffsets = 0x800
const defaultBaseIsMoof = 0x2_0000
// sample_depends_on and sample_is_non_sync_sample (14496-12 8.6.4, 8.8.3.1).
const syncSample = 0x200_0000
const otherSample = 0x101_0000

/** A longer gap appears in the decode time of the next fragment. */
const maxDuration = 0xffff_ffff

const styp = box('styp', ascii('msdh'), u32(0), ascii('msdhmsixcmfs'))

function trun(samples: readonly Mp4Sample[], dataOffset: number): Buffer {
  const offsets = samples.some(({ compositionOffset }) => compositionOffset !== 0)
  // Version 1 has signed offsets. Players shift the whole track for it, so only if needed.
  const version = samples.some(({ compositionOffset }) => compositionOffset < 0) ? 1 : 0
  const table = Buffer.allocUnsafe(8 + samples.length * (offsets ? 16 : 12))
  table.writeUInt32BE(samples.length, 0)
  table.writeInt32BE(dataOffset, 4)
  let at = 8
  for (const sample of samples) {
    table.writeUInt32BE(Math.min(sample.duration, maxDuration), at)
    table.writeUInt32BE(sample.data.length, at + 4)
    table.writeUInt32BE(sample.sync ? syncSample : otherSample, at + 8)
    if (offsets) table.writeInt32BE(sample.compositionOffset, at + 12)
    at += offsets ? 16 : 12
  }
  return fullBox('trun', version, runFlags | (offsets ? withOffsets : 0), table)
}

function moof(sequence: number, runs: readonly Mp4Run[], dataStart: number): Buffer {
  let offset = dataStart
  const trafs = runs.map(({ trackId, samples }) => {
    const traf = box(
      'traf',
      fullBox('tfhd', 0, defaultBaseIsMoof, u32(trackId)),
      fullBox('tfdt', 1, 0, u64(samples[0]?.decodeTime ?? 0)),
      trun(samples, offset),
    )
    for (const { data } of samples) offset += data.length
    return traf
  })
  return box('moof', fullBox('mfhd', 0, 0, u32(sequence)), ...trafs)
}

/** A fragment as bytes before the data (`moof` and `mdat` header) and the data, uncopied. Empty runs are omitted. */
export function fragmentParts(
  sequence: number,
  all: readonly Mp4Run[],
): { readonly head: Buffer; readonly data: readonly Buffer[]; readonly runs: readonly Mp4Run[] } {
  const runs = all.filter(({ samples }) => samples.length > 0)
  const size = moof(sequence, runs, 0).length
  const data = runs.flatMap(({ samples }) => samples.map((sample) => sample.data))
  const head = Buffer.allocUnsafe(8)
  head.writeUInt32BE(8 + data.reduce((sum, { length }) => sum + length, 0), 0)
  head.write('mdat', 4, 'latin1')
  return { head: Buffer.concat([moof(sequence, runs, size + 8), head]), data, runs }
}

/** `moof` and `mdat` in one buffer (ISO/IEC 14496-12 8.8); empty runs are omitted. */
export function fragment(sequence: number, all: readonly Mp4Run[], options: { readonly styp?: boolean } = {}): Buffer {
  const { head, data } = fragmentParts(sequence, all)
  return Buffer.concat([...(options.styp ? [styp] : []), head, ...data])
}
