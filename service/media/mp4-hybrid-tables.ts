import { indexKind, indexRecordLength } from './mp4-hybrid.ts'
import { box, fullBox, u32, u64 } from './mp4-boxes.ts'

/** Bytes of known length, produced when written. */
export interface Piece {
  readonly size: number
  bytes(): Iterable<Buffer>
}

/** Reads the sample index from its start, in blocks of whole records; repeatable. */
export type IndexPass = () => Iterable<Buffer>

/** Summary of one track in the index. */
export type TrackTally = ReturnType<typeof tallyTrack>

const blockLength = 64 * 1024

const eachRecord = function* (
  pass: IndexPass,
  track: number,
): Iterable<{ readonly block: Buffer; readonly at: number; readonly kind: number }> {
  const record: { block: Buffer; at: number; kind: number } = { block: Buffer.alloc(0), at: 0, kind: 0 }
  for (const block of pass()) {
    record.block = block
    for (let at = 0; at + indexRecordLength <= block.length; at += indexRecordLength) {
      if (block[at + 1] !== track) continue
      record.at = at
      record.kind = block[at]!
      yield record
    }
  }
}

/** Sizes of a track's tables, in one pass. */
export function tallyTrack(pass: IndexPass, track: number) {
  const tally = {
    samples: 0,
    chunks: 0,
    syncSamples: 0,
    /** Runs of `stts`, `ctts` and `stsc`. */
    durationRuns: 0,
    offsetRuns: 0,
    chunkRuns: 0,
    /** Some composition offset is not 0, or is negative. */
    offsets: false,
    negative: false,
    /** First decode time and sum of durations, in units of the track. */
    start: 0,
    duration: 0,
  }
  let duration = -1
  let offset: number | undefined
  let perChunk = -1
  for (const { block, at, kind } of eachRecord(pass, track)) {
    if (kind === indexKind.sample) {
      const length = block.readUInt32BE(at + 8)
      const shift = block.readInt32BE(at + 12)
      tally.samples++
      tally.duration += length
      if (block[at + 2]) tally.syncSamples++
      if (length !== duration) tally.durationRuns++
      if (shift !== offset) tally.offsetRuns++
      if (shift !== 0) tally.offsets = true
      if (shift < 0) tally.negative = true
      duration = length
      offset = shift
    } else if (kind === indexKind.chunk) {
      const count = block.readUInt32BE(at + 4)
      tally.chunks++
      if (count !== perChunk) tally.chunkRuns++
      perChunk = count
    } else tally.start = Number(block.readBigUInt64BE(at + 8))
  }
  return tally
}

type Record = (block: Buffer, at: number, put: (value: number) => void) => void

/** Entries of a table, from records of one kind; `last` writes the pending one. */
function* entries(
  pass: IndexPass,
  track: number,
  kind: number,
  each: Record,
  last?: (put: (value: number) => void) => void,
): Iterable<Buffer> {
  // At most three values per record.
  let out = Buffer.allocUnsafe(blockLength + 12)
  let used = 0
  const put = (value: number): void => {
    out.writeUInt32BE(value >>> 0, used)
    used += 4
  }
  for (const record of eachRecord(pass, track)) {
    if (record.kind !== kind) continue
    each(record.block, record.at, put)
    if (used >= blockLength) {
      yield out.subarray(0, used)
      out = Buffer.allocUnsafe(blockLength + 12)
      used = 0
    }
  }
  last?.(put)
  yield out.subarray(0, used)
}

function* runs(pass: IndexPass, track: number, valueAt: number): Iterable<Buffer> {
  let value: number | undefined
  let count = 0
  const close = (put: (value: number) => void): void => {
    if (value === undefined) return
    put(count)
    put(value)
  }
  yield* entries(
    pass,
    track,
    indexKind.sample,
    (block, at, put) => {
      const next = block.readUInt32BE(at + valueAt)
      if (next === value) return void count++
      close(put)
      value = next
      count = 1
    },
    close,
  )
}

function* chunkRuns(pass: IndexPass, track: number): Iterable<Buffer> {
  let perChunk = -1
  let chunk = 0
  yield* entries(pass, track, indexKind.chunk, (block, at, put) => {
    const count = block.readUInt32BE(at + 4)
    chunk++
    if (count === perChunk) return
    perChunk = count
    put(chunk)
    put(count)
    put(1)
  })
}

function* syncNumbers(pass: IndexPass, track: number): Iterable<Buffer> {
  let number = 0
  yield* entries(pass, track, indexKind.sample, (block, at, put) => {
    number++
    if (block[at + 2]) put(number)
  })
}

const table = (
  type: string,
  version: number,
  fields: Buffer,
  count: number,
  entryLength: number,
  bytes: () => Iterable<Buffer>,
): Piece => {
  const size = 12 + fields.length + count * entryLength
  return {
    size,
    *bytes() {
      const head = fullBox(type, version, 0, fields)
      head.writeUInt32BE(size, 0)
      yield head
      yield* bytes()
    },
  }
}

/** Sample tables (ISO/IEC 14496-12 8.5 to 8.7), each in a pass over the index: none is held in memory. */
export function indexTables(pass: IndexPass, track: number, tally: TrackTally): Piece[] {
  const { samples, chunks, syncSamples, durationRuns, offsetRuns, chunkRuns: chunkRunCount } = tally
  return [
    table('stts', 0, u32(durationRuns), durationRuns, 8, () => runs(pass, track, 8)),
    ...(tally.offsets
      ? [table('ctts', tally.negative ? 1 : 0, u32(offsetRuns), offsetRuns, 8, () => runs(pass, track, 12))]
      : []),
    ...(syncSamples < samples
      ? [table('stss', 0, u32(syncSamples), syncSamples, 4, () => syncNumbers(pass, track))]
      : []),
    table('stsc', 0, u32(chunkRunCount), chunkRunCount, 12, () => chunkRuns(pass, track)),
    table('stsz', 0, u32(0, samples), samples, 4, () =>
      entries(pass, track, indexKind.sample, (block, at, put) => put(block.readUInt32BE(at + 4))),
    ),
    table('co64', 0, u32(chunks), chunks, 8, () =>
      entries(pass, track, indexKind.chunk, (block, at, put) => {
        put(block.readUInt32BE(at + 8))
        put(block.readUInt32BE(at + 12))
      }),
    ),
  ]
}

/** Existing bytes as a piece. */
export const piece = (bytes: Buffer): Piece => ({ size: bytes.length, bytes: () => [bytes] })

/** A box of pieces. */
export function boxOf(type: string, ...parts: readonly Piece[]): Piece {
  const size = 8 + parts.reduce((sum, part) => sum + part.size, 0)
  return {
    size,
    *bytes() {
      const head = box(type)
      head.writeUInt32BE(size, 0)
      yield head
      for (const part of parts) yield* part.bytes()
    },
  }
}

/** An entry of an edit list in movie units; `media` in units of the track, undefined where nothing is played. */
export interface EditEntry {
  readonly duration: number
  readonly media?: number
}

/** `elst` (ISO/IEC 14496-12 8.6.6). */
export const editList = (entries: readonly EditEntry[]): Buffer =>
  box(
    'edts',
    fullBox(
      'elst',
      1,
      0,
      u32(entries.length),
      ...entries.map(({ duration, media }) =>
        Buffer.concat([u64(duration), media === undefined ? u32(0xffff_ffff, 0xffff_ffff) : u64(media), u32(0x1_0000)]),
      ),
    ),
  )
