import { expect, test } from 'vitest'
import { ChunkReader, publisherBounds, strangerBounds, type ChunkBounds } from './rtmp-chunk-reader.ts'
import { numberBody, userControlBody, writeChunks } from './rtmp-chunk-writer.ts'
import { handshakeLength } from './rtmp-handshake.ts'
import { initialChunkSize, RtmpFault, rtmpType, userControl, type RtmpMessage } from './rtmp-message.ts'
import { promised } from '../testing/machine-pace.ts'

const read = (
  bytes: Buffer,
  { piece = bytes.length, bounds = publisherBounds }: { piece?: number; bounds?: ChunkBounds } = {},
): RtmpMessage[] => {
  const messages: RtmpMessage[] = []
  const reader = new ChunkReader((message) => messages.push(message), bounds)
  for (let at = 0; at < bytes.length; at += piece) reader.push(bytes.subarray(at, at + piece))
  return messages
}
const message = (part: Partial<RtmpMessage> = {}): RtmpMessage => ({
  type: 9,
  streamId: 1,
  timestamp: 0,
  body: Buffer.from('body'),
  ...part,
})
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex')
const pattern = (length: number): Buffer => Buffer.from(Uint8Array.from({ length }, (_, index) => index * 7))
const chunkSize = (size: number): Buffer =>
  writeChunks({ type: rtmpType.setChunkSize, streamId: 0, timestamp: 0, body: numberBody(size) }, 2)

const cases = [
  message(),
  message({ body: Buffer.alloc(0) }),
  message({ body: pattern(128) }),
  message({ body: pattern(129) }),
  message({ body: pattern(5000), timestamp: 0xfffffe }),
  message({ body: pattern(5000), timestamp: 0xffffff }),
  message({ body: pattern(1000), timestamp: 0xffffffff, type: 8, streamId: 0x01020304 }),
]
test.each([1, 2, 3, 7, 100, 1_000_000])(
  'messages are put together from pieces of %d bytes, with extended timestamps on format 3 chunks',
  (piece) => {
    expect(read(Buffer.concat(cases.map((one, index) => writeChunks(one, 3 + index))), { piece })).toEqual(cases)
  },
)

test('format 1 to 3 headers add deltas and repeat what is left out', () => {
  const stream = bytes(`
    04 0003e8 000002 08 01000000 aaaa
    44 000014 000001 08 bb
    84 000015 cc
    c4 dd
    c4 ee`)
  expect(
    read(stream).map(({ timestamp, body, streamId, type }) => [timestamp, body.toString('hex'), streamId, type]),
  ).toEqual([
    [1000, 'aaaa', 1, 8],
    [1020, 'bb', 1, 8],
    [1041, 'cc', 1, 8],
    [1062, 'dd', 1, 8],
    [1083, 'ee', 1, 8],
  ])
})

test('timestamps wrap at 2^32, by extended deltas too', () => {
  const stream = bytes('04 ffffff 000001 08 01000000 fffffff0 aa  84 000020 bb  84 ffffff 01000000 cc')
  expect(read(stream).map((one) => one.timestamp)).toEqual([0xfffffff0, 0x10, 0x01000010])
})

test.each([1, 2, 5, 1000])(
  'an encoder that leaves the extended timestamp out of format 3 chunks is understood (pieces of %d)',
  (piece) => {
    const body = pattern(300)
    const stream = Buffer.concat([
      bytes('04 ffffff 00012c 09 01000000 01000000'),
      body.subarray(0, 128),
      bytes('c4'),
      body.subarray(128, 256),
      bytes('c4'),
      body.subarray(256),
    ])
    expect(read(stream, { piece })).toEqual([message({ timestamp: 0x01000000, body })])
  },
)

test('chunk stream ids of two and three bytes', () => {
  const stream = bytes(
    '00 00 000001 000001 08 01000000 aa  01 ff ff 000002 000001 08 01000000 bb  c0 00 cc  c1 ffff dd',
  )
  expect(read(stream, { piece: 1 }).map(({ timestamp, body }) => [timestamp, body.toString('hex')])).toEqual([
    [1, 'aa'],
    [2, 'bb'],
    [2, 'cc'],
    [4, 'dd'],
  ])
})

test('interleaved chunk streams and a new chunk size in the middle', () => {
  const one = pattern(300)
  const two = pattern(200)
  const stream = Buffer.concat([
    bytes('04 000000 00012c 09 01000000'),
    one.subarray(0, 128),
    bytes('05 000000 0000c8 08 01000000'),
    two.subarray(0, 128),
    chunkSize(4096),
    bytes('c4'),
    one.subarray(128),
    bytes('c5'),
    two.subarray(128),
  ])
  expect(read(stream)).toEqual([message({ body: one }), message({ type: 8, body: two })])
})

test('an abort discards what came of a message, and gives its bytes back', () => {
  const messages: RtmpMessage[] = []
  const reader = new ChunkReader((one) => messages.push(one))
  reader.push(Buffer.concat([bytes('04 000000 00012c 09 01000000'), Buffer.alloc(128)]))
  expect(reader.held).toBe(300)
  reader.push(writeChunks({ type: rtmpType.abort, streamId: 0, timestamp: 0, body: numberBody(4) }, 2))
  expect(reader.held).toBe(0)
  reader.push(bytes('04 000000 000001 09 01000000 aa'))
  expect(messages.map((one) => one.body.toString('hex'))).toEqual(['aa'])
})

test.each<[string, Buffer]>([
  ['a format 3 chunk without a predecessor', bytes('c4 00')],
  ['a format 1 chunk without a predecessor', bytes('44 000000 000001 08 aa')],
  ['chunk size 0', chunkSize(0)],
  ['chunk size with its top bit set', chunkSize(0x80000000)],
  ['a control message cut short', writeChunks({ type: 1, streamId: 0, timestamp: 0, body: Buffer.alloc(2) }, 2)],
  ['a message over the limit', bytes('04 000000 ffffff 09 01000000')],
  [
    'a message that begins before the last ended',
    Buffer.concat([bytes('04 000000 00012c 09 01000000'), Buffer.alloc(128), bytes('04 000000 000001 09 01000000 aa')]),
  ],
  [
    'unfinished messages over the bound',
    Buffer.concat(
      Array.from({ length: 4 }, (_, index) =>
        Buffer.concat([Buffer.from([3 + index]), bytes('000000 00ff00 09 01000000'), Buffer.alloc(128)]),
      ),
    ),
  ],
  [
    'too many chunk streams',
    Buffer.concat(
      Array.from({ length: 60 }, (_, index) =>
        Buffer.concat([Buffer.from([3 + index]), bytes('000000 000000 09 01000000')]),
      ),
    ),
  ],
])('%s is refused', (_, stream) => {
  expect(() => read(stream, { bounds: strangerBounds })).toThrow(RtmpFault)
  expect(() => read(stream, { bounds: strangerBounds, piece: 1 })).toThrow(RtmpFault)
})

test('chunk sizes 1 and 2^31-1 work and hold no more than the message', () => {
  for (const size of [1, 0x7fffffff]) {
    const body = pattern(500)
    expect(read(Buffer.concat([chunkSize(size), writeChunks(message({ body }), 6, size)]))).toEqual([message({ body })])
  }
  const reader = new ChunkReader(() => undefined)
  reader.push(Buffer.concat([chunkSize(0x7fffffff), bytes('04 000000 00ffff 09 01000000 aa')]))
  expect(reader.held).toBe(0xffff)
})

test('reading 64 MiB in small pieces takes time in proportion: no copying of what is already there', async () => {
  const body = pattern(4 * 1024 * 1024)
  const stream = Buffer.concat([chunkSize(65_536), writeChunks(message({ body }), 6, 65_536)])
  let count = 0
  const reader = new ChunkReader(() => {
    count += 1
  }, publisherBounds)
  await promised(3000, () => {
    for (let round = 0; round < 16; round++)
      for (let at = 0; at < stream.length; at += 1448) reader.push(stream.subarray(at, at + 1448))
    return Promise.resolve()
  })
  expect(count).toBe(16)
})

test('media share memory with media only: what lies between them holds none of theirs', () => {
  const small = pattern(15)
  const other = pattern(60_000)
  const messages = Array.from({ length: 12 }, (_, index) => [
    message({ type: index % 2 === 0 ? rtmpType.video : rtmpType.audio, body: small }),
    ...[99, rtmpType.data, rtmpType.aggregate, rtmpType.command].map((type) => message({ type, body: other })),
  ]).flat()
  const got = read(Buffer.concat([chunkSize(65_536), ...messages.map((one) => writeChunks(one, 6, 65_536))]))
  expect(got).toEqual(messages)
  const media = got.filter(({ body }) => body.length === small.length)
  expect(media).toHaveLength(12)
  expect(new Set(media.map(({ body }) => body.buffer)).size).toBe(1)
  for (const { body } of got) if (body.length > small.length) expect(body.buffer.byteLength).toBe(body.length)
})

test.each([1, 2, 7, 100, 1_000_000])(
  'a reader that is stopped after each message says where, and goes on from there (pieces of %d)',
  (piece) => {
    const bare = Buffer.concat([
      bytes('04 ffffff 00012c 09 01000000 01000000'),
      pattern(128),
      bytes('c4'),
      pattern(128),
      bytes('c4'),
      pattern(44),
    ])
    const empty = bytes('05 000000 000000 09 01000000 c5 c5 c5')
    const stream = Buffer.concat([
      ...cases.map((one, index) => writeChunks(one, 6 + index)),
      empty,
      bare,
      empty,
      writeChunks(message(), 3),
    ])
    const got: RtmpMessage[] = []
    let most = 0
    const reader = new ChunkReader((one) => {
      got.push(one)
      reader.stop()
    }, publisherBounds)
    for (let from = 0; from < stream.length; from += piece) {
      let rest = stream.subarray(from, from + piece)
      for (let before = -1; rest.length > 0 || got.length > before;) {
        before = got.length
        rest = rest.subarray(reader.push(rest))
        most = Math.max(most, got.length - before)
      }
    }
    expect(got).toEqual(read(stream))
    expect(most).toBe(1)
  },
)

test('a message as long as the bound is read, and one byte more is refused', () => {
  const begin = (length: number, bounds: ChunkBounds): unknown => {
    const head = Buffer.concat([bytes('04 000000'), Buffer.from([length >> 16, (length >> 8) & 255, length & 255])])
    return read(Buffer.concat([head, bytes('09 01000000 aa')]), { bounds })
  }
  for (const [bounds, most] of [
    [strangerBounds, 64 * 1024],
    [publisherBounds, 8 * 1024 * 1024],
  ] as const) {
    expect(begin(most, bounds)).toEqual([])
    expect(() => begin(most + 1, bounds)).toThrow(new RtmpFault('a message over the limit'))
  }
})

test('unfinished messages are held up to 128 KiB of a stranger and 12 MiB of a publisher', () => {
  const unfinished = (length: number, count: number, bounds: ChunkBounds): void => {
    const reader = new ChunkReader(() => undefined, bounds)
    const size = Buffer.from([length >> 16, (length >> 8) & 255, length & 255])
    for (let index = 0; index < count; index++)
      reader.push(Buffer.concat([Buffer.from([4 + index, 0, 0, 0]), size, bytes('09 01000000'), Buffer.alloc(128)]))
  }
  const fault = new RtmpFault('too much of unfinished messages')
  unfinished(64 * 1024, 2, strangerBounds)
  expect(() => unfinished(64 * 1024, 3, strangerBounds)).toThrow(fault)
  unfinished(4 * 1024 * 1024, 3, publisherBounds)
  expect(() => unfinished(4 * 1024 * 1024, 4, publisherBounds)).toThrow(fault)
})

test('32 chunk streams are accepted, and their 33rd is refused', () => {
  const streams = (count: number): Buffer =>
    Buffer.concat(Array.from({ length: count }, (_, index) => writeChunks(message(), 3 + index)))
  for (const bounds of [strangerBounds, publisherBounds]) {
    expect(read(streams(32), { bounds })).toHaveLength(32)
    expect(() => read(streams(33), { bounds })).toThrow(new RtmpFault('too many chunk streams'))
  }
})

test('the bounds of a reader can be raised, and the first are those of a stranger', () => {
  const long = writeChunks(message({ body: pattern(70_000) }), 6)
  expect(() => new ChunkReader(() => undefined).push(long)).toThrow(RtmpFault)
  const got: RtmpMessage[] = []
  const reader = new ChunkReader((one) => got.push(one))
  reader.bounds = publisherBounds
  reader.push(long)
  expect(got.map(({ body }) => body.length)).toEqual([70_000])
})

test('no more chunks are read than the allowance, in any of their forms', () => {
  const got: RtmpMessage[] = []
  const reader = new ChunkReader((one) => got.push(one))
  reader.allowance = 3
  reader.push(writeChunks(message({ body: pattern(129) }), 6))
  reader.push(writeChunks(message(), 7))
  expect(got).toHaveLength(2)
  expect(reader.allowance).toBe(0)
  expect(() => reader.push(bytes('47 000000 000001 09 aa'))).toThrow(new RtmpFault('too many chunks'))
})

test('a chunk size and an abort are not passed on, and an abort of what is not there does nothing', () => {
  const stream = Buffer.concat([
    chunkSize(4096),
    writeChunks({ type: rtmpType.abort, streamId: 0, timestamp: 0, body: numberBody(9) }, 2),
    writeChunks(message(), 9, 4096),
    writeChunks({ type: rtmpType.abort, streamId: 0, timestamp: 0, body: numberBody(9) }, 2),
    writeChunks(message({ type: rtmpType.acknowledgement, body: numberBody(1) }), 2),
  ])
  expect(read(stream).map(({ type }) => type)).toEqual([9, rtmpType.acknowledgement])
})

test('chunks are written with their header in front, and each further one with one byte', () => {
  const hex = (part: Partial<RtmpMessage>, stream: number, size?: number): string =>
    writeChunks(message(part), stream, size).toString('hex')
  expect(hex({ timestamp: 0x010203, streamId: 0x01020304, body: bytes('aabb') }, 5)).toBe(
    '050102030000020904030201aabb',
  )
  expect(hex({ body: bytes('aabbccddee') }, 6, 2)).toBe('060000000000050901000000aabbc6ccddc6ee')
  expect(hex({ body: bytes('aabb') }, 6, 2)).toBe('060000000000020901000000aabb')
  expect(hex({ body: Buffer.alloc(0), type: 20, streamId: 0 }, 3)).toBe('030000000000001400000000')
  const long = writeChunks(message({ body: pattern(129) }), 6)
  expect([long.length, long[12 + 128]]).toEqual([12 + 129 + 1, 0xc6])
})

test('a time from 0xffffff on is written in four more bytes of every chunk, and wraps at 2^32', () => {
  const hex = (timestamp: number): string =>
    writeChunks(message({ timestamp, body: bytes('aabbcc') }), 6, 2).toString('hex')
  expect(hex(0xfffffe)).toBe('06fffffe0000030901000000aabbc6cc')
  expect(hex(0xffffff)).toBe('06ffffff000003090100000000ffffffaabbc600ffffffcc')
  expect(hex(2 ** 32 + 5)).toBe('060000050000030901000000aabbc6cc')
})

test('the bodies of control messages are big-endian numbers', () => {
  expect(numberBody(0x01020304).toString('hex')).toBe('01020304')
  expect(userControlBody(6, 0x01020304).toString('hex')).toBe('000601020304')
})

test('media stay whole when they are more than a slab of 256 KiB, and no message has the bytes of another', () => {
  const messages = Array.from({ length: 120 }, (_, index) =>
    message({
      type: index % 3 === 0 ? rtmpType.audio : rtmpType.video,
      timestamp: index,
      body: Buffer.alloc(9_000, index),
    }),
  )
  const got = read(Buffer.concat([chunkSize(65_536), ...messages.map((one) => writeChunks(one, 6, 65_536))]))
  expect(got.map(({ body }) => [body.length, body[0], body.at(-1)])).toEqual(
    messages.map((_, index) => [9_000, index, index]),
  )
  // Each slab has as many whole messages as fit.
  expect(new Set(got.map(({ body }) => body.buffer)).size).toBe(Math.ceil(120 / Math.floor((256 * 1024) / 9_000)))
})

test('media of more than a quarter of a slab have memory of their own', () => {
  const held = (length: number): number =>
    read(Buffer.concat([chunkSize(1_000_000), writeChunks(message({ body: Buffer.alloc(length) }), 6, 1_000_000)]))[0]!
      .body.buffer.byteLength
  expect([held(65_536), held(65_537)]).toEqual([262_144, 65_537])
})

test('messages and events have the numbers of the protocol', () => {
  expect(rtmpType).toEqual({
    setChunkSize: 1,
    abort: 2,
    acknowledgement: 3,
    userControl: 4,
    windowAcknowledgementSize: 5,
    setPeerBandwidth: 6,
    audio: 8,
    video: 9,
    data3: 15,
    command3: 17,
    data: 18,
    command: 20,
    aggregate: 22,
  })
  expect(userControl).toEqual({ streamBegin: 0, streamEof: 1, pingRequest: 6, pingResponse: 7 })
  expect([initialChunkSize, handshakeLength]).toEqual([128, 1536])
})
