import { afterEach, expect, test, vi } from 'vitest'
import { readAmf0 } from '../media/amf0-reader.ts'
import { writeAmf0 } from '../media/amf0-writer.ts'
import { EcmaArray } from '../media/amf0.ts'
import { numberBody, userControlBody } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import type { MediaPacket } from '../timeline/packet.ts'
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

let started: TestServer | undefined
const start = async (options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> =>
  (started = await startTestServer(options))
afterEach(async () => {
  await started?.close()
  started = undefined
})

const listen = (server: TestServer): { got: MediaPacket[]; over: string[] } => {
  const got: MediaPacket[] = []
  const over: string[] = []
  server.hub.join(
    testCid,
    { packet: (packet) => void got.push(packet), ended: (reason) => void over.push(reason) },
    'internal',
  )
  return { got, over }
}

test.each([
  ['in the stream name', 'live', `${testCid}?${testKey}`],
  ['in the stream name, application with a slash', 'live/', `${testCid}?${testKey}`],
  ['in the application', `live?${testKey}`, testCid],
  ['escaped', 'live', `${testCid}%3FwsSecret%3Dright%26wsTime%3D4102444800`],
  ['escaped by a shell', 'live', `${testCid}\\?wsSecret\\=right\\&wsTime\\=4102444800`],
  ['in the whole address given as the server', `live/${testCid}?${testKey}`, ''],
  ['beside other parameters', 'live', `${testCid}?vhost=x&${testKey}&more`],
])('a publisher is admitted with its key %s', async (_, app, name) => {
  const server = await start()
  const client = await server.client()
  await client.connect(app)
  expect(await client.ask('publish', name)).toBe('NetStream.Publish.Start')
  expect(server.hub.stream(testCid)).toBeDefined()
  expect(server.events).toMatchObject([{ type: 'started', cid: testCid }])
})

test('a key only in the tcUrl admits', async () => {
  const server = await start()
  const client = await server.client()
  await client.connect('live', { tcUrl: `rtmp://127.0.0.1/live?${testKey}` })
  expect(await client.ask('publish', testCid)).toBe('NetStream.Publish.Start')
})

test.each([
  ['no key', testCid, 'key'],
  ['a wrong wsSecret', `${testCid}?wsSecret=wrong&wsTime=4102444800`, 'key'],
  ['an expired wsTime', `${testCid}?wsSecret=right&wsTime=1000000000`, 'expired'],
  ['an unknown channel', `${'0'.repeat(32)}?${testKey}`, undefined],
])('%s is refused before Publish.Start, and nothing goes on air', async (_, name, remedy) => {
  const server = await start()
  const client = await server.client()
  await client.connect()
  expect(await client.ask('publish', name)).toBe('NetStream.Publish.Rejected')
  await client.until(() => client.ended)
  expect(client.statuses().map((status) => status.code)).toEqual(['NetStream.Publish.Rejected'])
  expect(server.hub.stream(testCid)).toBeUndefined()
  expect(server.events.map((event) => [event.type, event.remedy])).toEqual(remedy ? [['refused', remedy]] : [])
  expect(server.released).toEqual([])
})

test("a disabled channel is refused with the gate's own words", async () => {
  const server = await start()
  server.gate.admit = () => ({ ok: false, remedy: 'disabled', reason: 'the channel is disabled' })
  const client = await server.client()
  await client.connect()
  await client.ask('publish', `${testCid}?${testKey}`)
  expect(client.statuses()[0]).toMatchObject({ level: 'error', description: 'the channel is disabled' })
  expect(server.events).toMatchObject([{ type: 'refused', remedy: 'disabled', from: '127.0.0.1' }])
})

const names = [
  '../../etc/passwd',
  '..\\..\\x',
  '%2e%2e%2f',
  `${testCid}\0`,
  `${testCid}/..`,
  `C:\\${testCid}`,
  'CON',
  `${testCid}.`,
  ` ${testCid}`,
  testCid.toUpperCase(),
  'x'.repeat(4096),
  '',
  `${testCid}${testCid}`,
  `live/${testCid}`,
]
test.each(names)('the stream name %j never reaches the gate', async (name) => {
  const server = await start()
  const admit = vi.fn(server.gate.admit)
  const mayPlay = vi.fn(server.gate.mayPlay)
  Object.assign(server.gate, { admit, mayPlay })
  for (const verb of ['publish', 'play'] as const) {
    const client = await server.client()
    await client.connect()
    expect(await client.ask(verb, `${name}?${testKey}`)).toBe(
      verb === 'publish' ? 'NetStream.Publish.Rejected' : 'NetStream.Play.StreamNotFound',
    )
  }
  expect(admit).not.toHaveBeenCalled()
  expect(mayPlay).not.toHaveBeenCalled()
})

test.each(['vod', '../live', 'live/../live', '', 'live%00', `live/${'a'.repeat(4096)}`, 'liveness'])(
  'the application %j is refused',
  async (app) => {
    const server = await start()
    const admit = vi.fn(server.gate.admit)
    server.gate.admit = admit
    const client = await server.client()
    await client.connect(app)
    if (!client.ended) await client.ask('publish', `${testCid}?${testKey}`)
    await client.until(() => client.ended)
    expect(client.statuses()[0]?.code).toMatch(/^NetConnection.Connect.InvalidApp$|^NetStream.Publish.Rejected$/)
    expect(admit).not.toHaveBeenCalled()
  },
)

test('what is published reaches readers: headers, frames with monotone times, metadata without @setDataFrame', async () => {
  const server = await start()
  const client = await server.publisher()
  const { got, over } = listen(server)
  client.chunkSize(4096)
  client.send(
    rtmpType.data,
    0,
    writeAmf0('@setDataFrame', 'onMetaData', new EcmaArray({ width: 1280, encoder: 'Test\nencoder 1' })),
  )
  client.send(rtmpType.video, 0, avcHeader)
  client.send(rtmpType.audio, 0, aacHeader)
  client.send(rtmpType.video, 1000, keyFrame(100_000))
  client.send(rtmpType.audio, 990, sound())
  client.send(rtmpType.video, 1040, interFrame())
  client.send(rtmpType.data, 0, writeAmf0('onCuePoint', { name: 'x' }))
  await client.until(() => true)
  await eventually(() => expect(got).toHaveLength(7))
  expect(got.map(({ kind, timestamp, keyFrame: key, configuration }) => [kind, timestamp, key, configuration])).toEqual(
    [
      ['data', 0, false, true],
      ['video', 0, false, true],
      ['audio', 0, false, true],
      ['video', 0, true, false],
      ['audio', 0, false, false],
      ['video', 40, false, false],
      ['data', 40, false, false],
    ],
  )
  expect(readAmf0(got[0]!.body)[0]).toBe('onMetaData')
  expect(got[3]!.body).toEqual(keyFrame(100_000))
  expect(server.hub.figures(testCid)).toMatchObject({
    encoder: 'Test encoder 1',
    videoCodec: 'H.264 High 3.1',
    audioCodec: 'AAC-LC',
    width: 1280,
    height: 720,
  })
  expect(server.events.map((event) => event.type)).toEqual(['started', 'codecs', 'firstKeyFrame'])
  client.command('FCUnpublish', 4, null, testCid)
  client.command('deleteStream', 5, null, 1)
  await eventually(() => expect(over).toEqual(['closed']))
  expect(server.released).toMatchObject([{ cid: testCid }])
  await client.until(() => client.statuses().some((status) => status.code === 'NetStream.Unpublish.Success'))
})

test('a publisher that vanishes is lost at once', async () => {
  const server = await start()
  const client = await server.publisher()
  const { over } = listen(server)
  client.close()
  await eventually(() => expect(over).toEqual(['lost']))
  expect(server.events.at(-1)?.type).toBe('ended')
})

test('a connection may publish again after ending its stream', async () => {
  const server = await start()
  const client = await server.publisher()
  client.command('deleteStream', 5, null, 1)
  client.command('createStream', 6, null)
  expect(await client.ask('publish', `${testCid}?${testKey}`)).toBe('NetStream.Unpublish.Success')
  await client.until(() => client.statuses().filter((status) => status.code === 'NetStream.Publish.Start').length === 2)
})

test('a second publisher is refused while the first is sending, and takes over after 3 s of its silence; readers of the first end', async () => {
  const server = await start()
  const first = await server.publisher()
  first.send(rtmpType.video, 0, avcHeader)
  first.send(rtmpType.video, 0, keyFrame())
  const { over } = listen(server)
  const second = await server.client()
  await second.connect()
  expect(await second.ask('publish', `${testCid}?${testKey}`)).toBe('NetStream.Publish.BadName')
  expect(server.events.at(-1)).toMatchObject({ type: 'refused', remedy: 'busy' })
  expect(first.ended).toBe(false)
  server.ahead += 3001
  const third = await server.client()
  await third.connect()
  expect(await third.ask('publish', `${testCid}?${testKey}`)).toBe('NetStream.Publish.Start')
  await first.until(() => first.ended)
  expect(first.statuses().at(-1)).toMatchObject({
    code: 'NetStream.Publish.Failed',
    description: 'Another encoder took over.',
  })
  expect(over).toEqual(['lost'])
  expect(server.hub.stream(testCid)).toBeDefined()
})

test('a publisher silent for 10 s is told and closed', async () => {
  const server = await start()
  const client = await server.publisher()
  server.ahead += 10_001
  await client.until(() => client.ended)
  expect(client.statuses().at(-1)?.description).toBe('Nothing was sent for 10 s.')
  expect(server.events.at(-1)).toMatchObject({ type: 'ended' })
})

test('cutting a channel tells its publisher and players', async () => {
  const server = await start()
  const client = await server.publisher()
  const player = await server.client()
  await player.connect()
  expect(await player.ask('play', testCid)).toBe('NetStream.Play.Start')
  server.hub.cut(testCid, 'deleted')
  await Promise.all([client.until(() => client.ended), player.until(() => player.ended)])
  expect(client.statuses().at(-1)?.description).toBe('The channel was disabled or removed.')
  expect(player.statuses().at(-1)?.code).toBe('NetStream.Play.Stop')
})

test('playing needs no key: answers in order, then metadata, headers and the cached GOP, then the rest with absolute times', async () => {
  const server = await start()
  const client = await server.publisher()
  client.send(rtmpType.data, 0, writeAmf0('@setDataFrame', 'onMetaData', { width: 1280 }))
  client.send(rtmpType.video, 0, avcHeader)
  client.send(rtmpType.video, 0, keyFrame(200_000))
  client.send(rtmpType.video, 40, interFrame())
  await eventually(() => expect(server.hub.figures(testCid)?.width).toBe(1280))
  const player = await server.client()
  await player.connect()
  player.command('play', 4, null, testCid, -2000, -1, true)
  await player.until(() => player.heard.filter((message) => message.type === rtmpType.video).length === 3)
  client.send(rtmpType.video, 16_777_300, interFrame())
  client.send(rtmpType.video, 16_777_340, interFrame(150_000))
  await player.until(() => player.heard.filter((message) => message.type === rtmpType.video).length === 5)
  expect(server.hub.viewers(testCid)).toBe(1)
  const after = player.heard.slice(player.heard.findIndex((message) => message.type === rtmpType.userControl))
  expect(after.map((message) => [message.type, message.timestamp])).toEqual([
    [rtmpType.userControl, 0],
    [rtmpType.command, 0],
    [rtmpType.command, 0],
    [rtmpType.data, 0],
    [rtmpType.data, 0],
    [rtmpType.data, 0],
    [rtmpType.video, 0],
    [rtmpType.video, 0],
    [rtmpType.video, 40],
    [rtmpType.video, expect.any(Number)],
    [rtmpType.video, expect.any(Number)],
  ])
  expect(after.at(-1)!.body).toEqual(interFrame(150_000))
  expect(after.at(-1)!.timestamp - after.at(-2)!.timestamp).toBe(40)
  expect(player.statuses().map((status) => status.code)).toEqual(['NetStream.Play.Reset', 'NetStream.Play.Start'])
  player.close()
  await eventually(() => expect(server.hub.viewers(testCid)).toBe(0))
})

test('nothing on air: StreamNotFound, and the same for an unknown channel', async () => {
  const server = await start()
  for (const cid of [testCid, 'f'.repeat(32)]) {
    const player = await server.client()
    await player.connect()
    expect(await player.ask('play', cid)).toBe('NetStream.Play.StreamNotFound')
    await player.until(() => player.ended)
  }
})

const extended = (fourCc: string, packetType = 0): Buffer =>
  Buffer.concat([Buffer.from([0x90 | packetType]), Buffer.from(fourCc), Buffer.alloc(40)])
test.each([
  ['HEVC by enhanced RTMP', 'HEVC', extended('hvc1')],
  ['AV1 by enhanced RTMP', 'AV1', extended('av01')],
  ['HEVC with codec id 12', 'HEVC', Buffer.from([0x1c, 0, 0, 0, 0, 1])],
])(
  '%s is refused at the first video tag with the setting to change; the next try is answered only after a pause',
  async (_, codec, tag) => {
    const server = await start()
    const client = await server.publisher()
    client.send(rtmpType.video, 0, tag)
    await client.until(() => client.ended)
    expect(client.statuses().at(-1)).toMatchObject({ level: 'error', code: 'NetStream.Publish.Rejected' })
    expect(client.statuses().at(-1)?.description).toContain(
      `${codec} video cannot be broadcast here. Set the encoder to H.264`,
    )
    expect(server.events.map((event) => [event.type, event.remedy])).toEqual([
      ['started', undefined],
      ['ended', undefined],
      ['refused', 'hevc'],
    ])
    expect(server.hub.stream(testCid)).toBeUndefined()
    const again = await server.client()
    await again.connect()
    const answered = again.ask('publish', `${testCid}?${testKey}`)
    again.send(rtmpType.userControl, 0, userControlBody(6, 77), 2, 0)
    await again.until(() => again.heard.some((message) => message.type === rtmpType.userControl))
    expect(again.statuses()).toEqual([])
    server.ahead += 3001
    expect(await answered).toBe('NetStream.Publish.Start')
  },
)

test('MP3 is refused in words, and a second audio track beside AAC does no harm', async () => {
  const server = await start()
  const client = await server.publisher()
  const { got } = listen(server)
  client.send(rtmpType.audio, 0, aacHeader)
  client.send(rtmpType.audio, 10, sound())
  client.send(rtmpType.audio, 10, Buffer.from([0x95, 0x00, ...Buffer.from('mp4a'), 1, 1, 2]))
  client.send(rtmpType.audio, 20, Buffer.from([0x91, ...Buffer.from('Opus'), 1, 2]))
  client.send(rtmpType.audio, 30, sound())
  await eventually(() => expect(got.map((packet) => packet.timestamp)).toEqual([0, 0, 20]))
  const other = await start()
  const mp3 = await other.publisher()
  mp3.send(rtmpType.audio, 0, Buffer.from([0x2f, 1, 2]))
  await mp3.until(() => mp3.ended)
  expect(mp3.statuses().at(-1)?.description).toContain(
    'MP3 audio cannot be broadcast here. Set the audio encoder to AAC',
  )
  expect(other.events.map(({ type, detail, remedy }) => [type, type === 'ended' ? detail : remedy])).toEqual([
    ['started', undefined],
    ['ended', 'codec'],
    ['refused', 'aac'],
  ])
  await server.close()
})

test('extended H.264 and AAC reach readers in their plain form', async () => {
  const server = await start()
  const client = await server.publisher()
  const { got } = listen(server)
  client.send(rtmpType.video, 0, Buffer.concat([Buffer.from([0x90]), Buffer.from('avc1'), avcHeader.subarray(5)]))
  client.send(
    rtmpType.video,
    0,
    Buffer.concat([Buffer.from([0x91]), Buffer.from('avc1'), Buffer.from([0, 0, 80, 9, 9])]),
  )
  client.send(rtmpType.video, 40, Buffer.concat([Buffer.from([0xa3]), Buffer.from('avc1'), Buffer.from([8, 8])]))
  client.send(rtmpType.audio, 40, Buffer.concat([Buffer.from([0x90]), Buffer.from('mp4a'), aacHeader.subarray(2)]))
  await eventually(() => expect(got).toHaveLength(4))
  expect(got.map((packet) => packet.body.toString('hex'))).toEqual([
    avcHeader.toString('hex'),
    '17010000500909',
    '27010000000808',
    aacHeader.toString('hex'),
  ])
})

test('video before metadata, audio only and frames before their header are borne', async () => {
  const server = await start()
  const client = await server.publisher()
  const { got } = listen(server)
  client.send(rtmpType.video, 0, keyFrame())
  client.send(rtmpType.audio, 0, sound())
  client.send(rtmpType.video, 0, Buffer.from([0x17, 0, 0, 0, 0, 1, 2, 3]))
  client.send(rtmpType.video, 0, Buffer.alloc(0))
  client.send(rtmpType.audio, 5, aacHeader)
  client.send(rtmpType.audio, 5, sound())
  await eventually(() => expect(got.map((packet) => packet.kind)).toEqual(['audio', 'audio']))
  expect(server.hub.figures(testCid)?.width).toBeUndefined()
})

test('an aggregate message is taken apart', async () => {
  const server = await start()
  const client = await server.publisher()
  const { got } = listen(server)
  const part = (type: number, time: number, body: Buffer): Buffer => {
    const head = Buffer.alloc(11)
    head[0] = type
    head.writeUIntBE(body.length, 1, 3)
    head.writeUIntBE(time, 4, 3)
    return Buffer.concat([head, body, numberBody(body.length + 11)])
  }
  client.send(
    rtmpType.aggregate,
    5000,
    Buffer.concat([
      part(9, 100, avcHeader),
      part(9, 100, keyFrame()),
      part(8, 110, aacHeader),
      part(9, 140, interFrame()),
    ]),
  )
  await eventually(() => expect(got.map((packet) => packet.timestamp)).toEqual([0, 0, 0, 40]))
})

test("received bytes are acknowledged within the peer's window, and pings are answered", async () => {
  const server = await start()
  const client = await server.publisher()
  client.send(rtmpType.windowAcknowledgementSize, 0, numberBody(100_000), 2, 0)
  client.send(rtmpType.userControl, 0, userControlBody(6, 4711), 2, 0)
  for (let count = 0; count < 10; count++) client.send(rtmpType.audio, count, Buffer.alloc(20_000, 0xaf))
  await client.until(() => client.heard.filter((message) => message.type === rtmpType.acknowledgement).length >= 2)
  await client.until(() =>
    client.heard.some(
      (message) => message.type === rtmpType.userControl && message.body.equals(userControlBody(7, 4711)),
    ),
  )
  const acknowledged = client.heard
    .filter((message) => message.type === rtmpType.acknowledgement)
    .map((message) => message.body.readUInt32BE(0))
  expect(acknowledged).toEqual(acknowledged.toSorted((one, other) => one - other))
  client.send(rtmpType.setPeerBandwidth, 0, Buffer.concat([numberBody(5_000_000), Buffer.from([2])]), 2, 0)
  await client.until(() =>
    client.heard.some(
      (message) => message.type === rtmpType.windowAcknowledgementSize && message.body.readUInt32BE(0) === 5_000_000,
    ),
  )
})

test('no log line and no event carries a key', async () => {
  const server = await start()
  const client = await server.publisher()
  const second = await server.client()
  await second.connect()
  await second.ask('publish', `${testCid}?wsSecret=canary4711&wsTime=4102444800`)
  client.close()
  await eventually(() => expect(server.released).toHaveLength(1))
  const said = JSON.stringify([server.logged, server.events])
  expect(said).toContain('a push began')
  expect(said).not.toMatch(/canary4711|wsSecret|right/)
})

test('two servers stand side by side', async () => {
  const one = await start()
  const two = await startTestServer()
  await one.publisher()
  expect(two.hub.stream(testCid)).toBeUndefined()
  await two.publisher()
  await two.close()
  expect(one.hub.stream(testCid)).toBeDefined()
})

test('closing the server ends connections and frees the port', async () => {
  const server = await start()
  const client = await server.publisher()
  const { over } = listen(server)
  await server.server.close()
  await client.until(() => client.ended)
  expect(over).toEqual(['closed'])
  expect(client.statuses().at(-1)?.description).toBe('The service is closing.')
  await eventually(() => expect(server.server.counts()).toEqual({ connections: 0, strangers: 0 }))
})
