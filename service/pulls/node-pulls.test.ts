import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { nodesOf, push, type Encoder, type Nodes } from '../onair/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest } from '../testing/http-request.ts'
import type { TestService } from '../testing/start-service.ts'

let nodes: Nodes
let a: TestService
let b: TestService
let encoder: Encoder
let channel: { readonly cid: string; readonly pushUrl: string }
/** Before the media side of A, as other nodes reach it: who connected. */
let proxy: Server
let connections = 0
const players: RtmpTestClient[] = []

beforeEach(async () => {
  connections = 0
  proxy = createServer((socket) => {
    connections += 1
    const there = connect(a.service.listening.media, '127.0.0.1')
    socket.pipe(there).pipe(socket)
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.once('close', () => other.destroy())
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  nodes = await nodesOf()
  a = await nodes.start('a', {}, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  b = await nodes.start('b')
  channel = await nodes.channel('show')
  await begin(a)
})
afterEach(async () => {
  for (const player of players.splice(0)) player.close()
  encoder.close()
  await nodes.close()
  proxy.close()
})
/** A push at a node that both know. */
const begin = async (at: TestService): Promise<void> => {
  encoder = (await push(at.service.listening.rtmp, channel.pushUrl)).encoder
  await eventually(async () => expect(await nodes.status(b, channel.cid)).toBe(1))
}
const open = async (at: TestService, host = '127.0.0.1'): Promise<RtmpTestClient> => {
  const player = await RtmpTestClient.open(at.service.listening.rtmp)
  players.push(player)
  await player.connect('live', { tcUrl: `rtmp://${host}/live` })
  return player
}
const mediaOf = ({ heard }: RtmpTestClient, type: number) => heard.filter((message) => message.type === type)
const isKeyFrame = ({ body }: { readonly body: Buffer }): boolean => body[0] === 0x17 && body[1] === 1
/** Waits for a key frame and sound that came after what was heard so far. */
const plays = async (player: RtmpTestClient): Promise<void> => {
  const [pictures, sounds] = [mediaOf(player, rtmpType.video).length, mediaOf(player, rtmpType.audio).length]
  await player.until(() => mediaOf(player, rtmpType.video).slice(pictures).some(isKeyFrame), 'a key frame')
  await player.until(() => mediaOf(player, rtmpType.audio).length > sounds + 2, 'sound')
}
const viewers = async (at: TestService): Promise<number> =>
  (await at.call(local.channelDetails, { cidList: [channel.cid] })).ret!.list[0]!.viewers

describeOnRedis('an RTMP player at another node than the push is at', () => {
  it('gets it by one connection for all players of the node, is counted, and ends with the push', async () => {
    const first = await open(b)
    expect(await first.ask('play', channel.cid)).toBe('NetStream.Play.Start')
    await plays(first)
    const [configuration, picture] = mediaOf(first, rtmpType.video)
    expect([configuration!.body[1], isKeyFrame(picture!)]).toEqual([0, true])
    const second = await open(b)
    expect(await second.ask('play', channel.cid)).toBe('NetStream.Play.Start')
    await plays(second)
    expect(connections).toBe(1)
    for (const node of [a, b]) await eventually(async () => expect(await viewers(node)).toBe(2))
    first.close()
    await eventually(async () => expect(await viewers(a)).toBe(1))
    await plays(second)
    encoder.close()
    await second.until(() => second.ended)
    expect(second.statuses().at(-1)?.code).toBe('NetStream.Play.Stop')
    await eventually(async () => expect(await viewers(a)).toBe(0))
    expect(await (await open(b)).ask('play', channel.cid)).toBe('NetStream.Play.StreamNotFound')
  })

  it('goes on as the push moves to a third node, and to its own', async () => {
    const c = await nodes.start('c')
    const player = await open(b)
    await player.ask('play', channel.cid)
    await plays(player)
    for (const next of [c, b]) {
      // It is held at its node, so that its encoder returns to another one.
      const { cid } = channel
      await eventually(async () => expect((await c.call(local.updateHold, { cid, holdSeconds: 60 })).code).toBe(200))
      encoder.close()
      await eventually(async () => expect((await b.call(local.hold, { cid })).ret!.holding).toBe(true))
      await plays(player)
      await eventually(async () => {
        const pushed = await push(next.service.listening.rtmp, channel.pushUrl)
        expect(pushed.code).toBe('NetStream.Publish.Start')
        encoder = pushed.encoder
      })
      await plays(player)
      await plays(player)
    }
    expect(player.ended).toBe(false)
    const times = mediaOf(player, rtmpType.video).map(({ timestamp }) => timestamp)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
  })

  it('connects again where the connection to the node breaks', async () => {
    const sockets = new Set<{ destroy(): void }>()
    proxy.on('connection', (socket) => sockets.add(socket))
    const player = await open(b)
    await player.ask('play', channel.cid)
    await plays(player)
    for (const socket of sockets) socket.destroy()
    await plays(player)
    expect([connections, player.ended]).toEqual([2, false])
  })

  it('is asked for the passphrase where it is, and ends there as the passphrase is another one', async () => {
    const { cid } = channel
    await b.call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'a good one' })
    const asked = async (name: string) => {
      const player = await open(b, 'watch.example')
      return { player, code: await player.ask('play', name) }
    }
    expect((await asked(cid)).code).toBe('NetStream.Play.Failed')
    expect((await asked(`${cid}?passphrase=wrong`)).code).toBe('NetStream.Play.Failed')
    expect(connections).toBe(0)
    const { player, code } = await asked(`${cid}?passphrase=a%20good%20one`)
    expect(code).toBe('NetStream.Play.Start')
    await plays(player)
    expect(connections).toBe(1)
    await a.call(local.updateAccess, { cid, passphrase: 'another one' })
    await player.until(() => player.ended)
  })

  it('takes a place of the limit over all nodes', async () => {
    await b.call(local.updateWatchLimits, { maxViewers: 2 })
    await eventually(async () => expect((await a.call(local.watchLimits, {})).ret!.maxViewers).toBe(2))
    for (const node of [a, b]) {
      const player = await open(node, 'live.example.com')
      expect(await player.ask('play', channel.cid)).toBe('NetStream.Play.Start')
      await plays(player)
    }
    for (const node of [a, b])
      await eventually(async () => expect((await node.call(local.watchLimits, {})).ret!.viewers).toBe(2))
  })

  it('of ffmpeg gets picture and sound of an encoder', async () => {
    const { cid, pushUrl } = await nodes.channel('real')
    const sources = ['testsrc2=s=320x180:r=25', 'sine=r=48000'].flatMap((source) => ['-f', 'lavfi', '-i', source])
    const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-c:a', 'aac', '-f', 'flv']
    const pushing = spawn('ffmpeg', ['-v', 'fatal', '-re', ...sources, ...coding, pushUrl])
    try {
      await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
      const probed = async (at: TestService): Promise<string[]> => {
        const entries = ['-show_entries', 'stream=codec_name,width,channels', '-of', 'csv=p=0']
        const url = `rtmp://127.0.0.1:${at.service.listening.rtmp}/live/${cid}`
        const probe = spawn('ffprobe', ['-v', 'fatal', ...entries, url])
        const out: Buffer[] = []
        probe.stdout.on('data', (bytes: Buffer) => out.push(bytes))
        await once(probe, 'close')
        return Buffer.concat(out).toString().trim().split('\n').toSorted()
      }
      const found = await probed(b)
      expect(found.slice(0, 2)).toEqual(['aac,1', 'h264,320'])
      expect(found).toEqual(await probed(a))
      expect(connections).toBe(1)
    } finally {
      pushing.kill()
    }
  })
})

describeOnRedis('what a node reads from another one', () => {
  it('is given to nodes alone, and only where the push is', async () => {
    const ask = async (at: TestService, headers: readonly (readonly [string, string])[]) =>
      (await httpRequest(`${at.service.own.mediaUrl}/live/pull/${channel.cid}.flv`, { method: 'GET', headers })).status
    expect(await ask(a, [])).toBe(404)
    // The grant of a player is none of a node.
    await b.call(local.updateAccess, { cid: channel.cid, mode: 'links' })
    const own = await httpRequest(`${b.service.own.mediaUrl}/live/${channel.cid}.flv`, { method: 'GET' })
    const grant = new URL(own.headers.location!).searchParams.get('grant')!
    expect(await ask(a, [['authorization', `Bearer ${grant}`]])).toBe(404)
    expect(await ask(b, [['authorization', `Bearer ${grant}`]])).toBe(404)
  })
})
