import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchState } from '../../contract/watch.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { until } from '../testing/condition.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startService, type TestService } from '../testing/start-service.ts'

let service: TestService
afterEach(() => service.close())

/** What a page and an RTMP player here, or behind a proxy that names nobody, are told of a closed channel. */
async function told(publicMedia?: string): Promise<{ gate: WatchState['gate']; rtmp: string }> {
  service = await startService({ ...(publicMedia !== undefined && { publicAddresses: { media: publicMedia } }) })
  const { cid, pushUrl } = (await service.call(live.create, { name: 'harbour' })).ret!
  await service.call(local.updateAccess, { cid, closed: true })
  const { media, rtmp: port } = service.service.listening
  const publisher = await RtmpTestClient.open(port)
  await publisher.connect()
  expect(await publisher.ask('publish', pushUrl.slice(pushUrl.lastIndexOf('/') + 1))).toBe('NetStream.Publish.Start')
  const player = await RtmpTestClient.open(port)
  await player.connect()
  const rtmp = await player.ask('play', cid)
  const { text } = await httpRequest(`http://127.0.0.1:${media}/watch/${cid}/state`, { method: 'GET' })
  for (const { socket } of [player, publisher]) socket.destroy()
  return { gate: (JSON.parse(text) as WatchState).gate, rtmp }
}

it.each([undefined, 'http://localhost:8711'])(
  'players on this computer are free where its address is %s',
  async (address) => expect(await told(address)).toEqual({ gate: undefined, rtmp: 'NetStream.Play.Start' }),
)

it.each(['https://live.example.com', 'https://203.0.113.7:8443', 'https://[2001:db8::7]', 'http://192.168.1.5:8080'])(
  'players that seem to be on this computer are asked as others where people have the address %s, as by a proxy that names nobody',
  async (address) => expect(await told(address)).toEqual({ gate: 'closed', rtmp: 'NetStream.Play.Failed' }),
)

/** A closed channel on air behind trusted proxies on loopback. */
async function closedChannel() {
  service = await startService({ trustedProxies: ['127.0.0.1'] })
  const { cid, pushUrl } = (await service.call(live.create, { name: 'harbour' })).ret!
  await service.call(local.updateAccess, { cid, closed: true })
  const { media, rtmp } = service.service.listening
  const publisher = await RtmpTestClient.open(rtmp)
  await publisher.connect()
  expect(await publisher.ask('publish', pushUrl.slice(pushUrl.lastIndexOf('/') + 1))).toBe('NetStream.Publish.Start')
  return { cid, media, rtmp, publisher }
}

it('a header of any proxy says that a request is not of this computer', async () => {
  const { cid, media, publisher } = await closedChannel()
  const gate = async (headers: readonly (readonly [string, string])[]): Promise<WatchState['gate']> => {
    const { text } = await httpRequest(`http://localhost:${media}/watch/${cid}/state`, { method: 'GET', headers })
    return (JSON.parse(text) as WatchState).gate
  }
  expect(await gate([['accept', 'application/json']])).toBeUndefined()
  const headers = [
    'Forwarded Via X-Forwarded-For X-Forwarded-Proto X-Forwarded-Host X-Forwarded-Server X-Real-IP X-Client-IP',
    'X-Cluster-Client-IP X-Original-Host X-Scheme True-Client-IP CF-Ray CF-Connecting-IP CF-Visitor CDN-Loop',
    'Fly-Client-IP Fastly-Client-IP X-Amzn-Trace-Id X-Azure-ClientIP X-Envoy-External-Address DO-Connecting-IP',
    'Tailscale-User-Login Ngrok-Trace-Id',
  ].flatMap((names) => names.split(' '))
  const told = await Promise.all(headers.map(async (name) => [name, await gate([[name, 'localhost']])]))
  expect(told).toEqual(headers.map((name) => [name, 'closed']))
  publisher.socket.destroy()
})

it.each(['PROXY TCP4 127.0.0.1 127.0.0.1 4000 8711', 'PROXY TCP6 ::1 ::1 4000 8711', 'PROXY UNKNOWN'])(
  'what came by a PROXY header is not of this computer, whatever it says: %s',
  async (header) => {
    const { cid, media, rtmp, publisher } = await closedChannel()
    const socket = connect(media, '127.0.0.1')
    let text = ''
    socket.on('data', (bytes: Buffer) => (text += bytes.toString()))
    socket.write(
      `${header}\r\nGET /watch/${cid}/state HTTP/1.1\r\nHost: localhost:${media}\r\nConnection: close\r\n\r\n`,
    )
    await until('an answer', () => text.includes('}'))
    expect(text).toContain('"gate":"closed"')
    const player = await RtmpTestClient.open(rtmp, true)
    player.socket.write(`${header}\r\n`)
    await player.handshake()
    await player.connect()
    expect(await player.ask('play', cid)).toBe('NetStream.Play.Failed')
    for (const each of [player.socket, publisher.socket, socket]) each.destroy()
  },
)
