import { expect, test } from 'vitest'
import { FlvSlice } from '../recording/slice-flv.ts'
import { Mp4Slice } from '../recording/slice-mp4.ts'
import { flushBytes } from '../recording/slice-muxer.ts'
import { configured } from '../recording/slice-tracks.ts'
import { HlsPlaylist } from './hls-delivery-playlist.ts'
import { HlsSegmenter } from './hls-delivery-segmenter.ts'
import { segmentBytesMax } from './hls-delivery-run.ts'
import { createHub } from './hub.ts'
import { gopCacheBounds } from './hub-channel.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from './testing/packets.ts'
import type { MediaPacket } from './packet.ts'

/** Bodies share one piece of memory: the bounds count it each time. */
const bytes = Buffer.alloc(1024 * 1024, 1)
bytes.set([0x27, 1, 0, 0, 0])
const large = (timestamp: number): MediaPacket => ({ ...videoFrame(timestamp, false, timestamp), body: bytes })
const keyFrame = (timestamp: number): MediaPacket => videoFrame(timestamp, true, timestamp)

test('an HLS segment whose time does not pass is bounded in bytes, and what it cannot hold is told of', () => {
  const left: string[] = []
  const sizes: number[] = []
  const segmenter = new HlsSegmenter({ map: () => undefined, segment: (segment) => sizes.push(segment.bytes), leftOut: (loss) => left.push(loss) })
  for (const packet of [videoConfiguration, audioConfiguration, keyFrame(0)]) segmenter.packet(packet)
  for (let count = 0; count < 200; count++) segmenter.packet(large(0))
  expect(new Set(left)).toEqual(new Set(['segment']))
  expect(left.length).toBeGreaterThan(150)
  for (let time = 40; time < 4000; time += 40) segmenter.packet(time % 1000 === 0 ? keyFrame(time) : videoFrame(time, false, time))
  segmenter.end()
  expect(sizes.length).toBeGreaterThan(1)
  for (const size of sizes) expect(size).toBeLessThan(segmentBytesMax + 2 * bytes.length)
})

test('HLS segments of large pictures are cut by their bytes before their time is over, and nothing is left out', () => {
  const left: string[] = []
  const sizes: number[] = []
  const segmenter = new HlsSegmenter({ map: () => undefined, segment: (segment) => sizes.push(segment.bytes), leftOut: (loss) => left.push(loss) })
  for (const packet of [videoConfiguration, audioConfiguration, keyFrame(0)]) segmenter.packet(packet)
  for (let time = 10; time <= 1500; time += 10) segmenter.packet(large(time))
  segmenter.end()
  expect(left).toEqual([])
  expect(sizes.length).toBeGreaterThan(3)
  for (const size of sizes) expect(size).toBeLessThan(segmentBytesMax + 2 * bytes.length)
})

test('what waits for the configuration of the sound is bounded in bytes: then the segment begins without it', () => {
  const left: string[] = []
  const segmenter = new HlsSegmenter({ map: () => undefined, segment: () => undefined, leftOut: (loss) => left.push(loss) })
  for (const packet of [videoConfiguration, keyFrame(0)]) segmenter.packet(packet)
  const most = segmentBytesMax / bytes.length
  for (let count = 0; count < most - 1; count++) segmenter.packet(large(0))
  expect(left).toEqual([])
  // Nothing of these is held: what a segment cannot have is told of at once.
  for (let count = 0; count < 10; count++) segmenter.packet(large(0))
  expect(left.length).toBeGreaterThan(5)
})

test('a playlist keeps 128 MiB of segments at most beyond what it must list', () => {
  const playlist = new HlsPlaylist('t')
  playlist.map({ data: Buffer.alloc(1), codecs: 'avc1' })
  const size = 16 * 1024 * 1024
  const uris = Array.from({ length: 40 }, (_, count) => `t-${count}.m4s`)
  for (const [count] of uris.entries())
    playlist.segment({ data: () => bytes, bytes: size, duration: 1000, programDateTime: count * 1000, independent: true }, 2)
  const kept = uris.filter((uri) => playlist.file(uri) !== undefined)
  expect(kept.length * size).toBeLessThanOrEqual(128 * 1024 * 1024)
  // Three target durations are listed, as players need them, and each that is listed is there.
  const listed = uris.filter((uri) => playlist.text?.includes(uri))
  expect(listed.length).toBeGreaterThanOrEqual(6)
  expect(listed.filter((uri) => !kept.includes(uri))).toEqual([])
})

test.each(['flv', 'mp4'])('a slice of %s whose time does not pass is written all the same', (format) => {
  const tracks = configured(configured({}, videoConfiguration), audioConfiguration)
  const slice = format === 'flv' ? new FlvSlice(tracks, 60_000) : new Mp4Slice(tracks)
  let waiting = 0
  let most = 0
  for (let count = 0; count < 100; count++) {
    waiting += bytes.length
    const part = slice.packet(large(0), 0)
    if (part) waiting -= part.media.filter(({ length }) => length > 1000).reduce((sum, { length }) => sum + length, 0)
    most = Math.max(most, waiting)
  }
  expect(most).toBeLessThan(flushBytes + 3 * bytes.length)
})

test('a GOP of a great many small packets is not cached beyond its bytes, which is told once', () => {
  const words: string[] = []
  const time = { now: 1000 }
  const hub = createHub({ clock: () => time.now, monotonic: () => time.now })
  hub.on(({ type, remedy }) => {
    if (type === 'leftOut') words.push(remedy ?? '')
  })
  const publication = hub.publish('a'.repeat(32), { remote: 'test' })
  if (publication === 'busy') throw new Error('busy')
  for (const packet of [videoConfiguration, keyFrame(0)]) publication.packet(packet)
  const small = videoFrame(0, false, 0)
  const most = Math.ceil(gopCacheBounds.bytes / gopCacheBounds.perPacket)
  for (let count = 0; count < most; count++) publication.packet(small)
  let got = 0
  hub.join('a'.repeat(32), { packet: () => (got += 1), ended: () => undefined }, 'internal')
  expect(got).toBe(1)
  expect(words).toEqual(['leftOut_longGop'])
  for (const reason of ['jump', 'jump', 'back'] as const) publication.retimed(reason)
  time.now += 11_000
  publication.leftOut('early')
  publication.leftOut('early')
  expect(words).toEqual(['leftOut_longGop', 'leftOut_early'])
  hub.close()
})
