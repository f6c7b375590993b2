import { manualWallClock, type ManualWallClock } from '../../platform/testing/manual-clock.ts'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callbackSign, signHeader } from '../../contract/callbacks/recording.ts'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { listFile } from './testing/listed-file.ts'
import { leaveDelivery } from '../testing/beside.ts'

const hour = 3_600_000
const content = 'the bytes of a recording'
const md5 = (text: string): string => createHash('md5').update(text).digest('hex')

let clock: ManualWallClock
let service: TestService
let receiver: Server
let received: { readonly body: Record<string, string>; readonly sign: string }[]
let cid: string
beforeEach(async () => {
  received = []
  receiver = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      received.push({
        body: JSON.parse(Buffer.concat(parts).toString()) as Record<string, string>,
        sign: String(request.headers[signHeader]),
      })
      response.end()
    })
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  clock = manualWallClock()
  service = await startService({ clock })
  cid = (await service.call(live.create, { name: 'show' })).ret!.cid
  await service.call(recordings.setCallback, {
    recordClk: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  })
  await service.call(recordings.setSignKey, { signKey: 'key' })
})
afterEach(async () => {
  await service.close()
  receiver.close()
})

/** Delivers the callback of a file and returns it. */
async function calledBack(vid: number): Promise<(typeof received)[number]> {
  const { uid } = (await service.call(local.info, {})).ret!
  const nId = `n${received.length}`
  const about = {
    video_name: 'show',
    orig_video_key: `${cid}_1_2_1-00000.mp4`,
    uid: String(uid),
    vid: String(vid),
    cid,
    nId,
  }
  await leaveDelivery(service.dataDir, { nId, uid, body: JSON.stringify(about), created: received.length })
  const before = received.length
  expect((await service.call(local.resend, { nId })).code).toBe(200)
  await eventually(() => expect(received).toHaveLength(before + 1))
  return received[before]!
}
const get = (url: string, headers: readonly (readonly [string, string])[] = [], method = 'GET') =>
  httpRequest(url, { method, headers })

describe('the address of a file in a recording callback', () => {
  it('is signed like every field, and serves the file with ranges and HEAD on the media listener', async () => {
    const vid = await listFile(service, cid, clock.now(), { bytes: Buffer.from(content) })
    const { body, sign } = await calledBack(vid)
    const { origUrl, ...others } = body
    expect(origUrl).toMatch(new RegExp(`^${service.service.ready.mediaUrl}/recordings/`))
    expect(sign).toBe(callbackSign(md5, body, 'key'))
    expect(sign).not.toBe(callbackSign(md5, others, 'key'))
    expect((await get(origUrl!)).text).toBe(content)
    const part = await get(origUrl!, [['range', 'bytes=4-8']])
    expect([part.status, part.text, part.headers['content-range']]).toEqual([
      206,
      content.slice(4, 9),
      `bytes 4-8/${content.length}`,
    ])
    const head = await get(origUrl!, [], 'HEAD')
    expect([head.status, head.text, head.headers['content-length'], head.headers['content-type']]).toEqual([
      200,
      '',
      String(content.length),
      'video/mp4',
    ])
    expect((await get(origUrl!, [['range', 'bytes=999-']])).status).toBe(416)
  })

  it('is good for 24 h and over a restart, and not for what was changed in it', async () => {
    const vid = await listFile(service, cid, clock.now(), { bytes: Buffer.from(content) })
    const origUrl = (await calledBack(vid)).body['origUrl']!
    await service.stop()
    service = await startService({ clock, dataDir: service.dataDir })
    const now = (url: string): string => service.service.ready.mediaUrl + new URL(url).pathname
    clock.advance(24 * hour - 1)
    expect((await get(now(origUrl))).text).toBe(content)
    const forged = now(origUrl).replace(/\.(\d{13})\./, (_all, expires: string) => `.${Number(expires) + hour}.`)
    expect((await get(forged)).status).toBe(404)
    // The ticket is refused at the api listener.
    expect((await get(origUrl.replace(/^http:\/\/[^/]+/, service.service.ready.baseUrl))).status).toBe(404)
    clock.advance(1)
    expect((await get(now(origUrl))).status).toBe(404)
  })

  it('is made anew at each attempt, with the hours that are set', async () => {
    const vid = await listFile(service, cid, clock.now(), { bytes: Buffer.from(content) })
    const first = (await calledBack(vid)).body['origUrl']!
    expect((await service.call(local.updateSettings, { recordingLinkHours: 1 })).ret!.recordingLinkHours).toBe(1)
    const second = (await calledBack(vid)).body['origUrl']!
    clock.advance(hour - 1)
    expect([(await get(first)).text, (await get(second)).text]).toEqual([content, content])
    clock.advance(1)
    expect([(await get(first)).status, (await get(second)).status]).toEqual([200, 404])
  })
})
