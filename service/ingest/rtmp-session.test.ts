import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Amf0Value } from '../media/amf0.ts'
import { writeAmf0 } from '../media/amf0-writer.ts'
import { numberBody, userControlBody } from '../media/rtmp-chunk-writer.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { eventually } from '../testing/eventually.ts'
import { promised } from '../testing/machine-pace.ts'
import { maxConnect } from './rtmp-commands.ts'
import { rtmpLimits } from './rtmp-limits.ts'
import { RtmpTestClient } from './testing/rtmp-test-client.ts'
import { avcHeader, keyFrame, startTestServer, testCid, testKey, type TestServer } from './testing/rtmp-test-server.ts'

const other = 'c'.repeat(32)
let started: TestServer | undefined
const start = async (options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> =>
  (started = await startTestServer({ cids: [other], ...options }))
afterEach(async () => {
  await started?.close()
  started = undefined
})

/** The answer to the command with this transaction. */
const answerTo = async (client: RtmpTestClient, transaction: number): Promise<Amf0Value[]> => {
  const answer = (): Amf0Value[] | undefined => client.commands().find((values) => values[1] === transaction)
  await client.until(() => answer() !== undefined)
  return answer()!
}

test('connect is answered with window, bandwidth and chunk size before its result', async () => {
  const server = await start()
  const client = await server.client()
  client.command('connect', 1, { app: 'live' })
  const result = await answerTo(client, 1)
  expect(client.heard.slice(0, 2).map(({ type, body }) => [type, body.readUInt32BE(0)])).toEqual([
    [rtmpType.windowAcknowledgementSize, 2_500_000],
    [rtmpType.setPeerBandwidth, 2_500_000],
  ])
  expect(result[0]).toBe('_result')
  expect(result[3]).toMatchObject({ level: 'status', code: 'NetConnection.Connect.Success', objectEncoding: 0 })
})

test('commands that encoders send beside are answered with a result', async () => {
  const server = await start()
  const client = await server.client()
  await client.connect()
  const names = ['releaseStream', 'FCPublish', '_checkbw', 'getStreamLength']
  for (const [index, name] of names.entries()) client.command(name, 10 + index, null, testCid)
  for (const [index, name] of names.entries())
    expect([name, ...(await answerTo(client, 10 + index))]).toEqual([
      name,
      '_result',
      10 + index,
      null,
      ...(name === 'getStreamLength' ? [0] : [undefined]),
    ])
  expect(client.ended).toBe(false)
})

test('an unknown command is passed over', async () => {
  const server = await start()
  const client = await server.client()
  await client.connect()
  client.command('somethingElse', 9, null)
  expect(await client.ask('publish', `${testCid}?${testKey}`)).toBe('NetStream.Publish.Start')
})

test.each<[string, (client: RtmpTestClient) => void, string]>([
  ['a second connect', (client) => client.command('connect', 9, { app: 'live' }), 'a second connect'],
  [
    'a publish after its stream was deleted',
    (client) => {
      client.command('deleteStream', 8, null, 1)
      client.command('publish', 9, null, `${testCid}?${testKey}`)
    },
    'publish out of order',
  ],
  [
    'a play after its stream was deleted',
    (client) => {
      client.command('deleteStream', 8, null, 1)
      client.command('play', 9, null, testCid)
    },
    'play out of order',
  ],
])('%s disconnects the peer, and the log says why', async (_what, act, reason) => {
  const server = await start()
  const client = await server.client()
  await client.connect()
  act(client)
  await client.until(() => client.ended)
  expect(server.logged.join('\n')).toContain(reason)
  expect(server.events).toEqual([])
})

test('connect with more than 16 KiB is refused like another application', async () => {
  const server = await start()
  const client = await server.client()
  await client.connect('live', { pad: 'x'.repeat(maxConnect) })
  await client.until(() => client.ended)
  expect(client.statuses()[0]?.code).toBe('NetConnection.Connect.InvalidApp')
})

test('a command in an AMF3 message is taken without its format byte', async () => {
  const server = await start()
  const client = await server.client()
  client.send(rtmpType.command3, 0, Buffer.concat([Buffer.from([0]), writeAmf0('connect', 1, { app: 'live' })]), 3, 0)
  expect((await answerTo(client, 1))[0]).toBe('_result')
})

test('one encoder more than are let on air is told so, and its channel is not on air', async () => {
  const server = await start({ limits: { publishers: 1 } })
  await server.publisher()
  const client = await server.client()
  await client.connect()
  expect(await client.ask('publish', `${other}?${testKey}`)).toBe('NetStream.Publish.Failed')
  expect(client.statuses().at(-1)?.description).toBe('Too many encoders are on air here.')
  expect(server.hub.stream(other)).toBeUndefined()
  expect(server.refusals).toEqual(['publishers'])
})

test('players beyond their limit are counted as refused', async () => {
  const server = await start({ limits: { players: 1 } })
  await server.publisher()
  const codes: string[] = []
  for (let each = 0; each < 2; each++) {
    const client = await server.client()
    await client.connect()
    codes.push(await client.ask('play', testCid))
  }
  expect(codes).toEqual(['NetStream.Play.Start', 'NetStream.Play.Failed'])
  expect(server.refusals).toEqual(['players'])
})

test('a channel that may not be played is answered as if nothing were on air', async () => {
  const server = await start()
  await server.publisher()
  server.gate.mayPlay = () => false
  const client = await server.client()
  await client.connect()
  expect(await client.ask('play', testCid)).toBe('NetStream.Play.StreamNotFound')
  expect(server.hub.viewers(testCid)).toBe(0)
})

test('a peer that neither publishes nor plays for 10 s is closed; one that does stays', async () => {
  const server = await start()
  const publisher = await server.publisher()
  const player = await server.client()
  await player.connect()
  await player.ask('play', testCid)
  const idle = await server.client()
  await idle.connect()
  publisher.send(rtmpType.video, 0, avcHeader)
  server.ahead += 9_000
  publisher.send(rtmpType.video, 0, keyFrame())
  await player.until(() => player.heard.some(({ type, body }) => type === rtmpType.video && body[1] === 1))
  expect(idle.ended).toBe(false)
  server.ahead += 1_500
  await idle.until(() => idle.ended)
  publisher.send(rtmpType.video, 40, keyFrame())
  await player.until(() => player.heard.at(-1)?.timestamp === 40 || player.ended)
  expect([publisher.ended, player.ended]).toEqual([false, false])
})

test('who ended its stream is a peer without a role again, with 10 s to begin another', async () => {
  const server = await start()
  const client = await server.publisher()
  expect(server.server.counts()).toEqual({ connections: 1, strangers: 0 })
  client.command('closeStream', 5, null)
  await client.until(() => client.statuses().at(-1)?.code === 'NetStream.Unpublish.Success')
  expect(server.server.counts()).toEqual({ connections: 1, strangers: 1 })
  server.ahead += 10_001
  await client.until(() => client.ended)
})

test.each(['FCUnpublish', 'closeStream', 'deleteStream'])('%s ends the push once', async (name) => {
  const server = await start()
  const client = await server.publisher()
  client.command(name, 5, null, testCid)
  await client.until(() => client.statuses().at(-1)?.code === 'NetStream.Unpublish.Success')
  client.command('deleteStream', 6, null, 1)
  client.command('releaseStream', 7, null, testCid)
  await answerTo(client, 7)
  expect(client.statuses().map(({ code }) => code)).toEqual(['NetStream.Publish.Start', 'NetStream.Unpublish.Success'])
  expect(server.events.map(({ type }) => type)).toEqual(['started', 'ended'])
  expect(server.released).toHaveLength(1)
})

test('a player that ends its stream leaves, and hears nothing of an ended broadcast', async () => {
  const server = await start()
  await server.publisher()
  const player = await server.client()
  await player.connect()
  await player.ask('play', testCid)
  expect(server.hub.viewers(testCid)).toBe(1)
  player.command('closeStream', 5, null)
  await eventually(() => expect(server.hub.viewers(testCid)).toBe(0))
  player.command('releaseStream', 7, null, testCid)
  await answerTo(player, 7)
  expect(player.statuses().map(({ code }) => code)).toEqual(['NetStream.Play.Reset', 'NetStream.Play.Start'])
})

test('the gate is told when the last packet of a push came', async () => {
  const server = await start()
  const client = await server.publisher()
  client.send(rtmpType.video, 0, avcHeader)
  await eventually(() => expect(server.hub.stream(testCid)?.video).toBeDefined())
  const last = server.hub.stream(testCid)!.lastPacketAt
  server.ahead += 5_000
  client.command('deleteStream', 5, null, 1)
  await eventually(() => expect(server.released).toEqual([{ cid: testCid, lastPacketAt: last }]))
})

test('a channel whose codec was refused is answered late, and no other', async () => {
  const server = await start()
  const client = await server.publisher()
  client.send(rtmpType.audio, 0, Buffer.from([0x2f, 1, 2]))
  await client.until(() => client.ended)
  const held = await server.client()
  await held.connect()
  const answered = held.ask('publish', `${testCid}?${testKey}`)
  const free = await server.client()
  await free.connect()
  expect(await free.ask('publish', `${other}?${testKey}`)).toBe('NetStream.Publish.Start')
  expect(held.statuses()).toEqual([])
  server.ahead += 3001
  expect(await answered).toBe('NetStream.Publish.Start')
})

test('the limits of the server are these unless others are given', () => {
  expect(rtmpLimits).toEqual({
    connections: 4400,
    perAddress: 512,
    perLoopback: 3400,
    players: 3000,
    playersPerAddress: 256,
    playersPerLoopback: 2000,
    publishers: 256,
    strangers: 1024,
    strangersPerAddress: 400,
    strangerPatience: 10_000,
    closingPatience: 3000,
    codecHold: 3000,
    pace: { perSecond: 1, atOnce: 20 },
  })
})

test('a player that waits for its turn is not cut off as a stranger, and reads why it may not begin', async () => {
  const turn = Promise.withResolvers<{ ok: false; sentence: string }>()
  const server = await start({ doors: { askRtmp: () => turn.promise } })
  const [player, idle] = [await server.client(), await server.client()]
  await player.connect()
  await idle.connect()
  const answered = player.ask('play', testCid)
  server.ahead += 19_000
  await idle.until(() => idle.ended)
  expect(player.ended).toBe(false)
  turn.resolve({ ok: false, sentence: 'too many were broken off' })
  expect(await answered).toBe('NetStream.Play.Failed')
  await player.until(() => player.ended)
})

test('64 commands are taken of a stranger, and the next one disconnects it', async () => {
  const server = await start()
  const client = await server.client()
  await client.connect()
  // Two were sent to connect.
  for (let transaction = 3; transaction <= 64; transaction++) client.command('releaseStream', transaction, null, 'x')
  await answerTo(client, 64)
  expect(client.ended).toBe(false)
  client.command('releaseStream', 65, null, 'x')
  await client.until(() => client.ended)
  expect(client.commands().some((values) => values[1] === 65)).toBe(false)
  expect(server.logged.join('\n')).toContain('too many commands')
})

test('a command before connect disconnects the peer', async () => {
  const server = await start()
  const client = await server.client()
  client.command('createStream', 1, null)
  await client.until(() => client.ended)
  expect([client.heard, server.logged.join('\n').includes('a command before connect')]).toEqual([[], true])
})

test('the stream of a connection has the number 1, and each createStream is answered with it', async () => {
  const server = await start()
  const client = await server.client()
  await client.connect()
  client.command('createStream', 7, null)
  expect(await answerTo(client, 7)).toEqual(['_result', 7, null, 1])
})

test('a second publish or play on a connection that has its role disconnects it', async () => {
  const server = await start()
  const publisher = await server.publisher()
  const player = await server.client()
  await player.connect()
  await player.ask('play', testCid)
  player.command('publish', 9, null, `${other}?${testKey}`)
  await player.until(() => player.ended)
  publisher.command('play', 9, null, testCid)
  await publisher.until(() => publisher.ended)
  const logged = server.logged.join('\n')
  expect([logged.includes('publish out of order'), logged.includes('play out of order')]).toEqual([true, true])
})

test('a stream name that is no text is no channel', async () => {
  const server = await start()
  for (const [verb, code] of [
    ['publish', 'NetStream.Publish.Rejected'],
    ['play', 'NetStream.Play.StreamNotFound'],
  ] as const) {
    const client = await server.client()
    await client.connect()
    client.command(verb, 3, null, 5)
    await client.until(() => client.ended)
    expect(client.statuses().map((status) => status.code)).toEqual([code])
  }
})

test('received bytes are acknowledged at half of the window, which is 4096 bytes at least', async () => {
  const server = await start()
  const client = await server.publisher()
  const acknowledged = (): number => client.heard.filter(({ type }) => type === rtmpType.acknowledgement).length
  let pings = 0
  /** Two pings are answered: the acknowledgement of what came before is there. */
  const pongs = async (): Promise<void> => {
    for (let each = 0; each < 2; each++) {
      const pong = userControlBody(7, ++pings)
      client.send(rtmpType.userControl, 0, userControlBody(6, pings), 2, 0)
      await client.until(() => client.heard.some(({ body }) => body.equals(pong)))
    }
  }
  client.send(rtmpType.windowAcknowledgementSize, 0, numberBody(0), 2, 0)
  await pongs()
  const before = acknowledged()
  client.send(rtmpType.audio, 0, Buffer.alloc(1400, 0xaf))
  await pongs()
  expect(acknowledged()).toBe(before)
  client.send(rtmpType.audio, 0, Buffer.alloc(2000, 0xaf))
  await pongs()
  expect(acknowledged()).toBe(before + 1)
})

test('control messages that are cut short, and events other than a ping, are passed over', async () => {
  const server = await start()
  const client = await server.publisher()
  const before = client.heard.length
  client.send(rtmpType.userControl, 0, userControlBody(6, 1).subarray(0, 5), 2, 0)
  client.send(rtmpType.userControl, 0, userControlBody(3, 1), 2, 0)
  client.send(rtmpType.windowAcknowledgementSize, 0, Buffer.alloc(3), 2, 0)
  client.send(rtmpType.setPeerBandwidth, 0, Buffer.alloc(3), 2, 0)
  client.send(rtmpType.userControl, 0, userControlBody(6, 2), 2, 0)
  await client.until(() => client.heard.length > before)
  expect(client.heard.slice(before).map(({ type, body }) => [type, body.toString('hex')])).toEqual([
    [rtmpType.userControl, '000700000002'],
  ])
})

test('an encoder that reads its answers is answered without end', async () => {
  const server = await start()
  const client = await server.publisher()
  const ping = userControlBody(6, 1)
  // Each answer has 18 bytes: 360 KB in all.
  for (let round = 1; round <= 10; round++) {
    const before = client.heard.length
    for (let each = 0; each < 2000; each++) client.send(rtmpType.userControl, 0, ping, 2, 0)
    await client.until(() => client.ended || client.heard.length >= before + 2000)
  }
  expect(client.ended).toBe(false)
  expect(client.heard.filter(({ body }) => body.equals(userControlBody(7, 1)))).toHaveLength(20_000)
})

test('a peer whose farewell was sent is closed after 3 s when it stays', async () => {
  const server = await start()
  const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true })
  const client = new RtmpTestClient(socket)
  await client.handshake()
  client.command('connect', 1, { app: 'vod' })
  await client.until(() => client.statuses().length === 1)
  expect(server.server.counts().connections).toBe(1)
  server.ahead += 3001
  await eventually(() => expect(server.server.counts().connections).toBe(0))
  client.close()
})

test('a peer that does not close keeps no server open', async () => {
  const server = await start()
  const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true })
  const client = new RtmpTestClient(socket)
  await client.handshake()
  await client.connect()
  await promised(2000, () => server.server.close())
  await eventually(() => expect(server.server.counts().connections).toBe(0))
  client.close()
})

test('a push has the address of its encoder, and the name that it gave with connect', async () => {
  const server = await start()
  await server.publisher()
  expect(server.hub.stream(testCid)?.remote).toBe('127.0.0.1')
  expect(server.hub.figures(testCid)?.encoder).toBe('test client 1')
  const nameless = await server.client()
  await nameless.connect('live', { flashVer: '' })
  expect(await nameless.ask('publish', `${other}?${testKey}`)).toBe('NetStream.Publish.Start')
  expect(server.hub.figures(other)).not.toHaveProperty('encoder')
})

test('an encoder that is refused is told the reason, and of its key only that it is wrong', async () => {
  const server = await start()
  const told = async (remedy: 'unknown' | 'key' | 'expired' | 'disabled'): Promise<unknown[]> => {
    server.gate.admit = () => ({ ok: false, remedy, reason: `because of ${remedy}` })
    const before = server.events.length
    const client = await server.client()
    await client.connect()
    await client.ask('publish', `${testCid}?${testKey}`)
    return [client.statuses()[0]!.description, server.events.slice(before).map(({ detail }) => detail)]
  }
  const wrongKey = 'The stream key is not one of this service; copy it again.'
  expect(await told('unknown')).toEqual([wrongKey, []])
  expect(await told('key')).toEqual([wrongKey, ['because of key']])
  expect(await told('expired')).toEqual(['because of expired', ['because of expired']])
  expect(await told('disabled')).toEqual(['because of disabled', ['because of disabled']])
})

test('an encoder that is refused takes no place, and one that vanishes leaves its place at once', async () => {
  const server = await start({ limits: { publishers: 1 } })
  server.gate.admit = () => ({ ok: false, remedy: 'key', reason: 'wrong key' })
  const refused = await server.client()
  await refused.connect()
  expect(await refused.ask('publish', `${testCid}?${testKey}`)).toBe('NetStream.Publish.Rejected')
  server.gate.admit = () => ({ ok: true })
  const client = await server.publisher()
  expect(server.released).toEqual([])
  client.close()
  await eventually(() => expect(server.released).toHaveLength(1))
  await server.publisher()
  expect(server.refusals).toEqual([])
})
