import { describe, expect, it } from 'vitest'
import * as answer from '../ingest/rtmp-answers.ts'
import { readAmf0 } from './amf0-reader.ts'
import { acknowledgementWindow, RtmpClient, type PublishOutcome } from './rtmp-client.ts'
import { ChunkReader, publisherBounds } from './rtmp-chunk-reader.ts'
import { numberBody, userControlBody, writeChunks } from './rtmp-chunk-writer.ts'
import { handshakeLength } from './rtmp-handshake.ts'
import { rtmpType, userControl, type RtmpMessage } from './rtmp-message.ts'

const name = 'live_1234567890?backup=1'
const helloOfServer = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * handshakeLength, 5)])
const control = (type: number, body: Buffer): Buffer => writeChunks({ type, streamId: 0, timestamp: 0, body }, 2)

/** A client, with what it sent and what became of it. */
function open(key = name) {
  const outcomes: PublishOutcome[] = []
  const acknowledged: number[] = []
  const messages: RtmpMessage[] = []
  const chunks = new ChunkReader(({ body, ...message }) => {
    messages.push({ ...message, body: Buffer.from(body) })
  }, publisherBounds)
  let shaken = 0
  const hello: Buffer[] = []
  const client = new RtmpClient({
    request: { app: 'app', tcUrl: 'rtmp://a.example/app', name: key, program: 'Test/1' },
    random: (length) => Buffer.alloc(length, 9),
    send(bytes) {
      if (shaken < 1 + 2 * handshakeLength) {
        shaken += bytes.length
        hello.push(bytes)
      } else chunks.push(bytes)
    },
    outcome: (outcome) => outcomes.push(outcome),
    acknowledged: (count) => void acknowledged.push(count),
  })
  const commands = () => messages.filter(({ type }) => type === rtmpType.command).map(({ body }) => readAmf0(body))
  return { client, outcomes, messages, hello, commands, acknowledged }
}
/** One that waits for the answer to its key. */
function asking(key = name) {
  const made = open(key)
  made.client.push(helloOfServer)
  made.client.push(Buffer.concat([answer.connectPreamble(), answer.connectAccepted(1)]))
  made.client.push(answer.command(0, '_result', 4, null, 7))
  return made
}

describe('a publisher of RTMP', () => {
  it('shakes hands, connects, and publishes on the stream that the server made', () => {
    const { client, outcomes, hello, commands, messages } = asking()
    expect(hello[0]!.subarray(0, 9)).toEqual(Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0]))
    expect(hello[1]).toEqual(helloOfServer.subarray(1, 1 + handshakeLength))
    expect(commands().map(([command]) => command)).toEqual([
      'connect',
      'releaseStream',
      'FCPublish',
      'createStream',
      'publish',
    ])
    expect(commands()[0]![2]).toEqual({
      app: 'app',
      type: 'nonprivate',
      flashVer: 'Test/1',
      tcUrl: 'rtmp://a.example/app',
    })
    expect(messages.at(-1)).toMatchObject({ streamId: 7 })
    client.push(answer.publishAccepted())
    expect(outcomes).toEqual([{ kind: 'publishing', streamId: 7 }])
  })

  it('asks the server to acknowledge what it takes, whatever bandwidth that names, and tells when it does', () => {
    const { client, messages, acknowledged } = asking()
    const windows = () => messages.filter(({ type }) => type === rtmpType.windowAcknowledgementSize)
    const asked = numberBody(acknowledgementWindow)
    // As the answer to the bandwidth, and before media.
    expect(windows().map(({ body }) => body)).toEqual([asked, asked])
    expect(acknowledged).toEqual([])
    client.push(control(rtmpType.acknowledgement, numberBody(acknowledgementWindow)))
    expect(acknowledged).toEqual([acknowledgementWindow])
  })

  it('answers pings and acknowledges what it got', () => {
    const { client, messages } = asking()
    client.push(control(rtmpType.windowAcknowledgementSize, numberBody(1)))
    client.push(control(rtmpType.userControl, userControlBody(userControl.pingRequest, 77)))
    const pong = messages.filter(({ type }) => type === rtmpType.userControl)
    expect(pong.map(({ body }) => body)).toEqual([userControlBody(userControl.pingResponse, 77)])
    const before = messages.filter(({ type }) => type === rtmpType.acknowledgement).length
    client.push(control(rtmpType.audio, Buffer.alloc(8000)))
    const after = messages.filter(({ type }) => type === rtmpType.acknowledgement)
    expect(after.length).toBe(before + 1)
    expect(after.at(-1)!.body.readUInt32BE(0)).toBeGreaterThan(8000)
  })

  it('tells a refusal in words that hold nothing of the key, also where they are cut', () => {
    for (const said of [`${'x'.repeat(290)}${name}`, 'the key live_1234567890 is unknown']) {
      const { client, outcomes } = asking()
      client.push(answer.status('error', 'NetStream.Publish.BadName', said))
      expect(outcomes).toMatchObject([{ kind: 'refused', isKey: true }])
      expect(JSON.stringify(outcomes)).toContain('…')
      expect(JSON.stringify(outcomes)).not.toContain('live_')
    }
  })

  it('tells a refusal without the key where the server writes it as in an address', () => {
    const key = 'live_a b/c&d'
    const { client, outcomes } = asking(key)
    client.push(answer.status('error', 'NetStream.Publish.BadName', `no such stream ${encodeURIComponent(key)}`))
    expect(outcomes).toMatchObject([{ kind: 'refused', text: expect.stringContaining('no such stream …') as string }])
  })

  it('bears servers that know neither releaseStream nor FCPublish', () => {
    const { client, outcomes } = asking()
    for (const id of [2, 3]) client.push(answer.command(0, '_error', id, null, { level: 'error', code: 'x.Failed' }))
    client.push(answer.publishAccepted())
    expect(outcomes).toEqual([{ kind: 'publishing', streamId: 7 }])
  })
})
