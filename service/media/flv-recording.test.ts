import { describe, expect, it } from 'vitest'
import { readAmf0 } from './amf0-reader.ts'
import {
  FlvKeyFrames,
  flvIndexRoom,
  flvRecordingHead,
  flvRecordingPatches,
  scanFlvRecording,
  type FlvRecordingEnd,
} from './flv-recording.ts'
import { flvHeader, writeFlvTag } from './flv-writer.ts'
import { FlvReader, type FlvTag } from './flv-reader.ts'
import { sourceOf } from './testing/movies.ts'

const both = { video: { width: 1280, height: 720 }, audio: { sampleRate: 48_000, channels: 2 } }

/** The first tag of a file, and the values in it. */
function metadata(head: Buffer): { readonly tag: FlvTag; readonly values: unknown[] } {
  const tags: FlvTag[] = []
  new FlvReader((tag) => tags.push(tag)).push(head)
  return { tag: tags[0]!, values: readAmf0(tags[0]!.body) }
}
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0)

describe('flvIndexRoom', () => {
  it.each([
    [0, 64],
    [128_000, 64],
    [128_001, 65],
    [600_000, 300],
    [8_190_000, 4095],
    [8_192_000, 4096],
    [86_400_000, 4096],
  ])('has one entry of the index per two seconds, from 64 to 4096: %d ms, %d entries', (duration, room) => {
    expect(flvIndexRoom(duration)).toBe(room)
  })
})

describe('flvRecordingHead', () => {
  it('says both tracks, zero for what is not known yet, and reserves the index under another name', () => {
    const head = flvRecordingHead(both, 3)
    expect(head.subarray(0, 13).toString('hex')).toBe('464c5601050000000900000000')
    const { tag, values } = metadata(head)
    expect([tag.kind, tag.timestamp]).toEqual(['data', 0])
    expect(values).toEqual([
      'onMetaData',
      {
        duration: 0,
        filesize: 0,
        width: 1280,
        height: 720,
        videocodecid: 7,
        audiocodecid: 10,
        audiosamplerate: 48_000,
        audiosamplesize: 16,
        stereo: true,
        'unfilled!': { filepositions: zeros(3), times: zeros(3) },
      },
    ])
  })

  it('says only the track that there is, and that one channel is not stereo', () => {
    const sound = flvRecordingHead({ audio: { sampleRate: 44_100, channels: 1 } }, 1)
    expect(sound[4]).toBe(4)
    expect(metadata(sound).values[1]).toEqual({
      duration: 0,
      filesize: 0,
      audiocodecid: 10,
      audiosamplerate: 44_100,
      audiosamplesize: 16,
      stereo: false,
      'unfilled!': { filepositions: [0], times: [0] },
    })
    const picture = flvRecordingHead({ video: both.video }, 1)
    expect(picture[4]).toBe(1)
    expect(Object.keys(metadata(picture).values[1] as object)).toEqual([
      'duration',
      'filesize',
      'width',
      'height',
      'videocodecid',
      'unfilled!',
    ])
  })
})

describe('flvRecordingPatches', () => {
  const patched = (head: Buffer, end: FlvRecordingEnd): Buffer => {
    const after = Buffer.from(head)
    for (const { at, bytes } of flvRecordingPatches(head, end)!) bytes.copy(after, at)
    return after
  }
  const frames = (count: number): FlvRecordingEnd['keyFrames'] =>
    Array.from({ length: count }, (_, index) => ({ at: 1000 + index, time: index * 2500 }))
  const index = (head: Buffer): unknown => (metadata(head).values[1] as { keyframes?: unknown }).keyframes

  it('fill in the duration in seconds, the size, and the index under its name; unused entries repeat the last', () => {
    const after = patched(flvRecordingHead(both, 4), { duration: 12_345, size: 2 ** 33, keyFrames: frames(2) })
    expect(metadata(after).values[1]).toEqual({
      duration: 12.345,
      filesize: 2 ** 33,
      width: 1280,
      height: 720,
      videocodecid: 7,
      audiocodecid: 10,
      audiosamplerate: 48_000,
      audiosamplesize: 16,
      stereo: true,
      keyframes: { filepositions: [1000, 1001, 1001, 1001], times: [0, 2.5, 2.5, 2.5] },
    })
  })

  it('name the index last, so that nobody reads an incomplete one', () => {
    const patches = flvRecordingPatches(flvRecordingHead(both, 4), { duration: 1, size: 1, keyFrames: frames(2) })!
    expect(patches).toHaveLength(5)
    expect(patches.at(-1)!.bytes.toString()).toBe('keyframes')
  })

  it('leave the index reserved when there is no key frame', () => {
    const after = patched(flvRecordingHead(both, 2), { duration: 4000, size: 5, keyFrames: [] })
    expect(metadata(after).values[1]).toMatchObject({
      duration: 4,
      filesize: 5,
      'unfilled!': { filepositions: [0, 0], times: [0, 0] },
    })
  })

  it('spread more key frames than there is room for over the whole recording', () => {
    const one = (count: number): unknown =>
      index(patched(flvRecordingHead(both, 3), { duration: 1, size: 1, keyFrames: frames(count) }))
    expect(one(3)).toEqual({ filepositions: [1000, 1001, 1002], times: [0, 2.5, 5] })
    expect(one(4)).toEqual({ filepositions: [1000, 1002, 1002], times: [0, 5, 5] })
    expect(one(9)).toEqual({ filepositions: [1000, 1003, 1006], times: [0, 7.5, 15] })
  })

  it('can be made again from a head that was patched before', () => {
    const once = patched(flvRecordingHead(both, 3), { duration: 9000, size: 7, keyFrames: frames(3) })
    const twice = patched(once, { duration: 8000, size: 6, keyFrames: frames(1) })
    expect(metadata(twice).values[1]).toMatchObject({ duration: 8, filesize: 6 })
    expect(index(twice)).toEqual({ filepositions: [1000, 1000, 1000], times: [0, 0, 0] })
  })

  it('are none for a head that is not ours, is cut short, or has columns of different lengths', () => {
    const end = { duration: 1, size: 1, keyFrames: frames(1) }
    const head = flvRecordingHead(both, 4)
    expect(flvRecordingPatches(flvHeader({ video: true, audio: true }), end)).toBeUndefined()
    const timesEnd = head.indexOf('times') + 5 + 5 + 4 * 9
    expect(flvRecordingPatches(head.subarray(0, timesEnd), end)).toHaveLength(5)
    expect(flvRecordingPatches(head.subarray(0, timesEnd - 1), end)).toBeUndefined()
    expect(flvRecordingPatches(head.subarray(0, head.indexOf('times') + 5 + 2), end)).toBeUndefined()
    for (const name of ['duration', 'filesize', 'unfilled!', 'filepositions', 'times']) {
      const other = Buffer.from(head)
      other[other.indexOf(name)] = 0x58
      expect(flvRecordingPatches(other, end), name).toBeUndefined()
    }
    const uneven = Buffer.from(head)
    uneven.writeUInt32BE(3, head.indexOf('times') + 5 + 1)
    expect(flvRecordingPatches(uneven, end)).toBeUndefined()
  })
})

describe('FlvKeyFrames', () => {
  const collected = (room: number, count: number): number[] => {
    const frames = new FlvKeyFrames(room)
    for (let index = 0; index < count; index++) frames.add(1000 + index, index)
    return frames.list.map(({ time }) => time)
  }

  it('keeps every key frame with its place while there is room', () => {
    const frames = new FlvKeyFrames(2)
    frames.add(13, 0)
    frames.add(99, 2000)
    expect(frames.list).toEqual([
      { at: 13, time: 0 },
      { at: 99, time: 2000 },
    ])
  })

  it('drops every second one at the limit, and from then on takes every second, fourth and so on', () => {
    expect(collected(4, 4)).toEqual([0, 1, 2, 3])
    expect(collected(4, 5)).toEqual([0, 2, 4])
    expect(collected(4, 6)).toEqual([0, 2, 4])
    expect(collected(4, 8)).toEqual([0, 2, 4, 6])
    expect(collected(4, 9)).toEqual([0, 4, 8])
    expect(collected(4, 13)).toEqual([0, 4, 8, 12])
    expect(collected(4, 17)).toEqual([0, 8, 16])
  })

  it('keeps the distances equal when the limit is an odd number', () => {
    expect(collected(3, 4)).toEqual([0, 2])
    expect(collected(3, 5)).toEqual([0, 2, 4])
    expect(collected(3, 7)).toEqual([0, 4])
    expect(collected(3, 9)).toEqual([0, 4, 8])
  })
})

describe('scanFlvRecording', () => {
  const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
  const videoHeader = hex('17 00 000000 01')
  const key = hex('17 01 000000 aa')
  const inter = hex('27 01 000000 aa')
  const audioHeader = hex('af 00 1190')
  const frame = hex('af 01 21')
  const head = flvRecordingHead(both, 2)
  type Written = readonly [kind: 'video' | 'audio' | 'data', timestamp: number, body: Buffer]
  const file = (...tags: readonly Written[]): Buffer => Buffer.concat([head, ...tags.map((tag) => writeFlvTag(...tag))])
  const scan = (bytes: Buffer): ReturnType<typeof scanFlvRecording> => scanFlvRecording(sourceOf(bytes))

  it('finds the head, the end, the duration with the last frame, and the key frames with the first header', () => {
    const bytes = file(
      ['video', 0, videoHeader],
      ['audio', 0, audioHeader],
      ['video', 0, key],
      ['audio', 0, frame],
      ['video', 40, inter],
      ['audio', 23, frame],
      ['video', 80, key],
      ['video', 80, videoHeader],
    )
    const length = 15 + 6
    const sound = 15 + 3
    const first = head.length
    expect(scan(bytes)).toEqual({
      head,
      end: bytes.length,
      duration: 120,
      keyFrames: [
        { at: first, time: 0 },
        { at: first + length + sound + 1, time: 0 },
        { at: first + 3 * length + 3 * sound + 1, time: 80 },
      ],
    })
  })

  it('takes the longer of picture and sound as the duration', () => {
    expect(
      scan(file(['video', 0, key], ['video', 40, inter], ['audio', 0, frame], ['audio', 100, frame])),
    ).toMatchObject({ duration: 200 })
    expect(scan(file(['audio', 0, frame], ['audio', 23, frame]))).toMatchObject({ duration: 46, keyFrames: [] })
    expect(scan(head)).toMatchObject({ duration: 0, end: head.length, keyFrames: [] })
  })

  it('keeps the last length of a frame when two have the same time', () => {
    expect(scan(file(['video', 0, key], ['video', 40, inter], ['video', 40, inter]))?.duration).toBe(80)
  })

  it('counts neither configurations nor data in the duration', () => {
    expect(
      scan(file(['video', 0, key], ['video', 9000, videoHeader], ['data', 9000, Buffer.alloc(9, 1)])),
    ).toMatchObject({
      duration: 0,
    })
    expect(scan(file(['audio', 0, frame], ['audio', 9000, audioHeader]))).toMatchObject({ duration: 0 })
  })

  it('reads times beyond 24 bits', () => {
    expect(scan(file(['video', 0x0200_0000, key], ['video', 0x0200_0028, inter]))).toMatchObject({
      duration: 0x0200_0050,
      keyFrames: [{ at: head.length, time: 0x0200_0000 }],
    })
  })

  it('ends before the first tag that is incomplete, of an unknown type, or whose size does not repeat', () => {
    const whole = file(['video', 0, key], ['video', 40, inter])
    const end = head.length + 21
    for (let length = end; length < whole.length; length++)
      expect(scan(whole.subarray(0, length)), String(length)).toMatchObject({ end, duration: 0 })
    const changed = (at: number, value: number): Buffer => {
      const copy = Buffer.from(whole)
      copy[at] = value
      return copy
    }
    expect(scan(changed(end, 7))).toMatchObject({ end })
    expect(scan(changed(whole.length - 1, 16))).toMatchObject({ end })
    expect(scan(changed(end, 18))).toMatchObject({ end: whole.length, duration: 0 })
  })

  it('refuses what is not one of our files', () => {
    expect(scan(Buffer.alloc(0))).toBeUndefined()
    expect(scan(head.subarray(0, 23))).toBeUndefined()
    expect(scan(head.subarray(0, head.length - 1))).toBeUndefined()
    const unsigned = Buffer.from(head)
    unsigned[0] = 0x47
    expect(scan(unsigned)).toBeUndefined()
    const withoutData = Buffer.concat([flvHeader({ video: true, audio: true }), writeFlvTag('video', 0, key)])
    expect(scan(withoutData)).toBeUndefined()
  })

  it('accepts a head of 1 MiB and refuses a longer one', () => {
    const around = 13 + 15
    const long = (length: number): Buffer =>
      Buffer.concat([flvHeader({ video: true, audio: true }), writeFlvTag('data', 0, Buffer.alloc(length - around))])
    expect(scan(long(1024 * 1024))).toMatchObject({ end: 1024 * 1024 })
    expect(scan(long(1024 * 1024 + 1))).toBeUndefined()
  })
})
