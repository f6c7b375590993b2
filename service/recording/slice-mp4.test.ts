import { expect, it } from 'vitest'
import { indexRecords, type IndexRun } from '../media/mp4-hybrid.ts'
import { fragments } from '../media/mp4-reader.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { Mp4Slice } from './slice-mp4.ts'
import type { SlicePart } from './slice-muxer.ts'
import {
  bothTracks,
  pictureAt,
  pictureTracks,
  soundAt,
  soundTracks,
  sourceOf,
  writtenSlice,
} from './testing/written-slice.ts'

const mebibyte = 1024 * 1024
/** 90 units of a picture's time in a ms. */
const ms = 90
const runsOf = (slice: Mp4Slice, parts: readonly SlicePart[]): (readonly IndexRun[])[] =>
  [...fragments(sourceOf(Buffer.concat([slice.head, ...parts.flatMap(({ media }) => media)])), slice.head.length)].map(
    ({ runs }) => runs,
  )
/** A picture whose composition time is so many ms after its own. */
const shifted = (at: number, offset: number, isKey = false): MediaPacket => {
  const frame = pictureAt(at, isKey)
  const body = Buffer.from(frame.body)
  body.writeIntBE(offset, 2, 3)
  return { ...frame, body }
}

it('gives half a second of an MP4 as a fragment, without the packet that shows that it is over', () => {
  const slice = new Mp4Slice(bothTracks)
  expect(slice.packet(pictureAt(0, true), 0)).toBeUndefined()
  expect(slice.packet(pictureAt(400), 400)).toBeUndefined()
  expect(slice.packet(pictureAt(499), 499)).toBeUndefined()
  const part = slice.packet(pictureAt(500), 500)
  // A picture is complete when the next one gives its duration.
  expect(runsOf(slice, [part!])).toMatchObject([
    [{ trackId: 1, decodeTime: 0, samples: [{ duration: 400 * ms }, { duration: 99 * ms }] }],
  ])
  expect(slice.packet(pictureAt(999), 999)).toBeUndefined()
  const next = slice.packet(pictureAt(1000), 1000)
  expect(next?.index).toBeDefined()
  const rest = slice.end()
  expect(
    runsOf(slice, [part!, next!, rest!]).map(([run]) => [
      run!.decodeTime / ms,
      run!.samples.map(({ duration }) => duration / ms),
    ]),
  ).toEqual([
    [0, [400, 99]],
    [499, [1, 499]],
    // The last one lasts as long as the one before.
    [999, [1, 1]],
  ])
})

it('numbers the fragments of an MP4 from 1', () => {
  const slice = new Mp4Slice(bothTracks)
  const { parts } = writtenSlice(
    slice,
    [0, 300, 600, 900, 1200, 1500].map((at) => pictureAt(at, at === 0)),
  )
  // moof, mfhd, its version and flags, then the number.
  expect(parts.map(({ media }) => media[0]!.readUInt32BE(20))).toEqual([1, 2, 3])
})

it('gives 4 MiB of an MP4 before half a second is over', () => {
  /** The packet that shows that there is enough, where each has so many bytes. */
  const firstPart = (bytes: number): number => {
    const slice = new Mp4Slice(bothTracks)
    const frame = pictureAt(0, true)
    const body = Buffer.concat([frame.body, Buffer.alloc(bytes - frame.body.length)])
    for (let count = 0; ; count++)
      if (slice.packet({ ...frame, body: Buffer.from(body), timestamp: count }, count)) return count
  }
  // A packet counts with 256 bytes besides its own.
  expect([firstPart(mebibyte - 256), firstPart(mebibyte - 257)]).toEqual([4, 5])
})

it('takes key frames, composition times and data of an MP4 from the packets', () => {
  const slice = new Mp4Slice(bothTracks)
  const { parts, media } = writtenSlice(slice, [
    shifted(0, 80, true),
    soundAt(0),
    shifted(40, -40),
    soundAt(21),
    pictureAt(80),
  ])
  const [runs] = runsOf(slice, parts)
  expect(runs).toMatchObject([
    {
      trackId: 1,
      samples: [
        { sync: true, compositionOffset: 80 * ms, duration: 40 * ms },
        { sync: false, compositionOffset: -40 * ms, duration: 40 * ms },
        { sync: false, compositionOffset: 0 },
      ],
    },
    { trackId: 2, decodeTime: 0, samples: [{ duration: 1024 }, { duration: 1024 }] },
  ])
  const [picture, sound] = runs!
  expect(media.subarray(picture!.dataAt, picture!.dataAt + 6)).toEqual(pictureAt(0, true).body.subarray(5))
  expect(media.subarray(sound!.dataAt, sound!.dataAt + 3)).toEqual(soundAt(0).body.subarray(2))
})

it('writes an index of an MP4 that is the one that the file itself gives', () => {
  const slice = new Mp4Slice(bothTracks)
  const packets = Array.from({ length: 60 }, (_, count) => [
    pictureAt(count * 40, count % 25 === 0, count),
    soundAt(count * 40),
    soundAt(count * 40 + 20),
  ])
  const { parts, index } = writtenSlice(slice, packets.flat())
  const started = new Set<number>()
  const found = Buffer.concat(runsOf(slice, parts).map((runs) => indexRecords(runs, started)))
  expect(parts.length).toBeGreaterThan(3)
  expect(index.equals(found)).toBe(true)
})

it('is as long as an MP4 shows its last picture or plays its last sound', () => {
  const lengthOf = (slice: Mp4Slice, packets: readonly MediaPacket[], until?: number): number => {
    writtenSlice(slice, packets, until)
    return slice.duration
  }
  expect(new Mp4Slice(bothTracks).duration).toBe(0)
  expect(lengthOf(new Mp4Slice(pictureTracks), [pictureAt(0, true), pictureAt(30)])).toBe(60)
  expect(lengthOf(new Mp4Slice(pictureTracks), [pictureAt(0, true), pictureAt(30)], 130)).toBe(130)
  expect(lengthOf(new Mp4Slice(soundTracks), [soundAt(0), soundAt(21)])).toBe(43)
  expect(lengthOf(new Mp4Slice(bothTracks), [pictureAt(0, true), pictureAt(40), soundAt(100)])).toBe(121)
})

it('tells of sound of an MP4 that is more than its time, and leaves it out', () => {
  let surplus = 0
  const slice = new Mp4Slice(soundTracks, () => void surplus++)
  const { parts } = writtenSlice(
    slice,
    Array.from({ length: 20 }, () => soundAt(0)),
  )
  expect(surplus).toBeGreaterThan(5)
  const [runs] = runsOf(slice, parts)
  expect(runs![0]!.samples).toHaveLength(20 - surplus)
})

it('ends an MP4 with what it holds, and gives nothing where it holds nothing', () => {
  const slice = new Mp4Slice(bothTracks)
  slice.packet(pictureAt(0, true), 0)
  slice.packet(soundAt(0), 0)
  expect(runsOf(slice, [slice.end()!])[0]!.map(({ trackId, samples }) => [trackId, samples.length])).toEqual([
    [1, 1],
    [2, 1],
  ])
  expect(slice.end()).toBeUndefined()
})

it('takes nothing of a track that an MP4 does not have', () => {
  const slice = new Mp4Slice(pictureTracks)
  const { parts } = writtenSlice(slice, [pictureAt(0, true), soundAt(10), pictureAt(40)])
  expect(runsOf(slice, parts)[0]!.map(({ trackId }) => trackId)).toEqual([1])
})
