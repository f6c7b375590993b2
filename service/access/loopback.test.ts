import { afterEach, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchState } from '../../contract/watch.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
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

it.each([undefined, 'http://192.168.1.5:8711', 'http://localhost:8711'])(
  'players on this computer are free where its address is %s',
  async (address) => expect(await told(address)).toEqual({ gate: undefined, rtmp: 'NetStream.Play.Start' }),
)

it.each(['https://live.example.com', 'https://203.0.113.7:8443', 'https://[2001:db8::7]'])(
  'players that seem to be on this computer are asked as others where people have the address %s, as by a proxy that names nobody',
  async (address) => expect(await told(address)).toEqual({ gate: 'closed', rtmp: 'NetStream.Play.Failed' }),
)
