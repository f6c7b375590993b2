import { EcmaArray, type Amf0Object } from './amf0.ts'
import { writeAmf0 } from './amf0-writer.ts'
import { flvHeader, flvTagOverhead, flvTagType, writeFlvTag } from './flv-writer.ts'
import type { ByteSource } from './mp4-reader.ts'

/** Values known at the end. */
export interface FlvRecordingEnd {
  /** In ms. */
  readonly duration: number
  readonly size: number
  readonly keyFrames: readonly FlvKeyFrame[]
}

/** A key frame: offset of its tag, and time in ms. */
export interface FlvKeyFrame {
  readonly at: number
  readonly time: number
}

/** Bytes to overwrite at an offset. */
export interface FlvPatch {
  readonly at: number
  readonly bytes: Buffer
}

/** Entries of the key-frame index: one per two seconds of the planned length in ms, at least 64. */
export const flvIndexRoom = (duration: number): number => Math.min(4096, Math.max(64, Math.ceil(duration / 2000)))

// Of equal length, so that the index is renamed in one write once complete: no reader sees a partial one.
const indexName = 'keyframes'
const reservedName = 'unfilled!'

/** Header and `onMetaData` with zeros and an index of `capacity` entries (behaviour.md#flv-files). */
export function flvRecordingHead(
  {
    video,
    audio,
  }: {
    readonly video?: { readonly width: number; readonly height: number }
    readonly audio?: { readonly sampleRate: number; readonly channels: number }
  },
  capacity: number,
): Buffer {
  const zeros: number[] = Array.from({ length: capacity }, () => 0)
  const members: Amf0Object = {
    duration: 0,
    filesize: 0,
    ...(video && { width: video.width, height: video.height, videocodecid: 7 }),
    ...(audio && {
      audiocodecid: 10,
      audiosamplerate: audio.sampleRate,
      audiosamplesize: 16,
      stereo: audio.channels > 1,
    }),
    [reservedName]: { filepositions: zeros, times: zeros },
  }
  const body = writeAmf0('onMetaData', new EcmaArray(members))
  return Buffer.concat([
    flvHeader({ video: video !== undefined, audio: audio !== undefined }),
    writeFlvTag('data', 0, body),
  ])
}

const number = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeDoubleBE(value)
  return bytes
}

/** Patches of the head of a finished file, in order; undefined when the head is not ours. Idempotent. */
export function flvRecordingPatches(
  head: Buffer,
  { duration, size, keyFrames }: FlvRecordingEnd,
): FlvPatch[] | undefined {
  const after = (name: string): number => {
    const at = head.indexOf(Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name)]))
    return at < 0 ? at : at + 2 + name.length
  }
  const durationAt = after('duration')
  const sizeAt = after('filesize')
  const named = Math.max(after(reservedName), after(indexName))
  const positionsAt = after('filepositions')
  const timesAt = after('times')
  if ([durationAt, sizeAt, named, positionsAt, timesAt].some((at) => at < 0) || timesAt + 5 > head.length)
    return undefined
  const capacity = head.readUInt32BE(positionsAt + 1)
  if (head.readUInt32BE(timesAt + 1) !== capacity || timesAt + 5 + capacity * 9 > head.length) return undefined
  const patches: FlvPatch[] = [
    { at: durationAt + 1, bytes: number(duration / 1000) },
    { at: sizeAt + 1, bytes: number(size) },
  ]
  const chosen = thinned(keyFrames, capacity)
  const last = chosen.at(-1)
  if (!last) return patches
  const column = (at: number, value: (one: FlvKeyFrame) => number): FlvPatch => {
    // Unused entries repeat the last one, which readers accept.
    const bytes = Buffer.concat(
      Array.from({ length: capacity }, (_, index) =>
        Buffer.concat([Buffer.from([0]), number(value(chosen[index] ?? last))]),
      ),
    )
    return { at: at + 5, bytes }
  }
  patches.push(
    column(positionsAt, (one) => one.at),
    column(timesAt, (one) => one.time / 1000),
  )
  patches.push({ at: named - indexName.length, bytes: Buffer.from(indexName) })
  return patches
}

const thinned = <T>(all: readonly T[], capacity: number): T[] => {
  const step = Math.ceil(all.length / capacity) || 1
  return all.filter((_, index) => index % step === 0)
}

/** Collects key frames in bounded memory: at the limit every second one is dropped. */
export class FlvKeyFrames {
  readonly #capacity: number
  #kept: FlvKeyFrame[] = []
  #step = 1
  #seen = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  add(at: number, time: number): void {
    if (this.#seen++ % this.#step !== 0) return
    if (this.#kept.length >= this.#capacity) {
      this.#kept = this.#kept.filter((_, index) => index % 2 === 0)
      this.#step *= 2
      if ((this.#seen - 1) % this.#step !== 0) return
    }
    this.#kept.push({ at, time })
  }

  get list(): readonly FlvKeyFrame[] {
    return this.#kept
  }
}

/** Contents of an unfinished recording. */
export interface FlvScan extends Omit<FlvRecordingEnd, 'size'> {
  readonly head: Buffer
  readonly end: number
}

const maxHead = 1024 * 1024
const fileHeaderLength = 13

/** Reads tags up to the first incomplete one; undefined when the file is not one of ours. */
export function scanFlvRecording(source: ByteSource): FlvScan | undefined {
  const start = source.read(0, fileHeaderLength + flvTagOverhead.header)
  if (
    start.length < fileHeaderLength + flvTagOverhead.header ||
    start.toString('latin1', 0, 3) !== 'FLV' ||
    start[fileHeaderLength] !== flvTagType.data
  )
    return undefined
  const headEnd =
    fileHeaderLength + flvTagOverhead.header + start.readUIntBE(fileHeaderLength + 1, 3) + flvTagOverhead.trailer
  if (headEnd > maxHead || headEnd > source.size) return undefined
  const head = source.read(0, headEnd)
  const keyFrames = new FlvKeyFrames(4096)
  const last = { 8: -1, 9: -1 }
  const step = { 8: 0, 9: 0 }
  let end = headEnd
  for (;;) {
    const tag = source.read(end, flvTagOverhead.header + 2)
    if (tag.length < flvTagOverhead.header) break
    const type = tag[0]
    const length = tag.readUIntBE(1, 3)
    const next = end + flvTagOverhead.header + length + flvTagOverhead.trailer
    if ((type !== flvTagType.video && type !== flvTagType.audio && type !== flvTagType.data) || next > source.size)
      break
    if (source.read(next - 4, 4).readUInt32BE(0) !== flvTagOverhead.header + length) break
    const time = tag.readUIntBE(4, 3) + tag[7]! * 0x100_0000
    if ((type === flvTagType.video || type === flvTagType.audio) && tag.length > 12) {
      const configuration = tag[12] === 0
      if (type === flvTagType.video && (configuration ? last[9] < 0 : tag[11]! >> 4 === 1)) keyFrames.add(end, time)
      if (!configuration) {
        if (last[type] >= 0 && time > last[type]) step[type] = time - last[type]
        last[type] = time
      }
    }
    end = next
  }
  return { head, end, duration: Math.max(0, last[8] + step[8], last[9] + step[9]), keyFrames: keyFrames.list }
}
