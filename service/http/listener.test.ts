import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { listenOn } from '../../platform/listen.ts'
import { createClients } from './clients.ts'
import { createListener, type Listener } from './listener.ts'
import { eventually } from '../testing/eventually.ts'
import { httpRequest } from '../testing/http-request.ts'
import { promised } from '../testing/machine-pace.ts'
import { testBounds } from '../testing/listener-bounds.ts'

let listener: Listener
let port: number
/** Requests whose headers arrived. */
let asked = 0
const begin = async (times: { readonly headers: number; readonly request: number }): Promise<void> => {
  listener = createListener({
    requestId: () => 'x',
    origin: () => true,
    allowed: () => undefined,
    bounds: testBounds({ places: { all: 3, perAddress: 3, perLoopback: 3 } }),
    times: { ...times, check: 50 },
  })
  listener.app.addHook('onRequest', (_request, _reply, done) => {
    asked += 1
    done()
  })
  listener.app.post('/', (_request, reply) => reply.send('answered'))
  asked = 0
  await listener.app.ready()
  port = await listenOn(listener.server, '127.0.0.1', 0)
}
afterEach(() => listener.close(100))

/** Connects and sends; returns what was received until the close, and after how many ms. */
const talk = (text: string, drip?: string): Promise<{ answer: string; took: number }> =>
  new Promise((resolve) => {
    const begun = performance.now()
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const timer = setInterval(() => drip !== undefined && socket.writable && socket.write(drip), 50)
    socket.setEncoding('latin1').on('data', (part: string) => (answer += part))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(timer)
      resolve({ answer, took: performance.now() - begun })
    })
  })
const connections = (): Promise<number> =>
  new Promise((resolve, reject) =>
    listener.server.getConnections((fault, count) => (fault ? reject(fault) : resolve(count))),
  )
const head = (): string => `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`

describe('a listener', () => {
  it.each<[string, () => string, string | undefined, number]>([
    ['says nothing', () => '', undefined, 300],
    ['sends its headers byte by byte', () => head(), 'X: y\r\n', 300],
    ['sends its body byte by byte', () => `${head()}Content-Length: 1000\r\n\r\n`, 'x', 600],
  ])('lets a peer go that %s', async (_what, text, drip, limit) => {
    await begin({ headers: 300, request: 600 })
    const { answer, took } = await promised(limit + 2000, () => talk(text(), drip))
    expect(took).toBeGreaterThan(limit * 0.9)
    if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*\{"code":408,/)
  })

  it('holds no more connections than it can for bodies that do not come, and lets who comes in before them', async () => {
    await begin({ headers: 60_000, request: 60_000 })
    const held = Array.from({ length: 3 }, () => connect(port, '127.0.0.1'))
    for (const socket of held) socket.write(`${head()}Content-Length: 10\r\n\r\n`)
    await eventually(() => expect(asked).toBe(3))
    expect((await talk(`${head()}Connection: close\r\nContent-Length: 0\r\n\r\n`)).answer).toMatch(/answered$/)
    await eventually(() => expect(held.filter((socket) => !socket.closed)).toHaveLength(2))
    for (const socket of held) socket.destroy()
    await eventually(async () => expect(await connections()).toBe(0))
    expect((await talk(`${head()}Connection: close\r\nContent-Length: 0\r\n\r\n`)).answer).toMatch(/answered$/)
  })

  it('finishes what it began to answer before it closes', async () => {
    let release = (): void => {}
    const slow = (listener = createListener({
      requestId: () => 'x',
      bounds: testBounds(),
      origin: () => true,
      allowed: () => undefined,
    }))
    slow.app.post('/', async (_request, reply) => {
      await new Promise<void>((resolve) => (release = resolve))
      return reply.send('answered')
    })
    await slow.app.ready()
    port = await listenOn(slow.server, '127.0.0.1', 0)
    const answer = talk(`${head()}Content-Length: 0\r\n\r\n`)
    while (release.toString() === '() => {}') await new Promise((resolve) => setImmediate(resolve))
    await promised(1000, async () => {
      const closing = slow.close(5000)
      release()
      expect((await answer).answer).toMatch(/answered$/)
      await closing
    })
  })
})

describe('a request that asks for another protocol', () => {
  const asking = (...headers: string[]): string =>
    ['GET /link HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', ...headers, '', ''].join('\r\n')

  it('and is refused ends with its connection, also where the peer keeps its half open', async () => {
    listener = createListener({
      requestId: () => 'x',
      origin: () => false,
      allowed: () => undefined,
      bounds: testBounds(),
      upgrade: { path: '/link', origin: () => false, accept: (_request, socket) => void socket.destroy() },
    })
    await listener.app.ready()
    port = await listenOn(listener.server, '127.0.0.1', 0)
    for (const headers of [['Host: 198.51.100.1'], [`Host: 127.0.0.1:${port}`, 'Origin: http://198.51.100.1']]) {
      let answer = ''
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      socket.setEncoding('latin1').on('data', (part: string) => (answer += part))
      socket.on('error', () => undefined)
      socket.write(asking(...headers))
      await eventually(() => expect(answer).toMatch(/^HTTP\/1\.1 403 [^]*"code":403/))
      await eventually(async () => expect(await connections()).toBe(0))
      socket.destroy()
    }
  })

  it('is an ordinary one where no protocol is changed', async () => {
    await begin({ headers: 60_000, request: 60_000 })
    const { answer } = await talk(
      asking(`Host: 127.0.0.1:${port}`).replace('Connection: Upgrade', 'Connection: Upgrade, close'),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  })
})

describe('a client behind a trusted proxy', () => {
  const shared = (address: string): boolean => address === '127.0.0.1'
  const most = 3
  let links: number
  const start = async (): Promise<string[]> => {
    const refusals: string[] = []
    links = 0
    listener = createListener({
      requestId: () => 'x',
      origin: () => true,
      allowed: () => undefined,
      clients: createClients(['127.0.0.1']),
      bounds: testBounds({ places: { all: 50, perAddress: most, perLoopback: most }, shared, refusals }),
      upgrade: {
        path: '/link',
        origin: () => true,
        accept: (_request, socket) => {
          links += 1
          socket
            .on('error', () => undefined)
            .resume()
            .once('end', () => socket.end())
          socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
        },
      },
    })
    listener.app.get('/stream', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200).write('begun')
    })
    listener.app.get('/who', ({ client }, reply) => reply.send(`${client.address} ${client.scheme}`))
    await listener.app.ready()
    port = await listenOn(listener.server, '127.0.0.1', 0)
    return refusals
  }
  const get = (path: string, ...headers: string[]): string =>
    [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', ''].join('\r\n')
  /** First bytes of the answer, and the connection. */
  const open = (text: string): Promise<{ answer: string; socket: Socket }> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text))
      socket.on('error', () => undefined)
      socket.once('data', (part: Buffer) => resolve({ answer: part.toString('latin1'), socket }))
    })

  it('has as much under way as an address has places, streams and links together, and others have theirs', async () => {
    const refusals = await start()
    const from = (address: string): string => `X-Forwarded-For: ${address}`
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']
    const held = [
      await open(get('/stream', from('203.0.113.5'))),
      await open(get('/stream', from('203.0.113.5'))),
      await open(get('/link', from('203.0.113.5'), ...upgrade)),
    ]
    expect(held.map(({ answer }) => answer.slice(9, 12))).toEqual(['200', '200', '101'])
    const more = [
      await open(get('/stream', from('203.0.113.5'))),
      await open(get('/link', from('203.0.113.5'), ...upgrade)),
    ]
    expect(more.map(({ answer }) => answer.slice(9, 12))).toEqual(['429', '503'])
    expect([links, refusals]).toEqual([1, ['address', 'address']])
    const other = await open(get('/stream', from('203.0.113.6')))
    expect(other.answer).toContain('200 OK')
    // Whichever ends makes room for another.
    for (const { socket } of [held[0]!, held[2]!]) socket.destroy()
    await eventually(async () =>
      expect((await open(get('/who', from('203.0.113.5'), 'Connection: close'))).answer).toContain('203.0.113.5'),
    )
    expect((await open(get('/stream', from('203.0.113.5')))).answer).toContain('200 OK')
    for (const { socket } of [...held, ...more, other]) socket.destroy()
  })

  it('with too much under way is told to come again in a second: a request with 429, a link with 503', async () => {
    await start()
    const from = 'X-Forwarded-For: 203.0.113.5'
    const held = await Promise.all(Array.from({ length: most }, () => open(get('/stream', from))))
    const body = (code: number): string =>
      JSON.stringify({ code, msg: 'too many requests of this address are in progress' })
    const refused = await talk(get('/who', from, 'Connection: close'))
    expect(refused.answer).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1\r\n/)
    expect(refused.answer.split('\r\n\r\n')[1]).toBe(body(429))
    const link = await talk(get('/link', from, 'Connection: Upgrade', 'Upgrade: websocket'))
    expect(link.answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n[^]*retry-after: 1\r\n/)
    expect(link.answer.split('\r\n\r\n')[1]).toBe(body(503))
    for (const { socket } of held) socket.destroy()
  })

  it.each([
    ['names its address', 'PROXY TCP4 198.51.100.2 192.0.2.1 50000 443\r\n', '198.51.100.2 http'],
    ['names another trusted proxy', 'PROXY TCP4 127.0.0.1 192.0.2.1 50000 443\r\n', '127.0.0.1 http'],
    ['is UNKNOWN', 'PROXY UNKNOWN\r\n', '127.0.0.1 http'],
    ['is LOCAL', '\r\n\r\n\0\r\nQUIT\n\x20\0\0\0', '127.0.0.1 http'],
    ['is of a local socket', `\r\n\r\n\0\r\nQUIT\n\x21\x31\0\xd8${'\0'.repeat(216)}`, '127.0.0.1 http'],
  ])('believes no forwarding header of HTTP behind a PROXY header that %s', async (_what, header, who) => {
    await start()
    const forged = ['X-Forwarded-For: 203.0.113.9', 'X-Forwarded-Proto: https', 'Connection: close']
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.setEncoding('latin1').on('data', (part: string) => (answer += part))
    socket.write(Buffer.from(header + get('/who', ...forged), 'latin1'))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(answer.split('\r\n\r\n')[1]).toBe(who)
    expect((await open(get('/who', ...forged))).answer).toMatch(/203\.0\.113\.9 https$/)
  })
})

describe('an answer of a listener', () => {
  const start = async (more: Partial<Parameters<typeof createListener>[0]> = {}): Promise<void> => {
    listener = createListener({
      requestId: () => 'x',
      bounds: testBounds(),
      origin: (origin) => origin === 'https://mine.example',
      allowed: (path) => (path === '/here' ? 'POST' : undefined),
      ...more,
    })
    listener.app.get('/fine', (_request, reply) => reply.send('fine'))
    listener.app.get('/broken', () => {
      throw new Error('a secret of ours')
    })
    listener.app.get('/wrong', () => {
      throw Object.assign(new Error('a secret of ours'), { statusCode: 422 })
    })
    await listener.app.ready()
    port = await listenOn(listener.server, '127.0.0.1', 0)
  }
  const ask = (path: string, headers: readonly (readonly [string, string])[] = []) =>
    httpRequest(`http://127.0.0.1:${port}${path}`, { method: 'GET', headers })

  it('is kept by no cache, and its type is not guessed', async () => {
    await start()
    const { status, headers, text } = await ask('/fine')
    expect([status, text]).toEqual([200, 'fine'])
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })

  it('says nothing of what went wrong inside', async () => {
    await start()
    const broken = await ask('/broken')
    expect([broken.status, JSON.parse(broken.text)]).toEqual([500, { code: 500, msg: 'internal fault' }])
    const wrong = await ask('/wrong')
    expect([wrong.status, JSON.parse(wrong.text)]).toEqual([422, { code: 422, msg: 'the request is not readable' }])
  })

  it('is 403 with the reason for a client that is refused, and for a page of an origin that may not call', async () => {
    await start({ refused: ({ address }) => (address === '127.0.0.1' ? 'not from here' : undefined) })
    expect([(await ask('/fine')).status, (await ask('/fine')).text]).toEqual([
      403,
      '{"code":403,"msg":"not from here"}',
    ])
    await listener.close(0)
    await start()
    expect((await ask('/fine', [['origin', 'https://mine.example']])).status).toBe(200)
    const other = await ask('/fine', [['origin', 'https://other.example']])
    expect([other.status, JSON.parse(other.text)]).toEqual([
      403,
      { code: 403, msg: 'pages of this origin may not call this service' },
    ])
  })

  it('is 405 where a path takes another method, whatever query follows it, else 404', async () => {
    await start()
    const { status, headers } = await ask('/here?a=b')
    expect([status, headers.allow]).toEqual([405, 'POST'])
    expect((await ask('/there')).status).toBe(404)
    const posted = await httpRequest(`http://127.0.0.1:${port}/here`, { method: 'POST' })
    expect(posted.status).toBe(404)
  })

  it('that does not end is cut after the grace of a closing listener', async () => {
    await start()
    let isClosed = false
    const held = createListener({
      requestId: () => 'x',
      bounds: testBounds(),
      origin: () => true,
      allowed: () => undefined,
    })
    held.app.get('/', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200).write('begun')
    })
    await held.app.ready()
    const heldPort = await listenOn(held.server, '127.0.0.1', 0)
    const socket = connect(heldPort, '127.0.0.1', () =>
      socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${heldPort}\r\n\r\n`),
    )
    socket.on('error', () => undefined).on('close', () => (isClosed = true))
    await new Promise((resolve) => socket.once('data', resolve))
    await promised(2000, () => held.close(50))
    await eventually(() => expect(isClosed).toBe(true))
  })

  it('that has come leaves a kept connection, which does not hold up a closing listener', async () => {
    await start()
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET /fine HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`),
    )
    await new Promise((resolve) => socket.once('data', resolve))
    await promised(2000, () => listener.close(60_000))
    socket.destroy()
  })

  it.each([
    [399, 500, 'internal fault'],
    [400, 400, 'the request is not readable'],
    [413, 413, 'the body is too large'],
    [429, 429, 'too many bodies are under way'],
    [499, 499, 'the request is not readable'],
    [500, 500, 'internal fault'],
    [503, 500, 'internal fault'],
  ])('to a fault with status %i has status %i, and 1 s to wait only with 429', async (statusCode, status, msg) => {
    listener = createListener({
      requestId: () => 'x',
      bounds: testBounds(),
      origin: () => true,
      allowed: () => undefined,
    })
    listener.app.get('/fault', () => {
      throw Object.assign(new Error('a secret of ours'), { statusCode })
    })
    await listener.app.ready()
    port = await listenOn(listener.server, '127.0.0.1', 0)
    const answer = await ask('/fault')
    expect([answer.status, JSON.parse(answer.text), answer.headers['retry-after']]).toEqual([
      status,
      { code: status, msg },
      status === 429 ? '1' : undefined,
    ])
  })

  it('is 405 with every method of a path for any other one, and 404 for one that it has', async () => {
    await start({ allowed: (path) => (path === '/both' ? 'GET, HEAD' : undefined) })
    const asked = async (method: string) => {
      const { status, headers } = await httpRequest(`http://127.0.0.1:${port}/both`, { method })
      return [status, headers.allow]
    }
    expect([await asked('POST'), await asked('GET'), await asked('HEAD')]).toEqual([
      [405, 'GET, HEAD'],
      [404, undefined],
      [404, undefined],
    ])
  })
})

describe('an upgrade', () => {
  const start = async (): Promise<{ asked: () => unknown[] }> => {
    const asked: unknown[] = []
    listener = createListener({
      requestId: () => 'x',
      bounds: testBounds(),
      origin: () => true,
      allowed: () => undefined,
      upgrade: {
        path: '/link',
        origin: (origin, _request, client) => {
          asked.push([origin, client.address])
          return origin === 'https://mine.example'
        },
        accept: (_request, socket, _head, client) => {
          asked.push(['accepted', client.address])
          socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
        },
      },
    })
    await listener.app.ready()
    port = await listenOn(listener.server, '127.0.0.1', 0)
    return { asked: () => asked.splice(0) }
  }
  const upgrading = (path: string, host = `127.0.0.1:${port}`, ...headers: string[]): Promise<{ answer: string }> =>
    talk(
      [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', 'Upgrade: websocket', ...headers, '', ''].join(
        '\r\n',
      ),
    )

  it('is checked for its Host before its Origin, which may be absent', async () => {
    const { asked } = await start()
    expect((await upgrading('/link', 'evil.example', 'Origin: https://mine.example')).answer).toMatch(
      /^HTTP\/1\.1 403 Forbidden[^]*\{"code":403,"msg":"the Host header does not name this service: name it with --public-url, --public-api or --public-host"\}$/,
    )
    expect(asked()).toEqual([])
    expect((await upgrading('/link', undefined, 'Origin: https://other.example')).answer).toMatch(
      /^HTTP\/1\.1 403 Forbidden[^]*\{"code":403,"msg":"pages of this origin may not use this service"\}$/,
    )
    expect(asked()).toEqual([['https://other.example', '127.0.0.1']])
    expect((await upgrading('/link', undefined, 'Origin: https://mine.example')).answer).toMatch(/^HTTP\/1\.1 101 /)
    expect((await upgrading('/link')).answer).toMatch(/^HTTP\/1\.1 101 /)
    expect(asked()).toEqual([
      ['https://mine.example', '127.0.0.1'],
      ['accepted', '127.0.0.1'],
      ['accepted', '127.0.0.1'],
    ])
  })

  it('is one at its path, whatever query follows it, and an ordinary request elsewhere', async () => {
    const { asked } = await start()
    expect((await upgrading('/link?a=b')).answer).toMatch(/^HTTP\/1\.1 101 /)
    expect(asked()).toEqual([['accepted', '127.0.0.1']])
    for (const path of ['/link/', '/linked', '/'])
      expect((await upgrading(path, undefined, 'Connection: close')).answer, path).toMatch(/^HTTP\/1\.1 404 /)
    expect(asked()).toEqual([])
  })
})
