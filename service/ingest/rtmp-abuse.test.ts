import { systemClock } from '../../platform/clock.ts'
import { afterEach, expect, test } from 'vitest'
import { writeAmf0 } from '../media/amf0-writer.ts'
import { numberBody } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { createChannelsGate } from '../channels/channels-gate.ts'
import type { Channel } from '../channels/channels.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { pushSecret } from './push-address.ts'
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
import { eventually } from '../testing/eventually.ts'
import { promised } from '../testing/machine-pace.ts'

let started: TestServer | undefined
const start = async (options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> =>
  (started = await startTestServer(options))
afterEach(async () => {
  await started?.close()
  started = undefined
})

/** Another publisher, which stays on air whatever the test does. */
async function withBystander(server: TestServer): Promise<() => Promise<void>> {
  const bystander = await server.publisher()
  bystander.send(rtmpType.video, 0, avcHeader)
  bystander.send(rtmpType.video, 0, keyFrame())
  const player = await server.client()
  await player.connect()
  await player.ask('play', testCid)
  return async () => {
    const before = player.heard.length
    bystander.send(rtmpType.video, 40, interFrame())
    await player.until(() => player.heard.length > before)
    expect(bystander.ended).toBe(false)
  }
}
const other = 'd'.repeat(32)
/** A second publisher, which misbehaves. */
async function rogue(server: TestServer): Promise<RtmpTestClient> {
  const client = await server.client()
  await client.connect()
  await client.ask('publish', `${other}?${testKey}`)
  return client
}

test("the service's own gate: no key, wrong secret, expired, another channel's secret and a disabled channel are refused before the start", async () => {
  const server = await start()
  const channel = (cid: string, disabled: number): Channel =>
    ({ row: { cid, channelKey: `key of ${cid}`, disabled } }) as Channel
  const disabled = 'e'.repeat(32)
  const channels = new Map(
    [testCid, other].map((cid) => [cid, channel(cid, 0)]).concat([[disabled, channel(disabled, 1)]]) as [
      string,
      Channel,
    ][],
  )
  const gate = createChannelsGate({
    channels: { get: (cid) => channels.get(cid) },
    clock: systemClock,
    log: { note: () => undefined, forget: () => undefined },
    earlier: [],
  })
  Object.assign(server.gate, gate)
  const soon = Math.floor(Date.now() / 1000) + 3600
  const name = (cid: string, from = cid, time = soon): string =>
    `${cid}?wsSecret=${pushSecret(`key of ${from}`, from, time)}&wsTime=${time}`
  for (const [stream, remedy] of [
    [testCid, 'key'],
    [`${testCid}?wsSecret=${'0'.repeat(32)}&wsTime=${soon}`, 'key'],
    [name(testCid, other), 'key'],
    [name(testCid).replace(String(soon), String(soon + 1)), 'key'],
    [name(testCid, testCid, 1_000_000_000), 'expired'],
    [name(disabled), 'disabled'],
    [name('1'.repeat(32)), undefined],
  ] as const) {
    server.ahead += 1001
    const before = server.events.length
    const client = await server.client()
    await client.connect()
    expect(await client.ask('publish', stream)).toBe('NetStream.Publish.Rejected')
    expect(client.statuses()).toHaveLength(1)
    expect(server.events.slice(before).map((event) => event.remedy)).toEqual(remedy ? [remedy] : [])
    expect([testCid, disabled].map((cid) => server.hub.stream(cid))).toEqual([undefined, undefined])
  }
  const right = await server.client()
  await right.connect()
  expect(await right.ask('publish', name(testCid))).toBe('NetStream.Publish.Start')
})

const chunk = (hex: string, length = 0): Buffer =>
  Buffer.concat([Buffer.from(hex.replaceAll(' ', ''), 'hex'), Buffer.alloc(length)])
const command =
  (bytes: Buffer): ((client: RtmpTestClient) => void) =>
  (client) =>
    client.send(rtmpType.command, 0, bytes, 3, 0)
const deep = Buffer.concat(Array.from({ length: 4000 }, () => Buffer.from([3, 0, 1, 97])))

test.each<[string, (client: RtmpTestClient) => void]>([
  ['chunk size 0', (client) => client.send(rtmpType.setChunkSize, 0, numberBody(0), 2, 0)],
  ['chunk size with the top bit', (client) => client.send(rtmpType.setChunkSize, 0, numberBody(0x80000000), 2, 0)],
  [
    'chunk size 2^31-1 and a message of 16 MB',
    (client) => {
      client.chunkSize(0x7fffffff)
      client.socket.write(chunk('06 000000 ffffff 09 01000000', 1))
    },
  ],
  ['a format 3 chunk without a predecessor', (client) => client.socket.write(chunk('c9 00'))],
  [
    'thousands of chunk streams',
    (client) => {
      for (let id = 64; id < 4000; id++)
        client.socket.write(chunk(`01 ${(id - 64).toString(16).padStart(4, '0')} 000000 000010 09 01000000`, 1))
    },
  ],
  ['AMF0 cut short', command(Buffer.from([2, 0, 50, 97]))],
  ['AMF0 without an end', command(deep)],
  ['a reference in AMF0', command(Buffer.concat([writeAmf0('connect', 1), Buffer.from([7, 0, 0])]))],
  ['an unknown AMF0 marker', command(Buffer.concat([writeAmf0('connect', 1), Buffer.from([0x42])]))],
  ['an AMF0 array of 4 billion', command(Buffer.concat([writeAmf0('x', 1), Buffer.from([0x0a, 255, 255, 255, 255])]))],
  ['a command before connect', (client) => client.command('publish', 1, null, testCid)],
  [
    'a thousand commands',
    (client) => {
      client.command('connect', 1, { app: 'live' })
      for (let count = 0; count < 1000; count++) client.command('createStream', count, null)
    },
  ],
])('a stranger with %s is disconnected; others are unaffected', async (_, act) => {
  const server = await start()
  const fine = await withBystander(server)
  const client = await server.client()
  act(client)
  await client.until(() => client.ended)
  await fine()
})

const meta = (rest: Buffer): Buffer => Buffer.concat([writeAmf0('@setDataFrame', 'onMetaData'), rest])
test.each<[string, (client: RtmpTestClient) => void]>([
  ['a message over 8 MiB', (client) => client.socket.write(chunk('06 000000 ffffff 09 01000000', 1))],
  [
    '16 MB of unfinished messages',
    (client) => {
      for (const id of ['06', '07', '08']) client.socket.write(chunk(`${id} 000000 7f0000 09 01000000`, 128))
    },
  ],
  ['metadata without an end', (client) => client.send(rtmpType.data, 0, meta(deep))],
  ['metadata cut short', (client) => client.send(rtmpType.data, 0, meta(Buffer.from([8, 0, 0, 0, 9, 0])))],
  ['metadata over 64 KiB', (client) => client.send(rtmpType.data, 0, meta(writeAmf0('x'.repeat(70_000))))],
  [
    'an aggregate cut short',
    (client) => client.send(rtmpType.aggregate, 0, Buffer.from('090fffff0000000000000000', 'hex')),
  ],
  ['a second publish', (client) => client.command('publish', 9, null, testCid)],
  ['a play beside its publish', (client) => client.command('play', 9, null, testCid)],
])('a publisher with %s is disconnected and lost; others are unaffected', async (_, act) => {
  const server = await start({ cids: [other] })
  const fine = await withBystander(server)
  const client = await rogue(server)
  expect(server.hub.stream(other)).toBeDefined()
  act(client)
  await client.until(() => client.ended)
  await eventually(() => expect(server.hub.stream(other)).toBeUndefined())
  await fine()
})

test('fuzzed headers, zero-size NAL units and odd tags neither reach readers unreadable nor harm anybody', async () => {
  const server = await start({ cids: [other], limits: { pace: { perSecond: 1, atOnce: 2000 } } })
  const fine = await withBystander(server)
  const client = await rogue(server)
  const got: MediaPacket[] = []
  server.hub.join(other, { packet: (packet) => void got.push(packet), ended: () => undefined }, 'internal')
  let seed = 7
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed % below
  }
  for (let round = 0; round < 500; round++) {
    const header = Buffer.from(avcHeader)
    for (let count = 0; count <= random(6); count++) header[5 + random(header.length - 5)] = random(256)
    client.send(rtmpType.video, round, header.subarray(0, 5 + random(header.length - 4)))
    client.send(
      rtmpType.audio,
      round,
      Buffer.concat([Buffer.from([0xaf, 0]), Buffer.from([random(256), random(256)]).subarray(0, random(3))]),
    )
  }
  client.send(rtmpType.video, 500, avcHeader)
  client.send(rtmpType.video, 500, Buffer.from([0x17, 1, 0, 0, 0, 0, 0, 0, 0]))
  client.send(rtmpType.video, 540, Buffer.from([0x57, 0]))
  client.send(rtmpType.video, 540, Buffer.from([0x17, 2, 0, 0, 0]))
  client.send(rtmpType.video, 580, keyFrame())
  await eventually(() => expect(got.at(-1)?.body).toEqual(keyFrame()))
  const { readAvcConfiguration } = await import('../media/avc.ts')
  for (const packet of got)
    if (packet.kind === 'video' && packet.configuration)
      expect(readAvcConfiguration(packet.body.subarray(5))).toBeDefined()
  expect(server.hub.figures(other)).toMatchObject({ width: 1280, height: 720 })
  await fine()
})

test('a message declared and never sent: a stranger is closed in time, a publisher by its silence', async () => {
  const server = await start()
  const stranger = await server.client()
  stranger.socket.write(chunk('03 000000 00ffff 14 00000000', 1))
  const publisher = await server.publisher()
  publisher.socket.write(chunk('06 000000 7fffff 09 01000000', 1))
  expect(stranger.ended).toBe(false)
  server.ahead += 10_001
  await Promise.all([stranger.until(() => stranger.ended), publisher.until(() => publisher.ended)])
  expect(server.hub.stream(testCid)).toBeUndefined()
})

test('one byte at a time does not keep a handshake open beyond its time', async () => {
  const server = await start({ limits: { strangerPatience: 600 } })
  const client = await server.client(true)
  const drip = setInterval(() => client.socket.write(Buffer.from([3])), 20)
  const begun = performance.now()
  await promised(2000, () => client.until(() => client.ended))
  clearInterval(drip)
  expect(performance.now() - begun).toBeGreaterThan(300)
  await eventually(() => expect(server.server.counts().connections).toBe(0))
})

test('500 half-open connections from one address: the bound holds, an encoder still gets on air, who is on air stays', async () => {
  const server = await start()
  const fine = await withBystander(server)
  const flood: RtmpTestClient[] = []
  for (let count = 0; count < 500; count++) flood.push(await server.client(true))
  expect(server.server.counts().strangers).toBeLessThanOrEqual(400)
  await eventually(() => expect(flood.filter((client) => client.ended).length).toBeGreaterThanOrEqual(100))
  await fine()
  server.ahead += 3001
  const honest = await server.publisher()
  honest.send(rtmpType.video, 0, avcHeader)
  honest.send(rtmpType.video, 0, keyFrame())
  await eventually(() => expect(server.hub.figures(testCid)?.width).toBe(1280))
  server.ahead += 7001
  await Promise.all(flood.map((client) => client.until(() => client.ended)))
})

test('the number of connections is bounded', async () => {
  const server = await start({ limits: { connections: 3 } })
  const clients = [await server.publisher(), await server.client(), await server.client()]
  const next = await server.client()
  await clients[1]!.until(() => clients[1]!.ended)
  expect(server.server.counts().connections).toBe(3)
  expect([clients[0]!.ended, clients[2]!.ended, next.ended]).toEqual([false, false, false])
})

test('a peer that asks and never reads is cut off', async () => {
  const server = await start({ limits: { strangerPatience: 60_000 } })
  const client = await server.publisher()
  client.socket.pause()
  const ask = setInterval(() => {
    // No faster than the server reads.
    for (let count = 0; count < 2000 && client.socket.writableLength < 100_000; count++)
      client.command('releaseStream', 9, null, 'x')
  }, 1)
  await eventually(() => expect(server.hub.stream(testCid)).toBeUndefined())
  clearInterval(ask)
})

test('memory stays bounded while peers declare much and send little', async () => {
  const server = await start()
  const clients: RtmpTestClient[] = []
  for (let count = 0; count < 100; count++) {
    const client = await server.client()
    client.chunkSize(0x7fffffff)
    client.socket.write(Buffer.concat([chunk('03 000000 00ffff 14 00000000', 1)]))
    clients.push(client)
  }
  await eventually(() => expect(server.server.counts().strangers).toBe(100))
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(64 * 1024 * 1024)
  expect(clients.every((client) => !client.ended)).toBe(true)
})

test.each([
  ['a wrap at 2^32', 2 ** 32 - 60, 0],
  ['a jump of 10 h', 1000, 36_000_000],
  ['a jump of 149 h', 1000, 536_400_000],
  ['a backward jump', 90_000_000, -80_000_000],
])('%s leaves a push with monotone times of real length', async (_, first, jump) => {
  const server = await start()
  const client = await server.publisher()
  const got: MediaPacket[] = []
  server.hub.join(testCid, { packet: (packet) => void got.push(packet), ended: () => undefined }, 'internal')
  client.send(rtmpType.video, 0, avcHeader)
  client.send(rtmpType.audio, 0, aacHeader)
  for (let count = 0; count < 20; count++) {
    const time = (first + count * 40 + (count >= 10 ? jump : 0)) % 2 ** 32
    client.send(rtmpType.video, time, count % 10 === 0 ? keyFrame() : interFrame())
    client.send(rtmpType.audio, time, sound())
  }
  await eventually(() => expect(got).toHaveLength(42))
  const times = got.map((packet) => packet.timestamp)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(times.at(-1)).toBeGreaterThanOrEqual(19 * 40 - 60)
  expect(times.at(-1)).toBeLessThan(19 * 40 + 1000)
})

test('metadata only goes on air and ends by silence; audio only plays', async () => {
  const server = await start()
  const client = await server.publisher()
  client.send(rtmpType.data, 0, writeAmf0('@setDataFrame', 'onMetaData', { title: 'x' }))
  client.send(rtmpType.audio, 0, aacHeader)
  client.send(rtmpType.audio, 0, sound())
  await eventually(() =>
    expect(server.events.map((event) => [event.type, event.detail])).toEqual([
      ['started', undefined],
      ['codecs', 'AAC-LC 48 kHz stereo'],
    ]),
  )
  const player = await server.client()
  await player.connect()
  expect(await player.ask('play', testCid)).toBe('NetStream.Play.Start')
  client.send(rtmpType.audio, 23, sound())
  await player.until(() => player.heard.some((message) => message.type === rtmpType.audio && message.timestamp === 23))
})

test('a fault of the gate disconnects that peer and nobody else', async () => {
  const server = await start()
  const fine = await withBystander(server)
  server.gate.admit = () => {
    throw new Error('a fault of ours')
  }
  const client = await server.client()
  await client.connect()
  expect(await client.ask('publish', `${testCid}?${testKey}`)).toBe('closed')
  await fine()
})

test('a stalled player neither grows nor delays anybody and is disconnected; another gets every frame', async () => {
  const server = await start({ queueLimits: { bytes: 2_000_000, age: 500, stuck: 800 } })
  const publisher = await server.publisher()
  publisher.chunkSize(65_536)
  publisher.send(rtmpType.video, 0, avcHeader)
  publisher.send(rtmpType.video, 0, keyFrame(50_000))
  const [stalled, good] = [await server.client(), await server.client()]
  for (const player of [stalled, good]) {
    await player.connect()
    expect(await player.ask('play', testCid)).toBe('NetStream.Play.Start')
  }
  stalled.socket.pause()
  let sent = 0
  const timer = setInterval(
    () => publisher.send(rtmpType.video, ++sent * 10, sent % 25 === 0 ? keyFrame(50_000) : interFrame(50_000)),
    5,
  )
  await eventually(() => expect(server.hub.viewers(testCid)).toBe(1))
  clearInterval(timer)
  await good.until(() => good.heard.at(-1)?.timestamp === sent * 10)
  const times = good.heard
    .filter((message) => message.type === rtmpType.video && message.timestamp > 0)
    .map((message) => message.timestamp)
  expect(times).toEqual(Array.from({ length: sent }, (_, index) => (index + 1) * 10))
  expect(server.hub.figures(testCid)?.droppedForReaders).toBeGreaterThan(0)
})
