import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { flvRecordingPatches, scanFlvRecording } from '../media/flv-recording.ts'
import { hybridMark, hybridMarkAt, hybridMarkLength, indexRecordLength, indexRecords } from '../media/mp4-hybrid.ts'
import { movieOfIndex, type MovieTrack } from '../media/mp4-hybrid-movie.ts'
import type { IndexPass, Piece } from '../media/mp4-hybrid-tables.ts'
import { fragments, maxMovie, Mp4Fault, readBox, readMovie, type FileBox } from '../media/mp4-reader.ts'
import { openSource, type SourceFile, type WorkResult } from './work.ts'

const blockLength = 1024 * 1024
const writeLength = 256 * 1024

/** Writes all bytes at an offset. */
export function writeAll(descriptor: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done)
}

/** Writes a piece in blocks; returns its end. */
export function writePiece(descriptor: number, { bytes }: Piece, at: number): number {
  let waiting: Buffer[] = []
  let length = 0
  let end = at
  const flush = (): void => {
    writeAll(descriptor, Buffer.concat(waiting, length), end)
    end += length
    waiting = []
    length = 0
  }
  for (const part of bytes()) {
    waiting.push(part)
    length += part.length
    if (length >= writeLength) flush()
  }
  flush()
  return end
}

const passOver = (path: string): IndexPass =>
  function* () {
    const descriptor = openSync(path, 'r')
    const block = Buffer.allocUnsafe(blockLength)
    try {
      for (let at = 0; ;) {
        const got = readSync(descriptor, block, 0, blockLength, at)
        const whole = got - (got % indexRecordLength)
        if (whole === 0) return
        yield block.subarray(0, whole)
        at += whole
      }
    } finally {
      closeSync(descriptor)
    }
  }

/** Rebuilds the sample index from the fragments; returns the end of the last complete one. */
function rebuildIndex(source: SourceFile, from: number, path: string): number {
  const descriptor = openSync(path, 'w', 0o600)
  const started = new Set<number>()
  let end = from
  let at = 0
  let waiting: Buffer[] = []
  const flush = (): void => {
    const bytes = Buffer.concat(waiting)
    writeAll(descriptor, bytes, at)
    at += bytes.length
    waiting = []
  }
  try {
    for (const { runs, end: next } of fragments(source, from)) {
      waiting.push(indexRecords(runs, started))
      if (waiting.length > 1000) flush()
      end = next
    }
    flush()
  } finally {
    closeSync(descriptor)
  }
  return end
}

const readTracks = (source: SourceFile, { from, end }: FileBox): MovieTrack[] => {
  if (end - from > maxMovie) throw new Mp4Fault('the moov is too long')
  return readMovie(source.read(from, end - from)).map(({ track }) => track)
}

/** Figures of a file that was finished before the crash. */
function figuresOf(source: SourceFile, mdat: FileBox): WorkResult {
  const moov = readBox(source, mdat.end)
  if (moov?.type !== 'moov' || moov.end !== source.size) throw new Mp4Fault('the file does not end with its moov')
  const mvhd = source.read(moov.from, 44)
  return { bytes: source.size, duration: Math.round((Number(mvhd.readBigUInt64BE(32)) * 1000) / mvhd.readUInt32BE(28)) }
}

/** Appends the `moov` and syncs; without space for it the file stays unchanged. */
function append({ descriptor }: SourceFile, moov: Piece, end: number): number {
  try {
    const bytes = writePiece(descriptor, moov, end)
    fsyncSync(descriptor)
    return bytes
  } catch (error) {
    ftruncateSync(descriptor, end)
    throw error
  }
}

/** Finishes a hybrid MP4 (behaviour.md#mp4-files). Can be repeated after a crash. */
export function finishMp4(options: {
  readonly path: string
  readonly index: string
  readonly recover: boolean
}): WorkResult {
  const { path, index, recover } = options
  const source = openSource(path, 'r+')
  try {
    const mark = readBox(source, hybridMarkAt)
    if (mark?.type === 'mdat') return figuresOf(source, mark)
    const head = readBox(source, hybridMarkAt + hybridMarkLength)
    if (mark?.type !== 'free' || head?.type !== 'moov' || head.end > source.size)
      throw new Mp4Fault('the file does not begin as a recording')
    const tracks = readTracks(source, head)
    const end = recover || !existsSync(index) ? rebuildIndex(source, head.end, index) : source.size
    if (end === head.end) return { bytes: 0, duration: 0 }
    ftruncateSync(source.descriptor, end)
    const { moov, duration } = movieOfIndex(tracks, passOver(index))
    const bytes = append(source, moov, end)
    writeAll(source.descriptor, hybridMark(end), hybridMarkAt)
    fsyncSync(source.descriptor)
    rmSync(index, { force: true })
    return { bytes, duration }
  } finally {
    source.close()
  }
}

/** Finishes an FLV: duration, size and key-frame index. Can be repeated after a crash. */
export function finishFlv(options: {
  readonly path: string
  readonly end?: {
    readonly duration: number
    readonly keyFrames: readonly { readonly at: number; readonly time: number }[]
  }
}): WorkResult {
  const { path, end } = options
  const source = openSource(path, 'r+')
  try {
    const scan = end ? undefined : scanFlvRecording(source)
    const known = end ?? scan
    if (!known) return { bytes: 0, duration: 0 }
    const bytes = scan?.end ?? source.size
    if (scan) ftruncateSync(source.descriptor, bytes)
    const patches = flvRecordingPatches(scan?.head ?? readHead(source), {
      duration: known.duration,
      size: bytes,
      keyFrames: known.keyFrames,
    })
    for (const patch of patches ?? []) writeAll(source.descriptor, patch.bytes, patch.at)
    fdatasyncSync(source.descriptor)
    return { bytes, duration: known.duration }
  } finally {
    source.close()
  }
}

/** File header, first size, first tag. */
const readHead = (source: SourceFile): Buffer => source.read(0, 28 + source.read(14, 3).readUIntBE(0, 3))
