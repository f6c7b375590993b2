import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { listenOn } from '../../platform/listen.ts'
import { httpRequest, type RawRequest } from '../testing/http-request.ts'
import { testBounds } from '../testing/listener-bounds.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { createClients } from './clients.ts'
import { createMediaListener } from './media-listener.ts'
import { createTimeBudget } from './time-budget.ts'

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

  it('lets a page of a listed origin read lengths and ranges, and asks again after 10 minutes', async () => {
    const listed = await get({ headers: [['origin', page]] })
    expect(listed.headers['access-control-expose-headers']).toBe('content-length, content-range')
    const preflight = await get({ method: 'OPTIONS', headers: [['origin', page]] })
    expect(preflight.headers['access-control-max-age']).toBe('600')
    expect((await get()).headers['access-control-expose-headers']).toBeUndefined()
  })

  it('answers OPTIONS without an origin with 403 in JSON', async () => {
    const { status, text } = await get({ method: 'OPTIONS' })
    expect([status, JSON.parse(text)]).toEqual([
      403,
      { code: 403, msg: 'pages of this origin may not read this service' },
    ])
  })

  it.each([
    ['PUT', '/files/x', 'GET, HEAD'],
    ['POST', '/recordings/x', 'GET, HEAD'],
    ['POST', '/watch/x', 'GET, HEAD'],
    ['DELETE', '/live/x.flv', 'GET, HEAD'],
    ['GET', '/watch/x/guest', 'POST'],
  ])('answers %s of %s with 405 and what it takes', async (method, at, allowed) => {
    const { status, headers, text } = await get({ method }, at)
    expect([status, headers.allow, JSON.parse(text)]).toEqual([405, allowed, { code: 405, msg: `use ${allowed}` }])
  })

  it('lets pages of listed origins and its own to the link, programs without an origin', async () => {
    const status = (origin: string | undefined): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(Number(port), '127.0.0.1', () =>
          socket.write(
            [
              'GET /link HTTP/1.1',
              `Host: 127.0.0.1:${port}`,
              'Connection: Upgrade',
              'Upgrade: websocket',
              'Sec-WebSocket-Version: 13',
              `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
              ...(origin === undefined ? [] : [`Origin: ${origin}`]),
              '',
              '',
            ].join('\r\n'),
          ),
        )
        socket.on('error', reject)
        socket.once('data', (bytes: Buffer) => {
          resolve(bytes.toString('latin1', 9, 12))
          socket.destroy()
        })
      })
    expect(await status(undefined)).toBe('101')
    expect(await status(page)).toBe('101')
    expect(await status(`http://127.0.0.1:${port}`)).toBe('101')
    for (const origin of [`https://127.0.0.1:${port}`, 'http://localhost:5174', 'null', 'https://evil.example'])
      expect(await status(origin), origin).toBe('403')
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

describe('requests of the media listener', () => {
  it('are of strangers, where they come from another computer', async () => {
    const budget = createTimeBudget(systemClock)
    const listener = createMediaListener({
      requestId: () => 'x',
      bounds: testBounds(),
      clients: createClients(['127.0.0.1']),
      time: { budget, clock: systemClock },
      origins: [],
      routes: [
        (app, _options, done) => {
          app.get('/live/x', (_request, reply) => reply.send(String(budget.isStranger())))
          done()
        },
      ],
    })
    await listener.app.ready()
    const bound = await listenOn(listener.server, '127.0.0.1', 0)
    const ask = async (...headers: [string, string][]): Promise<string> =>
      (await httpRequest(`http://127.0.0.1:${bound}/live/x`, { method: 'GET', headers })).text
    expect([await ask(['x-forwarded-for', '192.0.2.1']), await ask()]).toEqual(['true', 'false'])
    await listener.close(100)
  })

  it('that ask for another protocol are ordinary ones where there is no link', async () => {
    const listener = createMediaListener({
      requestId: () => 'x',
      bounds: testBounds(),
      time: { budget: createTimeBudget(systemClock), clock: systemClock },
      origins: [],
      routes: [],
    })
    await listener.app.ready()
    const bound = await listenOn(listener.server, '127.0.0.1', 0)
    const headers = [
      ['connection', 'Upgrade, close'],
      ['upgrade', 'websocket'],
    ] as const
    expect((await httpRequest(`http://127.0.0.1:${bound}/link`, { method: 'GET', headers })).status).toBe(404)
    await listener.close(100)
  })
})
