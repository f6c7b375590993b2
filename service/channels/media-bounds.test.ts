import { systemClock } from '../../platform/clock.ts'
import { expect, test } from 'vitest'
import { ChunkReader, publisherBounds } from '../media/rtmp-chunk-reader.ts'
import { numberBody, writeChunks } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { createFileSink } from '../recording/file-sink.ts'
import { RecordingSession } from '../recording/recorder-session.ts'
import { FlvSlice } from '../recording/slice-flv.ts'
import { Mp4Slice } from '../recording/slice-mp4.ts'
import { flushBytes } from '../recording/slice-muxer.ts'
import { configured } from '../timeline/tracks.ts'
import { HlsPlaylist } from '../delivery/hls-delivery-playlist.ts'
import { HlsSegmenter } from '../delivery/hls-delivery-segmenter.ts'
import { maxSegmentBytes } from '../delivery/hls-delivery-run.ts'
import { createHub } from '../hub/hub.ts'
import { gopCacheBounds } from '../hub/hub-channel.ts'
import { createIngestPublisher } from '../ingest/ingest-publisher.ts'
import { audioConfiguration, videoConfiguration, videoFrame } from '../hub/testing/packets.ts'
import type { MediaPacket } from '../timeline/packet.ts'

/** All bodies share this memory; the limits count it each time. */
const bytes = Buffer.alloc(1024 * 1024, 1)
bytes.set([0x27, 1, 0, 0, 0])
const large = (timestamp: number): MediaPacket => ({ ...videoFrame(timestamp, false, timestamp), body: bytes })
const keyFrame = (timestamp: number): MediaPacket => videoFrame(timestamp, true, timestamp)

test('an HLS segment whose time does not pass is bounded in bytes, and what it cannot hold is told of', () => {
  const left: string[] = []
  const sizes: number[] = []
  const segmenter = new HlsSegmenter({
    map: () => undefined,
    segment: (segment) => sizes.push(segment.bytes),
    leftOut: (loss) => left.push(loss),
  })
  for (const packet of [videoConfiguration, audioConfiguration, keyFrame(0)]) segmenter.packet(packet)
  for (let count = 0; count < 200; count++) segmenter.packet(large(0))
  expect(new Set(left)).toEqual(new Set(['segment']))
  expect(left.length).toBeGreaterThan(150)
  for (let time = 40; time < 4000; time += 40)
    segmenter.packet(time % 1000 === 0 ? keyFrame(time) : videoFrame(time, false, time))
  segmenter.end()
  expect(sizes.length).toBeGreaterThan(1)
  for (const size of sizes) expect(size).toBeLessThan(maxSegmentBytes + 2 * bytes.length)
})

test('HLS segments of large pictures are cut by their bytes before their time is over, and nothing is left out', () => {
  const left: string[] = []
  const sizes: number[] = []
  const segmenter = new HlsSegmenter({
    map: () => undefined,
    segment: (segment) => sizes.push(segment.bytes),
    leftOut: (loss) => left.push(loss),
  })
  for (const packet of [videoConfiguration, audioConfiguration, keyFrame(0)]) segmenter.packet(packet)
  for (let time = 10; time <= 1500; time += 10) segmenter.packet(large(time))
  segmenter.end()
  expect(left).toEqual([])
  expect(sizes.length).toBeGreaterThan(3)
  for (const size of sizes) expect(size).toBeLessThan(maxSegmentBytes + 2 * bytes.length)
})

test('what waits for the configuration of the sound is bounded in bytes: then the segment begins without it', () => {
  const left: string[] = []
  const segmenter = new HlsSegmenter({
    map: () => undefined,
    segment: () => undefined,
    leftOut: (loss) => left.push(loss),
  })
  for (const packet of [videoConfiguration, keyFrame(0)]) segmenter.packet(packet)
  const most = maxSegmentBytes / bytes.length
  for (let count = 0; count < most - 1; count++) segmenter.packet(large(0))
  expect(left).toEqual([])
  // Each is too large for a segment and reported at once.
  for (let count = 0; count < 10; count++) segmenter.packet(large(0))
  expect(left.length).toBeGreaterThan(5)
})

test('a playlist keeps 128 MiB of segments at most beyond what it must list', () => {
  const playlist = new HlsPlaylist('t')
  playlist.map({ data: Buffer.alloc(1), codecs: 'avc1' })
  const size = 16 * 1024 * 1024
  const uris = Array.from({ length: 40 }, (_, count) => `t-${count}.m4s`)
  for (const [count] of uris.entries())
    playlist.segment(
      { data: () => bytes, bytes: size, duration: 1000, programDateTime: count * 1000, independent: true },
      2,
    )
  const kept = uris.filter((uri) => playlist.file(uri) !== undefined)
  expect(kept.length * size).toBeLessThanOrEqual(128 * 1024 * 1024)
  // Three target durations are listed and can be fetched.
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
  const hub = createHub({ clock: { ...systemClock, now: () => time.now, monotonic: () => time.now } })
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

/** Memory that packets retain, each block counted once. */
const memoryOf = (packets: readonly MediaPacket[]): number =>
  [...new Set(packets.map(({ body }) => body.buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0)
/** A picture that is a small slice of 256 KiB, as bodies between other messages are. */
const sparse = (timestamp: number, keyFrame = false): MediaPacket => {
  const packet = videoFrame(timestamp, keyFrame, timestamp)
  const body = Buffer.alloc(256 * 1024).subarray(1000, 1000 + packet.body.length)
  packet.body.copy(body)
  return { ...packet, body }
}

/** Bytes of a publisher through chunks and ingest into the hub, without a connection. */
function pushed(): {
  send: (type: number, timestamp: number, body: Buffer) => void
  cached: () => MediaPacket[]
  words: string[]
  close: () => void
} {
  const words: string[] = []
  const time = { now: 1000 }
  const hub = createHub({ clock: { ...systemClock, now: () => time.now, monotonic: () => time.now } })
  hub.on(({ type, remedy }) => {
    if (type === 'leftOut') words.push(remedy ?? '')
  })
  const target = hub.publish('a'.repeat(32), { remote: 'test' })
  if (target === 'busy') throw new Error('busy')
  const publisher = createIngestPublisher({
    target,
    clock: { ...systemClock, now: () => time.now, monotonic: () => time.now },
  })
  const chunks = new ChunkReader((message) => void publisher.message(message), publisherBounds)
  const size = 65_536
  chunks.push(writeChunks({ type: rtmpType.setChunkSize, streamId: 0, timestamp: 0, body: numberBody(size) }, 2))
  return {
    words,
    send(type, timestamp, body) {
      time.now = 1000 + timestamp
      chunks.push(writeChunks({ type, streamId: 1, timestamp, body }, 6, size))
    },
    cached() {
      const got: MediaPacket[] = []
      hub.join('a'.repeat(32), { packet: (packet) => void got.push(packet), ended: () => undefined }, 'internal')?.()
      return got
    },
    close: () => hub.close(),
  }
}

test('the GOP cache is bounded in the memory that it holds: small pictures among large messages that nobody gets', () => {
  const { send, cached, words, close } = pushed()
  send(rtmpType.video, 0, videoConfiguration.body)
  send(rtmpType.video, 0, keyFrame(0).body)
  const command = Buffer.alloc(65_400)
  command[0] = 0x57
  let most = 0
  for (let count = 1; count <= 200; count++) {
    send(rtmpType.video, count * 40, videoFrame(0, false, 0).body)
    for (let each = 0; each < 4; each++) send(rtmpType.video, count * 40, command)
    if (count % 20 === 0) most = Math.max(most, memoryOf(cached()))
  }
  expect(most).toBeGreaterThan(gopCacheBounds.bytes / 2)
  expect(most).toBeLessThanOrEqual(gopCacheBounds.bytes)
  expect(words).toEqual(['leftOut_longGop'])
  close()
})

test.each([
  [10, 8, 30],
  [10, 16, 60],
  [2, 50, 60],
])('a GOP of %d s at %d Mbit/s and %d frames a second is cached whole, with its sound', (seconds, rate, frames) => {
  const { send, cached, words, close } = pushed()
  send(rtmpType.video, 0, videoConfiguration.body)
  send(rtmpType.audio, 0, audioConfiguration.body)
  const count = seconds * frames
  const body = Buffer.alloc((rate * 1_000_000) / 8 / frames, 1)
  const sound = Buffer.alloc(400, 1)
  sound.set([0xaf, 1])
  for (let each = 0; each < count; each++) {
    body.set([each === 0 ? 0x17 : 0x27, 1, 0, 0, 0])
    send(rtmpType.video, Math.round((each * 1000) / frames), body)
    send(rtmpType.audio, Math.round((each * 1000) / frames), sound)
  }
  expect(cached().filter(({ configuration }) => !configuration)).toHaveLength(2 * count)
  expect(words).toEqual([])
  close()
})

test('extended tags that are brought into their plain form have memory of their own', () => {
  const { send, cached, close } = pushed()
  const video = (head: number, rest: Buffer): Buffer => Buffer.concat([Buffer.from([head]), Buffer.from('avc1'), rest])
  send(rtmpType.video, 0, video(0x90, videoConfiguration.body.subarray(5)))
  send(
    rtmpType.audio,
    0,
    Buffer.concat([Buffer.from([0x90]), Buffer.from('mp4a'), audioConfiguration.body.subarray(2)]),
  )
  send(rtmpType.video, 0, video(0x93, keyFrame(0).body.subarray(5)))
  send(rtmpType.video, 40, video(0xa1, Buffer.concat([Buffer.alloc(3), videoFrame(0, false, 0).body.subarray(5)])))
  send(rtmpType.audio, 40, Buffer.concat([Buffer.from([0x91]), Buffer.from('mp4a'), Buffer.from([1, 2, 3])]))
  expect(cached()).toHaveLength(5)
  for (const { body } of cached()) expect(body.buffer.byteLength).toBe(body.length)
  expect(cached().map(({ body }) => body.toString('hex'))).toEqual(
    [
      videoConfiguration.body,
      audioConfiguration.body,
      keyFrame(0).body,
      videoFrame(0, false, 0).body,
      Buffer.from([0xaf, 1, 1, 2, 3]),
    ].map((body) => body.toString('hex')),
  )
  close()
})

test('decoder configurations have memory of their own', () => {
  const { send, cached, close } = pushed()
  send(rtmpType.video, 0, videoConfiguration.body)
  send(rtmpType.audio, 0, audioConfiguration.body)
  send(rtmpType.data, 0, Buffer.from('02000a6f6e4d65746144617461', 'hex'))
  expect(cached()).toHaveLength(3)
  for (const { body } of cached()) expect(body.buffer.byteLength).toBe(body.length)
  close()
})

test('HLS segments are bounded in the memory that they hold: small pictures of large blocks are copied', () => {
  const segments: (() => Buffer)[] = []
  const segmenter = new HlsSegmenter({
    map: () => undefined,
    segment: ({ data }) => segments.push(data),
    leftOut: () => undefined,
  })
  for (const packet of [videoConfiguration, audioConfiguration]) segmenter.packet(packet)
  const most = maxSegmentBytes / (256 * 1024)
  const packets = Array.from({ length: 2 * most + 2 }, (_, index) => sparse(index, index === 0))
  for (const packet of packets) segmenter.packet(packet)
  expect(segments).toHaveLength(2)
  for (const { body } of packets) body.fill(0xee)
  for (const data of segments) expect(data().includes(0xee)).toBe(false)
})

test('what waits for the configuration of the sound is bounded in the memory that it holds, for HLS and for a recording', () => {
  const segments: unknown[] = []
  const segmenter = new HlsSegmenter({
    map: () => undefined,
    segment: (segment) => segments.push(segment),
    leftOut: () => undefined,
  })
  let begun = 0
  const session = new RecordingSession(
    {
      wants: () => ({ uid: 1, format: 0, duration: 60_000, filename: '' }),
      blocked: () => undefined,
      open() {
        begun += 1
        throw new Error('begun')
      },
      failed: () => Promise.resolve(),
      ending: () => undefined,
      changed: () => undefined,
      log: { warn: () => undefined },
      leftOut: () => undefined,
      sliceBytes: Infinity,
    },
    () => undefined,
  )
  const most = maxSegmentBytes / (256 * 1024)
  for (const reader of [segmenter, session]) reader.packet(videoConfiguration)
  for (let count = 0; count < most - 2; count++)
    for (const reader of [segmenter, session]) reader.packet(sparse(count, count === 0))
  expect([begun, segments.length]).toEqual([0, 0])
  for (let count = most - 2; count < most + 4; count++) segmenter.packet(sparse(count))
  // The size limit cuts the first segment at once.
  expect(segments.length).toBe(1)
  expect(() => {
    for (let count = most - 2; count < most + 4; count++) session.packet(sparse(count))
  }).toThrow('begun')
})

test.each(['flv', 'mp4'])(
  'a slice of %s of small pictures of large blocks is written by the memory that these hold',
  (format) => {
    const tracks = configured(configured({}, videoConfiguration), audioConfiguration)
    const slice = format === 'flv' ? new FlvSlice(tracks, 60_000) : new Mp4Slice(tracks)
    let most = 0
    let waiting = 0
    for (let count = 0; count < 100; count++) {
      waiting = slice.packet(sparse(0), 0) ? 1 : waiting + 1
      most = Math.max(most, waiting)
    }
    expect(most).toBeLessThanOrEqual(flushBytes / (256 * 1024) + 1)
  },
)

test('small parts of large blocks that wait for a slow disk are copied', async () => {
  const opened = Promise.withResolvers<void>()
  const written: Buffer[] = []
  const file = {
    writev(parts: readonly Buffer[]) {
      written.push(...parts)
      return Promise.resolve(parts.reduce((sum, { length }) => sum + length, 0))
    },
    truncate: () => Promise.resolve(),
    datasync: () => Promise.resolve(),
    named: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  }
  const sink = createFileSink({
    open: () => opened.promise.then(() => file),
    clock: { ...systemClock, monotonic: () => 0 },
  })
  const { body } = sparse(0)
  const before = Buffer.from(body)
  const dense = Buffer.alloc(256 * 1024, 1)
  expect(sink.write([body])).toBe(true)
  expect(sink.write([dense])).toBe(true)
  body.fill(0xee)
  opened.resolve()
  await sink.close()
  expect(written[0]).toEqual(before)
  // A body that is most of its memory is written without a copy.
  expect(written[1]).toBe(dense)
})
