import { request } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { nodesOf, push, type Encoder, type Nodes } from '../onair/testing/nodes.ts'
import { describeOnRedis } from '../testing/engines.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import type { TestService } from '../testing/start-service.ts'

let nodes: Nodes
let a: TestService
let b: TestService
let encoder: Encoder
let cid: string
beforeEach(async () => {
  nodes = await nodesOf()
  a = await nodes.start('a', { trustedProxies: ['127.0.0.1'] })
  b = await nodes.start('b', { trustedProxies: ['127.0.0.1'] })
  const channel = await nodes.channel('a')
  cid = channel.cid
  encoder = (await push(a.service.listening.rtmp, channel.pushUrl)).encoder
  await eventually(async () => expect(await nodes.status(b, cid)).toBe(1))
})
afterEach(async () => {
  encoder.close()
  await nodes.close()
})
/** As somebody elsewhere, by a proxy here. */
const elsewhere = [['x-forwarded-for', '198.51.100.7']] as const
const get = (url: string, headers: readonly (readonly [string, string])[] = []): Promise<RawAnswer> =>
  httpRequest(url, { method: 'GET', headers: [...elsewhere, ...headers] })
/** The status of what does not end, and its first bytes. */
const begin = (url: string): Promise<{ status: number; bytes: string }> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: Object.fromEntries(elsewhere), agent: false }, (answer) => {
      answer.once('data', (bytes: Buffer) => {
        resolve({ status: answer.statusCode ?? 0, bytes: bytes.toString('latin1', 0, 3) })
        outgoing.destroy()
      })
      answer.once('error', () => undefined)
    })
    outgoing.once('error', reject)
    outgoing.end()
  })
const at = (service: TestService, path: string): string => `${service.service.own.mediaUrl}/live/${path}`

describeOnRedis('a player of a push that another node has', () => {
  it('is led there by HTTP-FLV and HLS, with its query, and to nobody where nothing is on air', async () => {
    const flv = await get(at(b, `${cid}.flv?page=one&x=a%20b`))
    expect([flv.status, flv.headers.location, flv.headers['cache-control']]).toEqual([
      302,
      at(a, `${cid}.flv?page=one&x=a+b&led=a`),
      'public, max-age=1',
    ])
    expect(await begin(flv.headers.location!)).toEqual({ status: 200, bytes: 'FLV' })
    const hls = await get(at(b, `${cid}/playlist.m3u8`))
    expect([hls.status, hls.headers.location]).toEqual([302, at(a, `${cid}/playlist.m3u8?led=a`)])
    const playlist = await get(hls.headers.location!)
    expect(playlist.status).toBe(200)
    const segment = playlist.text.split('\n').find((line) => /^[^#]/.test(line))!
    const led = await get(at(b, `${cid}/${segment}`))
    expect([led.status, led.headers.location]).toEqual([302, at(a, `${cid}/${segment}?led=a`)])
    expect((await get(led.headers.location!)).status).toBe(200)
    // Pages of either node may read media of the other one, and the page may connect there.
    const root = new URL(a.service.own.mediaUrl).origin
    const page = new URL(b.service.own.mediaUrl).origin
    await eventually(async () =>
      expect((await get(hls.headers.location!, [['origin', page]])).headers['access-control-allow-origin']).toBe(page),
    )
    expect((await get(hls.headers.location!, [['origin', 'http://x.example']])).headers).not.toHaveProperty(
      'access-control-allow-origin',
    )
    expect(root).not.toBe(page)
    encoder.close()
    await eventually(async () => expect((await get(at(b, `${cid}.flv`))).status).toBe(404))
  })

  it('is not led there again where it comes back, as by a proxy that does not reach that node', async () => {
    for (const path of [`${cid}.flv`, `${cid}/playlist.m3u8`]) {
      const { location } = (await get(at(b, path))).headers
      const again = await get(location!.replace(at(a, ''), at(b, '')))
      expect([again.status, again.headers['retry-after'], again.headers['cache-control']]).toEqual([
        503,
        '1',
        'no-store',
      ])
      expect(JSON.parse(again.text)).toEqual({
        code: 503,
        msg: 'the computer of the service that has this cannot be reached now',
      })
      // Led to another one before, as the push was there.
      expect((await get(`${at(b, path)}?led=c`)).headers.location).toBe(location)
    }
  })

  it('is led to no name that would change the address', async () => {
    const names = ['x%0d%0aSet-Cookie:%20a=b', '%e4%b8%ad', '..%2f..%2fapp', 'a%3fb%23c', '%00', '%5c%5cevil', 'a%20b']
    for (const name of names) expect([name, (await get(at(b, `${cid}/${name}`))).status]).toEqual([name, 404])
  })

  it('gets in there as it would here: by passphrase and link, and not without', async () => {
    await b.call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'open sesame' })
    await eventually(async () => expect((await get(at(a, `${cid}/playlist.m3u8`))).status).toBe(401))
    for (const node of [a, b]) expect((await get(at(node, `${cid}.flv`))).status).toBe(401)
    const basic = [['authorization', `Basic ${Buffer.from(':open sesame').toString('base64')}`]] as const
    const led = await get(at(b, `${cid}.flv?grant=mine`), basic)
    expect([led.status, led.headers['cache-control']]).toEqual([302, 'no-store'])
    expect(led.headers.location).toMatch(/\.flv\?grant=[0-9a-z]+\.p[0-9a-z]+\.[A-Za-z0-9_-]{22}&led=a$/)
    expect(await begin(led.headers.location!)).toEqual({ status: 200, bytes: 'FLV' })
    const forged = led.headers.location!.replace(/\.p/, '.f')
    expect((await get(forged)).status).toBe(401)
    // The files of a playlist are had by it too.
    const hls = (await get(at(b, `${cid}/playlist.m3u8`), basic)).headers.location!
    const playlist = await get(hls)
    expect(playlist.status).toBe(200)
    const segment = playlist.text.split('\n').find((line) => /^[^#]/.test(line))!
    expect(segment).toMatch(/\?grant=/)
    expect((await get(at(a, `${cid}/${segment}`))).status).toBe(200)
    expect((await get(at(a, `${cid}/${segment.split('?')[0]}`))).status).toBe(401)
    // A link needs no grant of its own, but gets one.
    const { url } = (await b.call(local.addNamedLink, { cid, name: 'Ann' })).ret!
    const token = url.slice(url.lastIndexOf('/') + 1)
    const linked = await get(at(b, `${cid}.flv?link=${token}`))
    expect(linked.headers.location).toMatch(/\.flv\?link=.*&grant=[0-9a-z]+\.l/)
    await eventually(async () => expect((await begin(linked.headers.location!)).status).toBe(200))
    // A new passphrase takes it away.
    await b.call(local.updateAccess, { cid, passphrase: 'close sesame' })
    await eventually(async () => expect((await get(hls)).status).toBe(401))
  })
})
