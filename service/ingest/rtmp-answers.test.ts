import { expect, it } from 'vitest'
import { readAmf0 } from '../media/amf0-reader.ts'
import { ChunkReader, publisherBounds } from '../media/rtmp-chunk-reader.ts'
import { rtmpType, type RtmpMessage } from '../media/rtmp-message.ts'
import * as answer from './rtmp-answers.ts'

/** The messages in these bytes. */
function read(...bytes: readonly Buffer[]): RtmpMessage[] {
  const messages: RtmpMessage[] = []
  const reader = new ChunkReader(
    (message) => messages.push({ ...message, body: Buffer.from(message.body) }),
    publisherBounds,
  )
  for (const part of [answer.connectPreamble(), ...bytes]) reader.push(part)
  return messages.slice(2)
}

it('received bytes are acknowledged in 32 bits', () => {
  const of = (received: number): number => read(answer.acknowledgement(received))[0]!.body.readUInt32BE(0)
  expect([of(5), of(2 ** 32 - 1), of(2 ** 32), of(2 ** 32 + 7)]).toEqual([5, 2 ** 32 - 1, 0, 7])
})

it('a refused connect is told the server address that it should have', () => {
  const messages = read(answer.connectInvalid(4))
  const [name, transaction, , information] = readAmf0(messages.find(({ type }) => type === rtmpType.command)!.body)
  expect([name, transaction]).toEqual(['_error', 4])
  expect(information).toMatchObject({
    level: 'error',
    code: 'NetConnection.Connect.InvalidApp',
    description: expect.stringContaining('ends with /live') as string,
  })
})

it('a player is told the end of a stream on the message stream', () => {
  expect(
    read(answer.playOver()).map(({ type, body, streamId }) =>
      type === rtmpType.command
        ? [streamId, (readAmf0(body)[3] as unknown as { readonly code: string }).code]
        : [streamId, body.readUInt16BE(0)],
    ),
  ).toEqual([
    [1, 'NetStream.Play.UnpublishNotify'],
    [0, 1],
    [1, 'NetStream.Play.Stop'],
  ])
})

it.each([
  ['cut', 'The channel was disabled or removed.'],
  ['replaced', 'Another encoder took over.'],
  ['silent', 'Nothing was sent for 10 s.'],
  ['closing', 'The service is closing.'],
] as const)('a push that was ended because of %s is told so', (reason, description) => {
  expect(readAmf0(read(answer.pushCut(reason))[0]!.body)[3]).toEqual({
    level: 'error',
    code: 'NetStream.Publish.Failed',
    description,
  })
})

/** Commands as values, other messages as their type and body. */
const shown = (messages: readonly RtmpMessage[]): unknown[] =>
  messages.map(({ type, streamId, body }) =>
    type === rtmpType.command || type === rtmpType.data
      ? [streamId, ...readAmf0(body)]
      : [streamId, type, body.toString('hex')],
  )

it('connect is answered with window, bandwidth and chunk size, then with what is accepted', () => {
  const preamble: RtmpMessage[] = []
  const reader = new ChunkReader((message) => preamble.push({ ...message, body: Buffer.from(message.body) }))
  reader.push(answer.connectPreamble())
  expect(shown(preamble)).toEqual([
    [0, rtmpType.windowAcknowledgementSize, '002625a0'],
    // The limit is dynamic.
    [0, rtmpType.setPeerBandwidth, '002625a002'],
  ])
  expect([answer.acknowledgementWindow, answer.outgoingChunkSize]).toEqual([2_500_000, 65_536])
  expect(answer.connectPreamble().subarray(-4).readUInt32BE()).toBe(65_536)
  expect(shown(read(answer.connectAccepted(7)))).toEqual([
    [
      0,
      '_result',
      7,
      { fmsVer: 'FMS/3,0,1,123', capabilities: 31 },
      {
        level: 'status',
        code: 'NetConnection.Connect.Success',
        description: 'Connection succeeded.',
        objectEncoding: 0,
      },
    ],
  ])
})

it('who is on air is told the begin of the stream first, then that it has begun', () => {
  expect(shown(read(answer.publishAccepted()))).toEqual([
    [0, rtmpType.userControl, '000000000001'],
    [1, 'onStatus', 0, null, { level: 'status', code: 'NetStream.Publish.Start', description: 'On air.' }],
  ])
})

it('a player is told begin, reset, start, that it may read the samples, and that data begin', () => {
  expect(shown(read(answer.playAccepted()))).toEqual([
    [0, rtmpType.userControl, '000000000001'],
    [1, 'onStatus', 0, null, { level: 'status', code: 'NetStream.Play.Reset', description: 'Playing and resetting.' }],
    [1, 'onStatus', 0, null, { level: 'status', code: 'NetStream.Play.Start', description: 'Playing.' }],
    [1, '|RtmpSampleAccess', true, true],
    [1, 'onStatus', { code: 'NetStream.Data.Start' }],
  ])
})

it('refusals to publish and to play are errors with their code and words', () => {
  expect(shown(read(answer.publishRefused('BadName', 'one')))).toEqual([
    [1, 'onStatus', 0, null, { level: 'error', code: 'NetStream.Publish.BadName', description: 'one' }],
  ])
  expect(shown(read(answer.playRefused('StreamNotFound', 'two')))).toEqual([
    [1, 'onStatus', 0, null, { level: 'error', code: 'NetStream.Play.StreamNotFound', description: 'two' }],
  ])
})

it('packets are sent with their kind and time on the media stream, in chunks of 64 KiB', () => {
  const packet = (kind: 'video' | 'audio' | 'data', bytes: number) => ({
    kind,
    timestamp: 0x01020304,
    body: Buffer.alloc(bytes, 7),
    keyFrame: false,
    configuration: false,
    arrived: 0,
  })
  const messages = read(
    ...(['video', 'audio', 'data'] as const).map((kind) => answer.mediaMessage(packet(kind, 70_000))),
  )
  expect(messages.map(({ type, streamId, timestamp, body }) => [type, streamId, timestamp, body.length])).toEqual([
    [9, 1, 0x01020304, 70_000],
    [8, 1, 0x01020304, 70_000],
    [18, 1, 0x01020304, 70_000],
  ])
  // Each kind has a chunk stream of its own, apart from commands.
  expect((['audio', 'data', 'video'] as const).map((kind) => answer.mediaMessage(packet(kind, 1))[0])).toEqual([
    4, 5, 6,
  ])
  expect([answer.status('status', 'a', 'b')[0], answer.windowSize(1)[0]]).toEqual([3, 2])
})

it('a window is announced, a ping answered, each as a control message', () => {
  expect(shown(read(answer.windowSize(5), answer.userControlMessage(7, 0x01020304)))).toEqual([
    [0, rtmpType.windowAcknowledgementSize, '00000005'],
    [0, rtmpType.userControl, '000701020304'],
  ])
})

it('answers have the time 0, as no media have passed', () => {
  const answers = [
    answer.connectAccepted(1),
    answer.publishAccepted(),
    answer.playAccepted(),
    answer.playOver(),
    answer.pushCut('silent'),
    answer.windowSize(1),
    answer.acknowledgement(1),
    answer.userControlMessage(7, 1),
  ]
  const messages = read(...answers)
  expect(messages.map(({ timestamp }) => timestamp)).toEqual(messages.map(() => 0))
  expect(messages).toHaveLength(1 + 2 + 5 + 3 + 4)
})
