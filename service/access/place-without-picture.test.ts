import { expect, onTestFinished, test } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { pageHeader, type WatchState } from '../../contract/watch.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { aacHeader, avcHeader } from '../ingest/testing/rtmp-test-server.ts'
import { rtmpType } from '../media/rtmp-message.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import { startService } from '../testing/start-service.ts'

test('a page that waits by HLS for the first picture keeps the place that its link has', async () => {
  const service = await startService({ trustedProxies: ['127.0.0.1'] })
  onTestFinished(() => service.close())
  const { mediaUrl, rtmpUrl } = service.service.ready
  const { cid, pushUrl } = (await service.call(live.create, { name: 'Hold' })).ret!
  const { pathname, search } = new URL(pushUrl)
  const encoder = await RtmpTestClient.open(Number(new URL(rtmpUrl).port))
  onTestFinished(() => encoder.close())
  await encoder.connect()
  await encoder.ask('publish', `${pathname.replace('/live/', '')}${search}`)
  encoder.send(rtmpType.video, 0, avcHeader)
  encoder.send(rtmpType.audio, 0, aacHeader)
  await eventually(async () => expect((await service.call(live.state, { cid })).ret!.status).toBe(1))
  const { url } = (await service.call(local.addNamedLink, { cid, name: 'Mum', maxViewers: 1 })).ret!
  await service.call(local.updateAccess, { cid, mode: 'links' })

  const pageAt = async (from: string) => {
    const id = from.replaceAll('.', 'x').padEnd(28, '0')
    let cookie = ''
    const ask = (path: string): Promise<RawAnswer> =>
      httpRequest(mediaUrl + path, {
        method: 'GET',
        headers: [
          ['x-forwarded-for', from],
          [pageHeader, id],
          ['cookie', cookie],
        ],
      })
    const { headers } = await ask(`/watch/${cid}/${url.split('/').at(-1)!}`)
    cookie = headers['set-cookie']![0]!.split(';')[0]!
    return {
      gate: async () => (JSON.parse((await ask(`/watch/${cid}/state`)).text) as WatchState).gate,
      poll: async () => (await ask(`/live/${cid}/playlist.m3u8?page=${id}`)).status,
    }
  }
  const [first, second] = [await pageAt('203.0.113.1'), await pageAt('203.0.113.2')]
  expect(await first.gate()).toBeUndefined()
  const waiting = first.poll()
  await eventually(async () => expect(await second.gate()).toBe('full'))
  expect([await second.poll(), await first.gate()]).toEqual([503, undefined])
  expect([await waiting, await first.gate(), await second.gate()]).toEqual([404, undefined, 'full'])
})
