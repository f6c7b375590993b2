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
