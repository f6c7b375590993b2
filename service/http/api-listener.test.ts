import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../log.ts'
import { eventually } from '../testing/eventually.ts'
import { testBounds } from '../testing/listener-bounds.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { createApiListener } from './api-listener.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { createTimeBudget } from './time-budget.ts'

let service: TestService
let port: number
beforeAll(async () => {
  service = await startService()
  port = Number(new URL(service.service.ready.baseUrl).port)
})
afterAll(() => service.close())

const json = (text: string): unknown => JSON.parse(text)
const signed = (): [string, string][] => [['content-type', 'application/json'], ...Object.entries(service.sign())]
const list = (more: Parameters<TestService['raw']>[1] = {}) =>
  service.raw(live.list.path, { headers: signed(), body: '{}', ...more })
/** Sends bytes and reads until the connection closes. */
const bytes = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.setEncoding('latin1').on('data', (part: string) => (answer += part))
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })

describe('a path', () => {
  it('that is not known answers 404, a method that is not offered 405, both in JSON', async () => {
    const unknown = await service.raw('/app/nothing', { headers: signed(), body: '{}' })
    expect([unknown.status, json(unknown.text)]).toEqual([404, { code: 404, msg: 'nothing is served at this path' }])
    for (const path of [
      '/',
      '/app/channellist/',
      '/APP/channellist',
      '/app//channellist',
      '/nimserver/app/channellist',
      '/app/%63hannellis',
    ])
      expect((await service.raw(path, { headers: signed(), body: '{}' })).status, path).toBe(404)
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers, text } = await service.raw(live.list.path, { method })
      expect([method, status, headers.allow]).toEqual([method, 405, 'POST'])
      if (method !== 'HEAD') expect(json(text)).toEqual({ code: 405, msg: 'use POST' })
    }
  })

  it('that is not readable answers 400', async () => {
    const { status, text } = await service.raw('/app/%zz', { headers: signed(), body: '{}' })
    expect([status, (json(text) as { code: number }).code]).toEqual([400, 400])
  })
})

describe('the Host header', () => {
  it('must be a name of this service with its port', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`])
      expect((await list({ host })).status, host).toBe(200)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `[::ffff:7f00:1]:${port}`,
      '127.0.0.1',
      'localhost',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1:${port}0`,
      `0:${port}`,
      `0.0.0.0:${port}`,
      `127.1:${port}`,
      `2130706433:${port}`,
      `127.0.0.2:${port}`,
      `localhost.:${port}`,
      `evil@127.0.0.1:${port}`,
      '',
    ]) {
      const { status, text } = await list({ host })
      expect([host, status]).toEqual([host, 403])
      expect(json(text)).toEqual({
        code: 403,
        msg: 'the Host header does not name this service: name it with --public-url, --public-api or --public-host',
      })
    }
  })

  it('must be there, once', async () => {
    expect((await list({ host: null })).status).toBe(403)
    expect(await bytes('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 /)
    expect(
      await bytes(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`),
    ).toMatch(/^HTTP\/1\.1 40[03] /)
  })
})

describe('a page of another origin', () => {
  it('is refused, and no answer carries leave to read', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      `https://127.0.0.1:${port}`,
      `http://localhost:${port}`,
    ]) {
      const { status, headers, text } = await list({ headers: [...signed(), ['origin', origin]] })
      expect([origin, status]).toEqual([origin, 403])
      expect(json(text)).toMatchObject({ code: 403 })
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
    const preflight = await service.raw(live.list.path, {
      method: 'OPTIONS',
      headers: [
        ['origin', 'https://evil.example'],
        ['access-control-request-method', 'POST'],
      ],
    })
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([403, undefined])
    const { status, headers } = await list()
    expect([status, headers['access-control-allow-origin'], headers['x-content-type-options']]).toEqual([
      200,
      undefined,
      'nosniff',
    ])
  })

  it('of our own is not another', async () => {
    expect((await list({ headers: [...signed(), ['origin', `http://127.0.0.1:${port}`]] })).status).toBe(200)
  })
})

describe('a page of a public address', () => {
  it('may call by that name, and none of another', async () => {
    const open = await startService({ publicHost: 'studio.example' })
    const ask = async (origin: string): Promise<number> =>
      (
        await open.raw(live.list.path, {
          host: 'studio.example',
          headers: [['content-type', 'application/json'], ['origin', origin], ...Object.entries(open.sign())],
          body: '{}',
        })
      ).status
    expect([
      await ask('https://studio.example'),
      await ask('http://studio.example'),
      await ask('https://studio.example:1'),
      await ask('https://other.example'),
    ]).toEqual([200, 200, 403, 403])
    await open.close()
  })
})

describe('a client behind a trusted proxy', () => {
  it('is refused where its call came without TLS, before its signature is looked at', async () => {
    const proxied = await startService({ trustedProxies: ['127.0.0.1'] })
    const ask = async (scheme: string, headers = Object.entries(proxied.sign())) => {
      const { status, text } = await proxied.raw(live.list.path, {
        headers: [...headers, ['x-forwarded-for', '198.51.100.7'], ['x-forwarded-proto', scheme]],
        body: '{}',
      })
      return [status, json(text)]
    }
    const refused = {
      code: 403,
      msg:
        'signed calls come over TLS only: others on this network could use their headers. ' +
        'A trusted proxy with TLS says so by X-Forwarded-Proto: https',
    }
    expect(await ask('http')).toEqual([403, refused])
    expect(await ask('http', [])).toEqual([403, refused])
    expect(await ask('https')).toEqual([200, expect.objectContaining({ code: 200 })])
    await proxied.close()
  })
})

describe('paths beside the operations', () => {
  it('take GET and HEAD', async () => {
    const { status, headers } = await service.raw('/recordings/x', { method: 'POST', headers: signed(), body: '' })
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

it('a listener without a handler for an operation of the contract is not made', () => {
  const options = {
    served: [],
    requestId: () => 'x',
    bounds: testBounds(),
    time: { budget: createTimeBudget(systemClock), clock: systemClock },
    authentication: { check: () => ({ kind: 'failed', reason: '', about: 'other', desc: '' }) as const },
    limiter: createRateLimiter(systemClock),
    log: silentLog,
  }
  expect(() => createApiListener(options)).toThrow(/ is in the contract but not served$/)
})

describe('a body', () => {
  const mebibyte = 1024 * 1024
  const sized = (size: number): string => `{"pad":"${'x'.repeat(size - '{"pad":""}'.length)}"}`

  it('of 1 MiB is read, one byte more answers 413 in JSON before it is parsed', async () => {
    expect((await list({ body: sized(mebibyte) })).status).toBe(200)
    const { status, text } = await list({ body: 'x'.repeat(mebibyte + 1) })
    expect([status, json(text)]).toEqual([413, { code: 413, msg: 'the body is too large' }])
  })

  it('may come in chunks, and is bounded there too', async () => {
    const { status, text } = await list({
      headers: [...signed(), ['transfer-encoding', 'chunked']],
      body: '{"pnum":1}',
    })
    expect([status, (json(text) as { code: number }).code]).toEqual([200, 200])
    expect(
      (await list({ headers: [...signed(), ['transfer-encoding', 'chunked']], body: 'x'.repeat(mebibyte + 1) })).status,
    ).toBe(413)
  })

  it('may be absent, and its type is not looked at', async () => {
    expect((await service.send(live.list, '')).code).toBe(200)
    for (const type of [
      'text/plain',
      'application/json; charset=gbk',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'x',
      '',
    ])
      expect((await service.send(live.list, '{}', [['content-type', type]])).code, type).toBe(200)
  })

  it.each([
    ['deep arrays', `{"cid":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['deep objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['bytes that are not UTF-8', Buffer.from('7b22636964223a22ff227d', 'hex')],
    ['a byte-order mark', '\ufeff{"cid":"x"}'],
    ['half of it', '{"cid":'],
    ['two of it', '{"cid":"x"}{"cid":"x"}'],
    ['NaN', '{"cid":NaN}'],
    ['a string', '"cid"'],
  ])('with %s is refused with the code of the operation', async (_what, body) => {
    expect((await service.send(live.pause, body)).code).toBe(631)
  })

  it('with brackets in strings is not deep', async () => {
    expect((await service.send(live.list, JSON.stringify({ pad: '['.repeat(1000), quote: '\\"[{' }))).code).toBe(200)
  })
})

describe('a connection', () => {
  it('with headers beyond 16 KiB or none that are readable is answered in JSON and closed', async () => {
    expect(await bytes(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 [^]*\{"code":431,/,
    )
    expect(await bytes('\x16\x03\x01\x02\x00\x01\x00\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [^]*\{"code":400,/)
  })

  it('that smuggles with two lengths is refused', async () => {
    expect(
      await bytes(
        `POST ${live.list.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
    ).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('stays usable after a body of up to 48 MiB that was refused, and not after a longer one', async () => {
    const refusedFirst = async (announced: number): Promise<string[]> => {
      const socket = connect(port, '127.0.0.1')
      let answers = ''
      socket.setEncoding('latin1').on('data', (part: string) => (answers += part))
      socket.on('error', () => undefined)
      // Not `once` of node:events, which rejects with an error: one that is reset is over too.
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const head = `POST ${live.list.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
      socket.write(`${head}Content-Length: ${announced}\r\n\r\n`)
      // The answer comes before the body, which is unsigned.
      await eventually(() => expect(answers).toContain('"code":613'))
      const rest = Buffer.alloc(1024 * 1024)
      for (let sent = 0; sent < announced && socket.writable; sent += rest.length)
        socket.write(rest.subarray(0, Math.min(rest.length, announced - sent)))
      socket.write(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`)
      await closed
      return answers.match(/"code":\d+/g) ?? []
    }
    expect(await refusedFirst(48 * 1024 * 1024)).toEqual(['"code":613', '"code":613'])
    expect(await refusedFirst(48 * 1024 * 1024 + 1)).toEqual(['"code":613'])
  })
})
