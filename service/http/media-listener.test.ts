import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import { httpRequest, type RawRequest } from '../testing/http-request.ts'
import { startService, type TestService } from '../testing/start-service.ts'

const page = 'http://localhost:5173'
let service: TestService
let path: string
let port: string
beforeAll(async () => {
  service = await startService({ origins: [page] })
  const url = new URL((await service.call(live.create, { name: 'a' })).ret!.hlsPullUrl)
  path = url.pathname
  port = url.port
})
afterAll(() => service.close())

const get = (request: RawRequest = {}, at = path) =>
  httpRequest(service.service.ready.mediaUrl + at, { method: 'GET', ...request })

describe('the media listener', () => {
  it('answers what is not there with 404 and other methods with 405, in JSON', async () => {
    for (const at of [
      path,
      '/',
      '/live/',
      '/live/x/../../etc/passwd',
      '/live/..%2f..%2fetc%2fpasswd',
      path.replace('playlist.m3u8', '..%2fsidestage.db'),
      '/app/channellist',
    ]) {
      const { status, text } = await get({}, at)
      expect([at, status, (JSON.parse(text) as { code: number }).code]).toEqual([at, 404, 404])
    }
    const { status, headers } = await get({ method: 'POST', body: 'x' })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
    expect((await httpRequest(service.service.ready.mediaUrl + live.list.path, { body: '{}' })).status).toBe(404)
  })

  it('lets pages of the listed origins read, and no others', async () => {
    const listed = await get({ headers: [['origin', page]] })
    expect([listed.headers['access-control-allow-origin'], listed.headers.vary]).toEqual([page, 'Origin'])
    expect(listed.headers['access-control-allow-credentials']).toBeUndefined()
    for (const origin of [
      'http://localhost:5174',
      'https://localhost:5173',
      'null',
      'http://localhost:5173.evil.example',
      '*',
    ]) {
      const { headers } = await get({ headers: [['origin', origin]] })
      expect([origin, headers['access-control-allow-origin'], headers.vary]).toEqual([origin, undefined, 'Origin'])
    }
    expect((await get()).headers['access-control-allow-origin']).toBeUndefined()
  })

  it('answers the preflight of a listed origin', async () => {
    const preflight = (origin: string) =>
      get({
        method: 'OPTIONS',
        headers: [
          ['origin', origin],
          ['access-control-request-method', 'GET'],
          ['access-control-request-headers', 'range'],
        ],
      })
    const { status, headers } = await preflight(page)
    expect([
      status,
      headers['access-control-allow-origin'],
      headers['access-control-allow-methods'],
      headers['access-control-allow-headers'],
    ]).toEqual([204, page, 'GET, HEAD', 'range'])
    const other = await preflight('https://evil.example')
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([403, undefined])
  })

  it('answers known hosts only', async () => {
    expect((await get({ host: `localhost:${port}` })).status).toBe(404)
    for (const host of [`evil.example:${port}`, `127.0.0.1.evil.example:${port}`, null])
      expect((await get({ host })).status).toBe(403)
  })
})

describe('a listener bound to every address with a public host', () => {
  it('is reached by that name and by the address that was dialled, and says so in addresses', async () => {
    const open = await startService({ media: { host: '0.0.0.0', port: 0 }, publicHost: 'studio.example' })
    const { mediaUrl, rtmpUrl, baseUrl } = open.service.ready
    const { port: bound } = new URL(mediaUrl)
    expect([mediaUrl, new URL(rtmpUrl).hostname, new URL(baseUrl).hostname]).toEqual([
      `http://studio.example:${bound}`,
      'studio.example',
      '127.0.0.1',
    ])
    const status = async (host: string): Promise<number> =>
      (await httpRequest(`http://127.0.0.1:${bound}/`, { method: 'GET', host })).status
    expect([
      await status(`studio.example:${bound}`),
      await status(`127.0.0.1:${bound}`),
      await status(`studio.example`),
      await status(`STUDIO.example:8443`),
      await status(`127.0.0.1`),
      await status(`10.1.2.3:${bound}`),
      await status(`x.studio.example:${bound}`),
      await status(`studio.example:x`),
      await status(`studio.example:${bound}:1`),
    ]).toEqual([404, 404, 404, 404, 403, 403, 403, 403, 403])
    await open.close()
  })
})
