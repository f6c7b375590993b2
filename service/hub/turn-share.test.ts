import { systemClock } from '../../platform/clock.ts'
import { setImmediate as nextTurn } from 'node:timers'
import { afterEach, expect, test } from 'vitest'
import { writeChunks } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { sharedTurnLimits } from './shared-turn.ts'
import { turnLimits, TurnShare } from './turn-share.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { eventually } from '../testing/eventually.ts'
import type { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import {
  aacHeader,
  sound,
  startTestServer,
  testCid,
  testKey,
  type TestServer,
} from '../ingest/testing/rtmp-test-server.ts'

let server: TestServer
let isStarted = false
let stopTurns: () => void = () => undefined
afterEach(async () => {
  stopTurns()
  if (isStarted) await server.close()
  isStarted = false
})

/** A publisher of audio, its packets, and the most that came in one event-loop turn. */
async function listened(
  each: () => void = () => undefined,
  monotonic?: () => number,
): Promise<{ client: RtmpTestClient; got: MediaPacket[]; most: () => number }> {
  server = await startTestServer(monotonic && { clock: { ...systemClock, monotonic } })
  isStarted = true
  let isOver = false
  let inTurn = 0
  let most = 0
  const turn = (): void => {
    inTurn = 0
    if (!isOver) nextTurn(turn)
  }
  stopTurns = () => {
    isOver = true
  }
  const client = await server.publisher()
  client.chunkSize(8 * 1024 * 1024)
  client.send(rtmpType.audio, 0, aacHeader)
  const got: MediaPacket[] = []
  const packet = (one: MediaPacket): void => {
    if (one.configuration || one.kind !== 'audio') return
    got.push(one)
    most = Math.max(most, ++inTurn)
    each()
  }
  await eventually(() => expect(server.hub.stream(testCid)?.audio).toBeDefined())
  turn()
  server.hub.join(testCid, { packet, ended: () => undefined }, 'internal')
  return { client, got, most: () => most }
}
/** An audio message, told apart by its last two bytes. */
const numbered = (number: number): Buffer => Buffer.concat([sound(), Buffer.from([number >> 8, number & 0xff])])
const numbers = (packets: readonly MediaPacket[]): number[] =>
  packets.map(({ body }) => body.readUInt16BE(body.length - 2))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const messages = (from: number, to: number): Buffer =>
  Buffer.concat(
    upTo(to - from).map((index) =>
      writeChunks(
        { type: rtmpType.audio, streamId: 1, timestamp: 0, body: numbered(from + index) },
        6,
        8 * 1024 * 1024,
      ),
    ),
  )
const aggregate = (from: number, to: number): Buffer =>
  Buffer.concat(
    upTo(to - from).flatMap((index) => {
      const body = numbered(from + index)
      const header = Buffer.alloc(11)
      header[0] = rtmpType.audio
      header.writeUIntBE(body.length, 1, 3)
      return [header, body, Buffer.alloc(4)]
    }),
  )
/** The work of two turns may run back to back. */
const inATurn = 2 * turnLimits.messages

test('thousands of small messages in one write leave the event loop its turns, and come in their order', async () => {
  const { client, got, most } = await listened()
  client.socket.write(messages(0, 3000))
  await eventually(() => expect(got).toHaveLength(3000))
  expect(numbers(got)).toEqual(upTo(3000))
  expect(most()).toBeLessThanOrEqual(inATurn)
})

test('an aggregate message of thousands of parts leaves the event loop its turns; what follows it comes after it', async () => {
  const { client, got, most } = await listened()
  client.send(rtmpType.aggregate, 0, aggregate(0, 4000))
  client.send(rtmpType.aggregate, 0, aggregate(4000, 4100))
  client.socket.write(messages(4100, 4110))
  await eventually(() => expect(got).toHaveLength(4110))
  expect(numbers(got)).toEqual(upTo(4110))
  expect(most()).toBeLessThanOrEqual(inATurn)
})

test('messages that take long leave the event loop its turns by their time', async () => {
  const { client, got, most } = await listened(() => (server.ahead += 1))
  client.socket.write(messages(0, 100))
  await eventually(() => expect(got).toHaveLength(100))
  expect(numbers(got)).toEqual(upTo(100))
  expect(most()).toBeLessThanOrEqual(2 * (turnLimits.time + 1))
})

test('publishers that send thousands of messages at once have the event loop turn as for one of them, and all of it comes in its order', async () => {
  const cids = upTo(12).map((each) => each.toString(16).padStart(32, '0'))
  server = await startTestServer({ cids })
  isStarted = true
  const got = new Map<string, number[]>()
  let [isOver, since, most] = [false, 0, 0]
  const clients = await Promise.all(
    cids.map(async (cid) => {
      const client = await server.client()
      await client.connect()
      expect(await client.ask('publish', `${cid}?${testKey}`)).toBe('NetStream.Publish.Start')
      client.chunkSize(8 * 1024 * 1024)
      client.send(rtmpType.audio, 0, aacHeader)
      await eventually(() => expect(server.hub.stream(cid)?.audio).toBeDefined())
      return client
    }),
  )
  for (const cid of cids) {
    const numbersOf: number[] = []
    got.set(cid, numbersOf)
    const packet = (one: MediaPacket): void => {
      if (one.configuration || one.kind !== 'audio') return
      numbersOf.push(...numbers([one]))
      // Each takes a millisecond of the server's time.
      server.ahead += 1
      most = Math.max(most, ++since)
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
  for (const client of clients) client.socket.write(messages(0, 60))
  await eventually(() => expect([...got.values()].every(({ length }) => length === 60)).toBe(true))
  for (const each of got.values()) expect(each).toEqual(upTo(60))
  // Overrun is noticed when the last share is spent; the work of two turns may run back to back.
  expect(most).toBeLessThanOrEqual(2 * (sharedTurnLimits.time + turnLimits.time + 1))
})

test('an aggregate message of more parts than any encoder sends ends the push', async () => {
  const { client } = await listened()
  client.send(rtmpType.aggregate, 0, Buffer.alloc(15 * 5000))
  await eventually(() => expect(server.logged.join('\n')).toContain('too many parts'))
  await client.until(() => client.ended)
})

test('a publisher that is cut while messages of it wait hears why, and one that leaves is lost', async () => {
  const { client } = await listened()
  client.socket.write(messages(0, 3000))
  server.hub.join(
    testCid,
    { packet: () => void server.hub.cut(testCid, 'deleted'), ended: () => undefined },
    'internal',
  )
  await client.until(() => client.ended)
  expect(client.statuses().at(-1)).toMatchObject({ level: 'error', code: 'NetStream.Publish.Failed' })
})

test('a share that was spent, by its messages or its time, is followed by a whole one', () => {
  let now = 0
  const share = new TurnShare({ monotonic: () => now })
  const spent = (count: number): boolean => {
    share.begin()
    for (let each = 0; each < count; each++) share.spend()
    return share.isSpent
  }
  expect(spent(turnLimits.messages - 1)).toBe(false)
  expect(spent(1)).toBe(true)
  // Continues in the next turn.
  expect(spent(turnLimits.messages - 1)).toBe(false)
  now += turnLimits.time - 1
  expect(spent(1)).toBe(true)
  // Consecutive reads have one share while it lasts.
  expect(spent(turnLimits.messages - 1)).toBe(false)
  now += 1
  expect(share.isSpent).toBe(false)
  now += turnLimits.time - 1
  expect(share.isSpent).toBe(true)
  expect(spent(0)).toBe(false)
})

test('a read with one message asks for the time when it begins, for the message, and once after it, and the turn of all for its length', async () => {
  let asked = 0
  const { client, got } = await listened(undefined, () => {
    asked += 1
    return performance.now()
  })
  const each: number[] = []
  for (const number of upTo(10)) {
    const before = asked
    client.send(rtmpType.audio, 0, numbered(number))
    await eventually(() => expect(got).toHaveLength(number + 1))
    each.push(asked - before)
  }
  // The minimum: the server checks its deadlines meanwhile.
  expect(Math.min(...each)).toBe(5)
})

test('a connection has 256 messages and 4 ms in a turn, all together 8 ms, and a pause of 1 ms', () => {
  expect([turnLimits, sharedTurnLimits]).toEqual([
    { messages: 256, time: 4 },
    { time: 8, pause: 1 },
  ])
})
