import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createDescriptorBudget } from '../../platform/descriptors.ts'
import { userControl, rtmpType } from '../media/rtmp-message.ts'
import { eventually } from '../testing/eventually.ts'
import type { MediaPacket } from '../timeline/packet.ts'
import { RtmpTestClient } from './testing/rtmp-test-client.ts'
import { avcHeader, keyFrame, startTestServer, testCid, testKey, type TestServer } from './testing/rtmp-test-server.ts'

const other = 'c'.repeat(32)
const servers: TestServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
const start = async (options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> => {
  const server = await startTestServer({ cids: [other], ...options })
  servers.push(server)
  return server
}
const player = async (server: TestServer, cid = testCid): Promise<{ client: RtmpTestClient; code: string }> => {
  const client = await server.client()
  await client.connect()
  return { client, code: await client.ask('play', cid) }
}
/** One by one, as few places are left for idle connections. */
async function many<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = []
  while (made.length < count) made.push(await make())
  return made
}
/** Whether an encoder of another channel gets on air. */
const pushed = async (server: TestServer): Promise<string> => {
  const client = await server.client()
  await client.connect()
  return client.ask('publish', `${other}?${testKey}`)
}
const ping = Buffer.alloc(6)
ping.writeUInt16BE(userControl.pingRequest)

test('a player that pings without reading is ended before its answers fill memory', async () => {
  const server = await start()
  await server.publisher()
  const { client, code } = await player(server)
  expect(code).toBe('NetStream.Play.Start')
  client.socket.pause()
  let sent = 0
  const flood = setInterval(() => {
    for (let count = 0; count < 1000; count += 1) client.send(rtmpType.userControl, 0, ping)
    sent += 1000
  }, 1)
  await eventually(() => expect(server.hub.viewers(testCid)).toBe(0))
  clearInterval(flood)
  expect(sent).toBeLessThan(200_000)
  await eventually(() => expect(server.server.counts().connections).toBe(1))
})

test('a player may say what players say for as long as it plays', async () => {
  const server = await start()
  const encoder = await server.publisher()
  encoder.send(rtmpType.video, 0, avcHeader)
  const { client } = await player(server)
  const answers = (): number => client.heard.filter(({ type }) => type === rtmpType.userControl).length
  for (let round = 1; round <= 16; round += 1) {
    const before = answers()
    for (let count = 0; count < 500; count += 1) client.send(rtmpType.userControl, 0, ping)
    await client.until(() => answers() >= before + 500 || client.ended)
    expect(client.ended).toBe(false)
    // So that the encoder does not count as silent.
    encoder.send(rtmpType.video, round, keyFrame())
    await client.until(() => client.heard.filter(({ type }) => type === rtmpType.video).length > round || client.ended)
    server.ahead += 2900
  }
})

test('players that fill the listener leave room for the encoder of another channel', async () => {
  const server = await start({ limits: { connections: 40, players: 20, strangers: 10, playersPerLoopback: 20 } })
  await server.publisher()
  const players = await many(26, () => player(server))
  expect(players.filter(({ code }) => code === 'NetStream.Play.Start')).toHaveLength(20)
  expect(players.filter(({ code }) => code === 'NetStream.Play.Failed')).toHaveLength(6)
  const silent = await Promise.all(Array.from({ length: 40 }, () => server.client(true)))
  expect(await pushed(server)).toBe('NetStream.Publish.Start')
  expect(players.filter(({ client }) => !client.ended).length).toBeGreaterThanOrEqual(20)
  expect(server.hub.viewers(testCid)).toBe(20)
  expect(silent.filter((client) => !client.ended).length).toBeLessThanOrEqual(10)
})

test('players that would take every descriptor leave those of encoders, and give back their own', async () => {
  const budget = createDescriptorBudget(64)
  const server = await start({
    descriptors: { waiting: budget.share(1 / 8), players: budget.share(0), publishers: budget.share(1 / 8) },
  })
  await server.publisher()
  const players = await many(60, () => player(server))
  const playing = players.filter((one) => one.code === 'NetStream.Play.Start')
  expect(playing.length).toBeGreaterThan(20)
  expect(playing.length).toBeLessThanOrEqual(36)
  expect(await pushed(server)).toBe('NetStream.Publish.Start')
  for (const one of players) one.client.close()
  await eventually(() => expect(server.server.counts().connections).toBe(2))
  const again = await many(20, () => player(server, other))
  expect(again.every(({ code }) => code === 'NetStream.Play.Start')).toBe(true)
})

test('an encoder that is refused because another one is on air gives its place back, also before it has left', async () => {
  const server = await start({ limits: { publishers: 2, closingPatience: 60_000 } })
  await server.publisher()
  // It leaves its side open, so that the connection stays.
  const second = new RtmpTestClient(connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true }))
  await second.handshake()
  await second.connect()
  expect(await second.ask('publish', `${testCid}?${testKey}`)).toBe('NetStream.Publish.BadName')
  expect(await pushed(server)).toBe('NetStream.Publish.Start')
  expect(server.server.counts().connections).toBe(3)
  second.close()
})

test('one address may have so many players, and another one still plays', async () => {
  const server = await start({ limits: { playersPerLoopback: 3 } })
  await server.publisher()
  const mine = await Promise.all(Array.from({ length: 5 }, () => player(server)))
  expect(mine.filter(({ code }) => code === 'NetStream.Play.Start')).toHaveLength(3)
  const client = await server.client(false, '127.0.0.9')
  await client.connect()
  expect(await client.ask('play', testCid)).toBe('NetStream.Play.Start')
})

test('who comes by a trusted proxy is known, and counted, by the address in its PROXY header', async () => {
  const server = await start({
    limits: { playersPerAddress: 1, playersPerLoopback: 1 },
    shared: (address) => address === '127.0.0.2',
  })
  await server.publisher()
  const played = async (header: string): Promise<string> => {
    const client = await server.client(true, '127.0.0.2')
    client.socket.write(header)
    await client.handshake()
    await client.connect()
    return client.ask('play', testCid).catch(() => 'ended')
  }
  const from = (address: string): string => `PROXY TCP4 ${address} 192.0.2.1 50000 1935\r\n`
  const answers = [
    await played(from('203.0.113.1')),
    await played(from('203.0.113.2')),
    await played(''),
    await played(''),
  ]
  expect(answers).toEqual(Array<string>(4).fill('NetStream.Play.Start'))
  expect(await played(from('203.0.113.1'))).not.toBe('NetStream.Play.Start')
  const encoder = await server.client(true, '127.0.0.2')
  encoder.socket.write(from('203.0.113.7'))
  await encoder.handshake()
  await encoder.connect()
  await encoder.ask('publish', `${other}?${testKey}`)
  expect(server.logged.join('\n')).toContain('203.0.113.7')
  const wrong = await server.client(true, '127.0.0.2')
  wrong.socket.write('PROXY TCP4 nobody\r\n')
  await eventually(() => expect(wrong.ended).toBe(true))
})

describe('a byte that is a whole message', () => {
  // An empty video message, which is ignored, then one-byte repetitions.
  const begin = Buffer.from([3, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0])
  const again = (count: number): Buffer => Buffer.alloc(count, 0xc3)

  test('is taken a thousand times of a stranger, and no more', async () => {
    const server = await start({ limits: { strangerPatience: 600_000 } })
    const client = await server.client()
    client.socket.write(Buffer.concat([begin, again(1023)]))
    await client.connect()
    expect(client.ended).toBe(true)
    expect(server.logged.join('\n')).toContain('too many chunks')
    const honest = await server.client()
    await honest.connect()
    expect(await honest.ask('publish', `${testCid}?${testKey}`)).toBe('NetStream.Publish.Start')
  })

  test('is taken four thousand times of a player in 10 s, and of an encoder as often as it sends one', async () => {
    const server = await start()
    const encoder = await server.publisher()
    encoder.socket.write(Buffer.concat([begin, again(5000)]))
    encoder.send(rtmpType.video, 0, avcHeader)
    const { client, code } = await player(server)
    expect(code).toBe('NetStream.Play.Start')
    client.socket.write(Buffer.concat([begin, again(5000)]))
    await eventually(() => expect(client.ended).toBe(true))
    expect(server.logged.join('\n')).toContain('too many chunks')
    expect(encoder.ended).toBe(false)
    expect(server.hub.stream(testCid)).toBeDefined()
  })
})

test('playing and leaving by turns does not renew what a stranger may send', async () => {
  const server = await start()
  const encoder = await server.publisher()
  encoder.send(rtmpType.video, 0, avcHeader)
  const client = await server.client()
  await client.connect()
  let turns = 0
  while (!client.ended && turns < 200) {
    client.command('createStream', 2, null)
    await client.ask('play', testCid)
    client.command('deleteStream', 3, null, 1)
    turns += 1
  }
  await eventually(() => expect(client.ended).toBe(true))
  expect(turns).toBeLessThan(64)
  expect(server.logged.join('\n')).toContain('too many commands')
})

test('an encoder may begin and end a push on one connection as often as it likes, once a second', async () => {
  const server = await start()
  const client = await server.client()
  await client.connect()
  for (let turn = 0; turn < 40; turn += 1) {
    client.command('createStream', 2, null)
    expect(await client.ask('publish', `${testCid}?${testKey}`)).toBe('NetStream.Publish.Start')
    client.command('deleteStream', 3, null, 1)
    await client.until(() => client.ended || client.statuses().at(-1)?.code === 'NetStream.Unpublish.Success')
    server.ahead += 1000
  }
  expect(client.ended).toBe(false)
})

test('an encoder that begins and ends pushes more often waits for its answer, whatever its connection; others do not', async () => {
  const server = await start({ limits: { pace: { perSecond: 0.001, atOnce: 4.5 } } })
  const begun = (): number => server.events.filter(({ type, cid }) => type === 'started' && cid === testCid).length
  const cycle = async (client: RtmpTestClient): Promise<void> => {
    await client.connect()
    for (let turn = 0; turn < 10; turn += 1) {
      client.command('publish', 3, null, `${testCid}?${testKey}`, 'live')
      client.command('deleteStream', 4, null, 1)
      client.command('createStream', 5, null)
    }
  }
  for (let count = 0; count < 3; count += 1) await cycle(await server.client())
  expect(await pushed(server)).toBe('NetStream.Publish.Start')
  expect(begun()).toBe(5)
  const waiting = await server.client()
  await waiting.connect()
  waiting.command('publish', 3, null, `${testCid}?${testKey}`, 'live')
  // Answered after a later encoder: its publish was held, not lost.
  expect(await pushed(server)).toBe('NetStream.Publish.BadName')
  expect(waiting.statuses()).toEqual([])
  expect(waiting.ended).toBe(false)
  expect(begun()).toBe(5)
})

test('who waits to begin again is answered when the time has come', async () => {
  const server = await start({ limits: { strangerPatience: 600_000, pace: { perSecond: 0.02, atOnce: 0.5 } } })
  const first = await server.publisher()
  first.command('deleteStream', 4, null, 1)
  await first.until(() => first.statuses().at(-1)?.code === 'NetStream.Unpublish.Success')
  const second = await server.client()
  await second.connect()
  const answer = second.ask('publish', `${testCid}?${testKey}`)
  // A later one was answered, the earlier one waits.
  expect(await pushed(server)).toBe('NetStream.Publish.Start')
  expect(second.statuses()).toEqual([])
  server.ahead += 100_000
  expect(await answer).toBe('NetStream.Publish.Start')
})

test('who waits to begin again for too long is told why, and so is who looks at the channel', async () => {
  const server = await start({ limits: { pace: { perSecond: 0.001, atOnce: 0.5 } } })
  await server.publisher()
  const second = await server.client()
  await second.connect()
  const answer = second.ask('publish', `${testCid}?${testKey}`)
  // The ping sent after its publish is answered: the publish was read.
  second.send(rtmpType.userControl, 0, Buffer.from([0, 6, 0, 0, 0, 1]), 2, 0)
  await second.until(() =>
    second.heard.some(({ type, body }) => type === rtmpType.userControl && body.readUInt16BE(0) === 7),
  )
  server.ahead += 10_000
  expect(await answer).toBe('NetStream.Publish.Failed')
  await second.until(() => second.ended)
  expect(server.events.filter(({ type }) => type === 'refused')).toMatchObject([{ cid: testCid, remedy: 'pace' }])
})

test('an encoder may repeat its decoder configuration always, and change it now and then', async () => {
  const server = await start({ limits: { pace: { perSecond: 0.001, atOnce: 10 } } })
  const client = await server.publisher()
  const got: MediaPacket[] = []
  server.hub.join(testCid, { packet: (packet) => void got.push(packet), ended: () => undefined }, 'internal')
  const changed = Buffer.from(avcHeader)
  changed[changed.length - 1]! ^= 1
  const send = (count: number): void => {
    for (let each = 0; each < count; each += 1) client.send(rtmpType.video, 0, each % 2 === 0 ? avcHeader : changed)
  }
  for (let each = 0; each < 100; each += 1) client.send(rtmpType.video, 0, avcHeader)
  send(8)
  client.send(rtmpType.video, 0, keyFrame())
  await eventually(() => expect(got.at(-1)?.keyFrame).toBe(true))
  expect(client.ended).toBe(false)
  expect(got.filter(({ configuration }) => configuration)).toHaveLength(8)
  send(100)
  await client.until(() => client.ended)
  expect(got.filter(({ configuration }) => configuration).length).toBeLessThan(14)
  expect(server.logged.join('\n')).toContain('change too often')
})
