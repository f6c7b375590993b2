import { setImmediate as nextTurn } from 'node:timers'
import { afterEach, expect, test } from 'vitest'
import { writeChunks } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { eventually } from '../testing/eventually.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import type { RtmpTestClient } from './testing/rtmp-test-client.ts'
import {
  aacHeader,
  avcHeader,
  interFrame,
  keyFrame,
  sound,
  startTestServer,
  testCid,
  testKey,
  type TestServer,
} from './testing/rtmp-test-server.ts'

let server: TestServer
let stopTurns: () => void = () => undefined
afterEach(async () => {
  stopTurns()
  await server.close()
})

const chunk = 8 * 1024 * 1024
/** An audio message, told apart by its last two bytes. */
const numbered = (number: number): Buffer => Buffer.concat([sound(), Buffer.from([number >> 8, number & 0xff])])
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const messages = (count: number): Buffer =>
  Buffer.concat(
    upTo(count).map((index) =>
      writeChunks({ type: rtmpType.audio, streamId: 1, timestamp: 0, body: numbered(index) }, 6, chunk),
    ),
  )
async function publisher(cid: string): Promise<RtmpTestClient> {
  const client = await server.client()
  await client.connect()
  expect(await client.ask('publish', `${cid}?${testKey}`)).toBe('NetStream.Publish.Start')
  client.chunkSize(chunk)
  client.send(rtmpType.audio, 0, aacHeader)
  await eventually(() => expect(server.hub.stream(cid)?.audio).toBeDefined())
  return client
}
/** Numbers of the audio messages of channels, and the most that came in one turn of the event loop. */
function listened(cids: readonly string[], each: () => void = () => undefined) {
  const got = new Map<string, number[]>(cids.map((cid) => [cid, []]))
  let [isOver, since, most] = [false, 0, 0]
  for (const cid of cids) {
    const packet = ({ configuration, kind, body }: MediaPacket): void => {
      if (configuration || kind !== 'audio') return
      got.get(cid)!.push(body.readUInt16BE(body.length - 2))
      most = Math.max(most, ++since)
      each()
    }
    server.hub.join(cid, { packet, ended: () => undefined }, 'internal')
  }
  const turn = (): void => {
    since = 0
    if (!isOver) nextTurn(turn)
  }
  stopTurns = () => {
    isOver = true
  }
  turn()
  return { got, most: () => most }
}

test('an encoder has 256 messages in a turn of the event loop, however many come, and none is lost', async () => {
  server = await startTestServer()
  const client = await publisher(testCid)
  const { got, most } = listened([testCid])
  client.socket.write(messages(2000))
  await eventually(() => expect(got.get(testCid)).toHaveLength(2000))
  expect(got.get(testCid)).toEqual(upTo(2000))
  // The work of two turns may run back to back.
  expect(most()).toBeLessThanOrEqual(2 * 256)
})

test('the parts of an aggregate message count like messages, and what follows it comes after it', async () => {
  server = await startTestServer()
  const client = await publisher(testCid)
  const { got, most } = listened([testCid])
  const parts = Buffer.concat(
    upTo(2000).flatMap((index) => {
      const body = numbered(index)
      const header = Buffer.alloc(11)
      header[0] = rtmpType.audio
      header.writeUIntBE(body.length, 1, 3)
      return [header, body, Buffer.alloc(4)]
    }),
  )
  client.send(rtmpType.aggregate, 0, parts)
  client.send(rtmpType.audio, 0, numbered(2000))
  await eventually(() => expect(got.get(testCid)).toHaveLength(2001))
  expect(got.get(testCid)).toEqual(upTo(2001))
  expect(most()).toBeLessThanOrEqual(2 * 256)
})

test('encoders that send much at once share one turn of the event loop, and all of it comes in order', async () => {
  const cids = upTo(8).map((each) => each.toString(16).padStart(32, '0'))
  server = await startTestServer({ cids })
  const clients: RtmpTestClient[] = []
  for (const cid of cids) clients.push(await publisher(cid))
  // Each message takes a millisecond of the server's time.
  const { got, most } = listened(cids, () => (server.ahead += 1))
  for (const client of clients) client.socket.write(messages(50))
  await eventually(() => expect([...got.values()].every(({ length }) => length === 50)).toBe(true))
  for (const each of got.values()) expect(each).toEqual(upTo(50))
  expect(most()).toBeLessThanOrEqual(2 * (8 + 4 + 1))
})

test('after a sleep of the service the backlog of an encoder is read before it is told who is on air', async () => {
  server = await startTestServer()
  const client = await publisher(testCid)
  client.send(rtmpType.video, 0, avcHeader)
  client.send(rtmpType.video, 0, keyFrame())
  await eventually(() => expect(server.hub.stream(testCid)?.video).toBeDefined())
  // 12 s of pictures, more than one read takes.
  client.socket.write(
    Buffer.concat(
      upTo(300).map((index) =>
        writeChunks({ type: rtmpType.video, streamId: 1, timestamp: index * 40, body: interFrame(10_000) }, 6, chunk),
      ),
    ),
  )
  client.socket.destroySoon()
  server.ahead += 6000
  expect(server.hub.stream(testCid)).toBeDefined()
  await server.server.caughtUp()
  expect(server.hub.stream(testCid)).toBeUndefined()
})
