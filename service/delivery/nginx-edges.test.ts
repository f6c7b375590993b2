import { connect, createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { nodesOf, push, type Encoder, type Nodes } from '../onair/testing/nodes.ts'
import { freePort } from '../targets/testing/nginx-target.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import type { TestService } from '../testing/start-service.ts'
import { isNginxThere, startNginxEdge, type NginxEdge } from './testing/nginx-edge.ts'

const itWithNginx = it.runIf(isNginxThere())

describeOnRedis('an edge of stock nginx', () => {
  let nodes: Nodes
  let a: TestService
  let b: TestService
  let c: TestService
  let cid: string
  let encoder: Encoder
  const edges: NginxEdge[] = []
  beforeAll(async () => {
    nodes = await nodesOf()
    a = await nodes.start('a')
    b = await nodes.start('b')
    c = await nodes.start('c')
    const channel = await nodes.channel('a')
    cid = channel.cid
    encoder = (await push(a.service.listening.rtmp, channel.pushUrl)).encoder
    await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
  })
  afterAll(async () => {
    encoder.close()
    await Promise.all(edges.map((edge) => edge.stop()))
    await nodes.close()
  })

  const rtmpChanges = (port: number): Record<string, string> => ({
    '127.0.0.1:1936': `127.0.0.1:${port}`,
    // Which has not the push.
    '127.0.0.1:1935': `127.0.0.1:${b.service.listening.rtmp}`,
    'publish 127.0.0.1': 'publish 127.0.0.1',
  })
  const play = async (port: number, channel: string): Promise<RtmpTestClient> => {
    const player = await RtmpTestClient.open(port)
    await player.connect()
    player.command('play', 3, null, channel)
    return player
  }

  itWithNginx('gives RTMP to players, pulling from the node', async () => {
    const port = await freePort()
    edges.push(await startNginxEdge('nginx-rtmp.conf', rtmpChanges(port)))
    const players = await Promise.all([1, 2].map(() => play(port, cid)))
    for (const player of players)
      await player.until(() => player.heard.filter(({ type }) => type === rtmpType.video).length > 10)
    await eventually(async () =>
      expect((await a.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]!.viewers).toBe(1),
    )
    for (const player of players) player.close()
  })

  itWithNginx('goes on when the push moves to another node, and ends its players with the push', async () => {
    const port = await freePort()
    edges.push(await startNginxEdge('nginx-rtmp.conf', rtmpChanges(port)))
    const { cid: moved, pushUrl } = await nodes.channel('moved')
    const first = (await push(a.service.listening.rtmp, pushUrl)).encoder
    await eventually(async () => expect(await nodes.status(b, moved)).toBe(1))
    const players = await Promise.all(Array.from({ length: 5 }, () => play(port, moved)))
    const pictures = (): number[] =>
      players.map(({ heard }) => heard.filter(({ type }) => type === rtmpType.video).length)
    await eventually(() => expect(Math.min(...pictures())).toBeGreaterThan(10))
    await eventually(async () =>
      expect((await a.call(local.channelDetails, { cidList: [moved] })).ret!.list[0]!.viewers).toBe(1),
    )
    first.close()
    const second = (await push(c.service.listening.rtmp, pushUrl)).encoder
    const before = Math.max(...pictures())
    await eventually(() => expect(Math.min(...pictures())).toBeGreaterThan(before + 25))
    expect(players.map(({ socket }) => socket.closed)).toEqual(players.map(() => false))
    second.close()
    await eventually(() => expect(players.map(({ socket }) => socket.closed)).toEqual(players.map(() => true)))
  })

  itWithNginx('gives no RTMP of a channel that not everybody may watch, though it runs beside the node', async () => {
    const port = await freePort()
    /** What the node says to the edge. */
    let said = ''
    const between = createServer((edge) => {
      const node = connect(a.service.listening.rtmp, '127.0.0.1')
      node.on('data', (bytes) => (said += bytes.toString('latin1')))
      edge.pipe(node).pipe(edge)
      for (const socket of [edge, node]) socket.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    edges.push(
      await startNginxEdge('nginx-rtmp.conf', {
        '127.0.0.1:1936': `127.0.0.1:${port}`,
        '127.0.0.1:1935': `127.0.0.1:${(between.address() as AddressInfo).port}`,
        'publish 127.0.0.1': 'publish 127.0.0.1',
      }),
    )
    await a.call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'open sesame' })
    const player = await play(port, cid)
    await eventually(() => expect(said).toContain('NetStream.Play.'))
    expect(said).toContain('NetStream.Play.Failed')
    expect(player.heard.filter(({ type }) => type === rtmpType.video)).toEqual([])
    player.close()
    between.close()
    await a.call(local.updateAccess, { cid, mode: 'everybody' })
  })
})
