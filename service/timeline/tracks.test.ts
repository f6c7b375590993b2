import { hash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { audioConfiguration, videoConfiguration } from '../hub/testing/packets.ts'
import { maxAudioConfiguration } from '../media/mp4-init.ts'
import type { MediaPacket } from './packet.ts'
import { codecsOf, configured, frameSamples, isCoded, isFrame, mp4Tracks, trackId, type SliceTracks } from './tracks.ts'

const packet = (kind: MediaPacket['kind'], bytes: readonly number[] | Buffer): MediaPacket => ({
  kind,
  timestamp: 0,
  body: Buffer.from(bytes),
  keyFrame: false,
  configuration: false,
  arrived: 0,
})
/** Of a stream of 1920x1080 by x264. */
const largePicture = packet(
  'video',
  Buffer.from('17000000000142c028ffe100196742c028da01e0089f970110000003001000000303c0f1832a01000468ce0fc8', 'hex'),
)
const mono = packet('audio', Buffer.from('af001188', 'hex'))
const none: SliceTracks = {}
const both = configured(configured(none, videoConfiguration), audioConfiguration)
const digest = (record: Buffer): string => hash('sha256', record, 'hex').slice(0, 16)

describe('a configuration', () => {
  it('begins its track, with the record behind the header of the tag, and leaves the other', () => {
    const video = configured(none, videoConfiguration)
    expect(video.video).toMatchObject({ parsed: { width: 1280, height: 720 } })
    expect(video.video!.record).toEqual(videoConfiguration.body.subarray(5))
    expect(video.audio).toBeUndefined()
    expect(configured(video, audioConfiguration).video).toBe(video.video)
    expect(both.audio).toMatchObject({ parsed: { sampleRate: 48_000, channels: 2, codec: 'mp4a.40.2' } })
    expect(both.audio!.record).toEqual(audioConfiguration.body.subarray(2))
  })

  it('that is the same again changes nothing, and another one replaces that of its track', () => {
    expect(configured(both, videoConfiguration)).toBe(both)
    expect(configured(both, audioConfiguration)).toBe(both)
    const larger = configured(both, largePicture)
    expect([larger.video!.parsed.width, larger.audio]).toEqual([1920, both.audio])
    const quieter = configured(both, mono)
    expect([quieter.audio!.parsed.channels, quieter.video]).toEqual([1, both.video])
  })

  it('that cannot be read ends its track, also one of a sound that is too long for a file', () => {
    const withoutPicture = configured(both, packet('video', [0x17, 0, 0, 0, 0, 1, 2]))
    expect([withoutPicture.video, withoutPicture.audio]).toEqual([undefined, both.audio])
    const padded = (length: number): MediaPacket =>
      packet('audio', Buffer.concat([audioConfiguration.body, Buffer.alloc(length - 2)]))
    expect(configured(none, padded(maxAudioConfiguration)).audio).toBeDefined()
    const withoutSound = configured(both, padded(maxAudioConfiguration + 1))
    expect([withoutSound.audio, withoutSound.video]).toEqual([undefined, both.video])
  })

  it('holds its own bytes, not those of what was received with it', () => {
    const received = Buffer.concat([Buffer.alloc(4), videoConfiguration.body])
    const { video } = configured(none, { ...videoConfiguration, body: received.subarray(4) })
    received.fill(0)
    expect(video!.packet.body).toEqual(videoConfiguration.body)
    expect(video!.record).toEqual(videoConfiguration.body.subarray(5))
  })
})

test.each([
  ['a picture of AVC', 'video', [0x27, 1, 0, 0, 0, 9], true],
  ['an empty picture', 'video', [0x27, 1, 0, 0, 0], false],
  ['a configuration of AVC', 'video', [0x17, 0, 0, 0, 0, 9], false],
  ['the end of AVC', 'video', [0x17, 2, 0, 0, 0, 9], false],
  ['a picture of another codec', 'video', [0x22, 1, 0, 0, 0, 9], false],
  ['a frame of AAC', 'audio', [0xaf, 1, 9], true],
  ['an empty frame of AAC', 'audio', [0xaf, 1], false],
  ['a configuration of AAC', 'audio', [0xaf, 0, 9], false],
  ['a frame of MP3', 'audio', [0x2f, 1, 9], false],
  ['data', 'data', [0xaf, 1, 0, 0, 0, 9], false],
] as const)('%s: %s %j is a coded frame: %s', (_what, kind, bytes, coded) => {
  expect(isCoded(packet(kind, bytes))).toBe(coded)
  // Of a push that has both tracks.
  expect(isFrame(both, packet(kind, bytes))).toBe(coded)
})

it('a coded frame counts only where its own track is known', () => {
  const [picture, sound] = [packet('video', [0x27, 1, 0, 0, 0, 9]), packet('audio', [0xaf, 1, 9])]
  const onlySound = configured(none, audioConfiguration)
  const onlyPicture = configured(none, videoConfiguration)
  expect([isFrame(onlySound, picture), isFrame(onlySound, sound)]).toEqual([false, true])
  expect([isFrame(onlyPicture, picture), isFrame(onlyPicture, sound)]).toEqual([true, false])
})

it('tracks of a file have their numbers, time scales and sizes, the picture first', () => {
  const video = {
    kind: 'video',
    id: trackId.video,
    timescale: 90_000,
    width: 1280,
    height: 720,
    configuration: both.video!.record,
  }
  const audio = { kind: 'audio', id: trackId.audio, timescale: 48_000, channels: 2, configuration: both.audio!.record }
  expect(trackId).toEqual({ video: 1, audio: 2 })
  expect(mp4Tracks(both)).toEqual([video, audio])
  expect(mp4Tracks(configured(none, audioConfiguration))).toEqual([audio])
  expect(mp4Tracks(none)).toEqual([])
  const unknown = { ...both.audio!, parsed: { ...both.audio!.parsed, channels: undefined } }
  expect(mp4Tracks({ audio: unknown })).toMatchObject([{ channels: 2 }])
})

it.each([
  ['mp4a.40.2', 1024],
  ['mp4a.40.5', 2048],
  ['mp4a.40.29', 2048],
  ['mp4a.40.42', 1024],
])('a frame of %s has %i samples', (codec, samples) => {
  expect(frameSamples({ ...both.audio!.parsed, codec })).toBe(samples)
})

it('slices can be merged where codecs, size, rate, channels and both configurations are the same', () => {
  const video = `avc1.64001f 1280x720 ${digest(both.video!.record)}`
  const audio = `mp4a.40.2 48000/2 ${digest(both.audio!.record)}`
  expect(codecsOf(both)).toBe(`${video}, ${audio}`)
  expect([codecsOf({ video: both.video }), codecsOf({ audio: both.audio }), codecsOf(none)]).toEqual([video, audio, ''])
  expect(codecsOf(configured(both, largePicture))).not.toBe(codecsOf(both))
  expect(codecsOf(configured(both, mono))).not.toBe(codecsOf(both))
})
