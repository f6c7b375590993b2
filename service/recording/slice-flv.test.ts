import { expect, it } from 'vitest'
import { audioConfiguration, videoConfiguration } from '../hub/testing/packets.ts'
import { scanFlvRecording } from '../media/flv-recording.ts'
import { FlvReader, type FlvTag } from '../media/flv-reader.ts'
import { FlvSlice } from './slice-flv.ts'
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
function tagsOf(bytes: Buffer): FlvTag[] {
  const tags: FlvTag[] = []
  new FlvReader((tag) => tags.push(tag)).push(bytes)
  return tags
}
/** Kinds and times of the frames, without head and configurations. */
const framesOf = (bytes: Buffer): [FlvTag['kind'], number][] =>
  tagsOf(bytes).flatMap(({ kind, timestamp, body }) =>
    kind !== 'data' && body[1] === 1 ? [[kind, timestamp] as [FlvTag['kind'], number]] : [],
  )

it('begins an FLV with a description and the configurations of the tracks that there are', () => {
  const { head } = new FlvSlice(bothTracks, 60_000)
  expect(tagsOf(head).map(({ kind, timestamp }) => [kind, timestamp])).toEqual([
    ['data', 0],
    ['video', 0],
    ['audio', 0],
  ])
  expect(tagsOf(head)[1]!.body).toEqual(videoConfiguration.body)
  expect(tagsOf(head)[2]!.body).toEqual(audioConfiguration.body)
  expect(tagsOf(new FlvSlice(pictureTracks, 60_000).head).map(({ kind }) => kind)).toEqual(['data', 'video'])
  expect(tagsOf(new FlvSlice(soundTracks, 60_000).head).map(({ kind }) => kind)).toEqual(['data', 'audio'])
})

it('has room in its index for a key frame every two seconds of the planned length', () => {
  const roomOf = (planned: number): number => {
    const { head } = new FlvSlice(bothTracks, planned)
    return head.readUInt32BE(head.indexOf('filepositions') + 'filepositions'.length + 1)
  }
  expect([roomOf(1000), roomOf(1_000_000)]).toEqual([64, 500])
})

it('gives half a second of an FLV at once, without the packet that shows that it is over', () => {
  const slice = new FlvSlice(bothTracks, 60_000)
  expect(slice.packet(pictureAt(0, true), 0)).toBeUndefined()
  expect(slice.packet(soundAt(499), 499)).toBeUndefined()
  const part = slice.packet(pictureAt(500), 500)
  expect(framesOf(Buffer.concat([slice.head, ...part!.media]))).toEqual([
    ['video', 0],
    ['audio', 499],
  ])
  expect(part).not.toHaveProperty('index')
  expect(slice.packet(pictureAt(999), 999)).toBeUndefined()
  const next = slice.packet(pictureAt(1000), 1000)
  expect(framesOf(Buffer.concat([slice.head, ...next!.media]))).toEqual([
    ['video', 500],
    ['video', 999],
  ])
})

it('gives 4 MiB of an FLV before half a second is over', () => {
  // A packet counts with 256 bytes besides its own.
  const after = (bytes: number): boolean => {
    const slice = new FlvSlice(bothTracks, 60_000)
    const frame = pictureAt(0, true)
    slice.packet({ ...frame, body: Buffer.concat([frame.body, Buffer.alloc(bytes - 256 - frame.body.length)]) }, 0)
    return slice.packet(pictureAt(1), 1) !== undefined
  }
  expect([after(4 * mebibyte - 1), after(4 * mebibyte)]).toEqual([false, true])
})

it('counts the bytes of an FLV anew after it gave them', () => {
  const slice = new FlvSlice(bothTracks, 60_000)
  slice.packet(pictureAt(0, true, 4 * mebibyte), 0)
  expect(slice.packet(pictureAt(1), 1)).toBeDefined()
  expect(slice.packet(pictureAt(2), 2)).toBeUndefined()
})

it('writes whole tags of an FLV with times of up to 32 bits', () => {
  const times = [0, 16_777_215, 16_777_216, 2_147_483_653]
  const { media } = writtenSlice(
    new FlvSlice(bothTracks, 60_000),
    times.map((at) => pictureAt(at, true)),
  )
  expect(framesOf(media).map(([, at]) => at)).toEqual(times)
  // The size of each tag is repeated behind it.
  expect(scanFlvRecording(sourceOf(media))?.end).toBe(media.length)
})

it('notes of an FLV where its key frames are, the first of them for the configuration', () => {
  const slice = new FlvSlice(bothTracks, 60_000)
  const { media } = writtenSlice(slice, [
    pictureAt(0, true),
    soundAt(10),
    pictureAt(40),
    pictureAt(2000, true),
    pictureAt(2600, true),
  ])
  expect(slice.keyFrames.map(({ time }) => time)).toEqual([0, 0, 2000, 2600])
  expect(slice.keyFrames.map(({ at }) => [media[at], media[at + 11]! >> 4, media[at + 12]])).toEqual([
    [9, 1, 0],
    [9, 1, 1],
    [9, 1, 1],
    [9, 1, 1],
  ])
  const silent = new FlvSlice(soundTracks, 60_000)
  writtenSlice(silent, [soundAt(0), soundAt(21)])
  expect(silent.keyFrames).toEqual([])
})

it('is as long as an FLV shows its last picture or plays its last sound', () => {
  const lengthOf = (slice: FlvSlice, packets: Parameters<typeof writtenSlice>[1], until?: number): number => {
    writtenSlice(slice, packets, until)
    return slice.duration
  }
  const picture = () => new FlvSlice(pictureTracks, 60_000)
  expect(new FlvSlice(bothTracks, 60_000).duration).toBe(0)
  expect(lengthOf(picture(), [pictureAt(0, true)])).toBe(40)
  expect(lengthOf(picture(), [pictureAt(0, true), pictureAt(30)])).toBe(60)
  // A picture of the same time lasts as long as the one before.
  expect(lengthOf(picture(), [pictureAt(0, true), pictureAt(30), pictureAt(30)])).toBe(60)
  expect(lengthOf(picture(), [pictureAt(0, true), pictureAt(30)], 100)).toBe(100)
  expect(lengthOf(picture(), [pictureAt(0, true), pictureAt(30)], 50)).toBe(60)
  const sound = () => new FlvSlice(soundTracks, 60_000)
  // 1024 samples at 48 kHz are 21.3 ms.
  expect(lengthOf(sound(), [soundAt(0), soundAt(21)])).toBe(42)
  expect(lengthOf(sound(), [soundAt(0), soundAt(21)], 500)).toBe(42)
  expect(lengthOf(new FlvSlice(bothTracks, 60_000), [pictureAt(0, true), soundAt(100)])).toBe(121)
})

it('ends an FLV with what it holds, and gives nothing where it holds nothing', () => {
  const slice = new FlvSlice(bothTracks, 60_000)
  slice.packet(pictureAt(0, true), 0)
  const rest = slice.end()
  expect(framesOf(Buffer.concat([slice.head, ...rest!.media]))).toEqual([['video', 0]])
  expect(slice.end()).toBeUndefined()
  expect(new FlvSlice(bothTracks, 60_000).end(1000)).toBeUndefined()
})
