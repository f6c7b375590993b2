import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { generate } from 'selfsigned'
import { expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { scratch, until } from '../testing/rig.ts'
import { openAssets } from './assets.ts'
import { createPageServer } from './page-server.ts'
import { createCompanionBounds } from '../listener-bounds.ts'

/** A built page in a folder, with the given files beside it. */
function pageIn(dir: string, files: Readonly<Record<string, Buffer>> = {}): string {
  const page = path.join(dir, 'page')
  mkdirSync(path.join(page, 'assets'), { recursive: true })
  writeFileSync(path.join(page, 'index.html'), '<!doctype html>')
  writeFileSync(path.join(page, 'csp.json'), JSON.stringify({ styles: [`sha256-${'A'.repeat(43)}=`] }))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(page, 'assets', name), bytes)
  return page
}

/** The cookie of a session as long as those that are made. */
const cookieOf = (port: number, session: string): string => `sidestage_${port}=${session.padEnd(43, '_')}`

const serve = async (page: string, more: Partial<Parameters<typeof createPageServer>[0]> = {}) =>
  createPageServer({
    assets: await openAssets(page),
    relay: { fetch: () => Promise.reject(new Error('no media here')) },
    authority: { trade: () => Promise.resolve(undefined), holder: () => 'anybody', authMethod: 'link' },
    attach: () => undefined,
    host: '127.0.0.1',
    bounds: createCompanionBounds({ log: () => undefined }).page,
    port: 0,
    names: () => ['127.0.0.1'],
    maxPages: 2,
    ...more,
  })

it.each(['plain', 'TLS'])('holds a file once however many ask for it and do not read it: %s', async (how) => {
  using folder = scratch()
  const size = 8 * 1024 * 1024
  const page = pageIn(folder.dir, { 'large.js': Buffer.alloc(size, 1) })
  const tls =
    how === 'TLS' ? await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256' }) : undefined
  const server = await serve(page, tls && { tls: { key: tls.private, cert: tls.cert } })
  const before = process.memoryUsage()
  const sockets = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const socket = tls
        ? connectTls({ port: server.port, host: '127.0.0.1', rejectUnauthorized: false })
        : connect(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      await once(socket, tls ? 'secureConnect' : 'connect')
      socket.write(`GET /assets/large.js HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`)
      // The first bytes came, and no more are taken.
      await once(socket, 'readable')
      return socket
    }),
  )
  try {
    const { arrayBuffers, rss } = process.memoryUsage()
    expect(Math.max(arrayBuffers - before.arrayBuffers, rss - before.rss)).toBeLessThan(10 * size)
    const [reader] = sockets
    let bytes = 0
    reader!.on('data', (part: Buffer) => (bytes += part.length))
    await until('the whole file', () => bytes > size)
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.close()
  }
})

it('goes on with a connection on which a body that is too large came in parts', async () => {
  using folder = scratch()
  let asked = 0
  let answer: () => void = () => undefined
  const server = await serve(pageIn(folder.dir), {
    authority: { trade: () => Promise.resolve(undefined), holder: () => 'anybody', authMethod: 'account' },
    joined: {
      fetch: async () => {
        asked += 1
        await new Promise<void>((resolve) => (answer = resolve))
        return { status: 401, headers: {}, body: undefined }
      },
      attach: () => ({ end: () => undefined }),
    },
  })
  const socket = connect(server.port, '127.0.0.1')
  try {
    let said = ''
    socket.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')))
    await once(socket, 'connect')
    const host = `Host: 127.0.0.1:${server.port}\r\nCookie: ${cookieOf(server.port, 'x')}\r\n`
    const body = Buffer.alloc(200_000, 'q')
    socket.write(
      `POST /joined/0123456789abcdef/session HTTP/1.1\r\n${host}Origin: http://127.0.0.1:${server.port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
    await until('the question', () => asked === 1)
    // What was sent before it has been read once another connection has its answer.
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200)
    answer()
    await until('the refusal', () => said.includes('401 Unauthorized'))
    socket.write(`GET / HTTP/1.1\r\n${host}\r\n`)
    await until('the page', () => said.includes('200 OK'))
  } finally {
    socket.destroy()
    await server.close()
  }
})

it('makes room for a page of whoever has fewer than others, and for no more of one holder than are theirs', async () => {
  using folder = scratch()
  const server = await serve(pageIn(folder.dir), {
    authority: {
      trade: () => Promise.resolve(undefined),
      holder: (session) => session.slice(0, 1),
      authMethod: 'account',
    },
    maxPages: 6,
    pagesOfHolder: 4,
  })
  const origin = `http://127.0.0.1:${server.port}`
  const open = async (session: string): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, {
      headers: { origin, cookie: cookieOf(server.port, session) },
    })
    const [answer] = (await Promise.race([once(socket, 'open'), once(socket, 'unexpected-response')])) as [
      unknown,
      { statusCode?: number }?,
    ]
    socket.on('error', () => undefined)
    if (answer !== undefined) socket.terminate()
    return socket
  }
  const isOpen = (socket: WebSocket): boolean => socket.readyState === WebSocket.OPEN
  try {
    const a = [await open('a1'), await open('a2'), await open('a1'), await open('a3')]
    expect(a.map(isOpen)).toEqual([true, true, true, true])
    // Four are its share, whatever session asks.
    expect(isOpen(await open('a9'))).toBe(false)
    const b = [await open('b1'), await open('b1')]
    // Six are there now: the newest page of who has four goes for the next one of whoever has fewer, and for nobody who has as many then.
    b.push(await open('b1'))
    await until('the end of a page', () => a.map(isOpen).join() === 'true,true,true,false')
    expect(b.map(isOpen)).toEqual([true, true, true])
    expect(isOpen(await open('b1'))).toBe(false)
    const c = await open('c1')
    expect(isOpen(c)).toBe(true)
    await until('the end of one more', () => [...a, ...b].filter(isOpen).length === 5)
    c.close()
  } finally {
    await server.close()
  }
})

it('looks up no more than what could be a session, however many cookies of its name come', async () => {
  using folder = scratch()
  let asked = 0
  const server = await serve(pageIn(folder.dir), {
    authority: { trade: () => Promise.resolve(undefined), holder: () => void (asked += 1), authMethod: 'account' },
  })
  try {
    const own = cookieOf(server.port, 'x')
    const cookie = [...Array.from({ length: 500 }, () => `sidestage_${server.port}=a`), own].join('; ')
    expect((await fetch(`http://127.0.0.1:${server.port}/session`, { headers: { cookie } })).status).toBe(401)
    expect(asked).toBe(1)
  } finally {
    await server.close()
  }
})

it('ends a page that gives no sign of life, and keeps one that only says nothing', async () => {
  using folder = scratch()
  let gone = 0
  const server = await serve(pageIn(folder.dir), {
    attach: (line) => {
      line.onClose(() => {
        gone += 1
      })
    },
    aliveEvery: 200,
  })
  const origin = `http://127.0.0.1:${server.port}`
  const open = async (autoPong: boolean): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, {
      headers: { origin, cookie: cookieOf(server.port, 'x') },
      autoPong,
    })
    socket.on('error', () => undefined)
    await once(socket, 'open')
    return socket
  }
  try {
    const quiet = await open(true)
    let pings = 0
    quiet.on('ping', () => {
      pings += 1
    })
    // A network that went without a word: it is open for the system, and nothing comes back.
    const dead = await open(false)
    await until('the end of the dead page', () => dead.readyState === WebSocket.CLOSED)
    await until('further questions', () => pings >= 4)
    expect([quiet.readyState, gone]).toEqual([WebSocket.OPEN, 1])
    // Its place is free again.
    const next = await open(true)
    expect(next.readyState).toBe(WebSocket.OPEN)
  } finally {
    await server.close()
  }
})

it('ends the page of a session that is none any more, as when newer sign-ins have put it out', async () => {
  using folder = scratch()
  let isOurs = true
  const server = await serve(pageIn(folder.dir), {
    authority: {
      trade: () => Promise.resolve(undefined),
      holder: () => (isOurs ? 'mei' : undefined),
      authMethod: 'account',
    },
    aliveEvery: 100,
  })
  try {
    const headers = { origin: `http://127.0.0.1:${server.port}`, cookie: cookieOf(server.port, 'x') }
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, { headers })
    socket.on('error', () => undefined)
    await once(socket, 'open')
    await once(socket, 'ping')
    await once(socket, 'ping')
    expect(socket.readyState).toBe(WebSocket.OPEN)
    isOurs = false
    await until('its end', () => socket.readyState === WebSocket.CLOSED)
  } finally {
    await server.close()
  }
})

it('ends the other pages of a session at once when one of them signs out, and those of no other session', async () => {
  using folder = scratch()
  const left: string[] = []
  const server = await serve(pageIn(folder.dir), {
    authority: {
      trade: () => Promise.resolve(undefined),
      holder: (session) => session.slice(0, 1),
      leave: (session) => {
        left.push(session)
        return Promise.resolve()
      },
      authMethod: 'account',
    },
  })
  const origin = `http://127.0.0.1:${server.port}`
  const open = async (session: string): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, {
      headers: { origin, cookie: cookieOf(server.port, session) },
    })
    socket.on('error', () => undefined)
    await once(socket, 'open')
    return socket
  }
  try {
    const [other, ...ours] = [await open('b1'), await open('a1')]
    const answer = await fetch(`${origin}/session`, {
      method: 'DELETE',
      headers: { origin, cookie: cookieOf(server.port, 'a1') },
    })
    expect(answer.status).toBe(204)
    expect(left).toHaveLength(1)
    await until('the end of its page', () => ours.every((page) => page.readyState === WebSocket.CLOSED))
    expect(other!.readyState).toBe(WebSocket.OPEN)
  } finally {
    await server.close()
  }
})

interface Answered {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}
/** A request with any headers; `host` is the own one unless another is given. */
const ask = (
  port: number,
  target: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: http.OutgoingHttpHeaders; body?: string | undefined } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port, path: target, method, headers, agent: false },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(parts).toString('utf8'),
          }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })
/** What a page of the listener itself sends along. */
const fromPage = (port: number, more: http.OutgoingHttpHeaders = {}): http.OutgoingHttpHeaders => ({
  origin: `http://127.0.0.1:${port}`,
  'content-type': 'application/json',
  ...more,
})
const signedInAs = (port: number, session = 'x'): http.OutgoingHttpHeaders => ({ cookie: cookieOf(port, session) })
const nobody = { trade: () => Promise.resolve(undefined), holder: () => undefined, authMethod: 'link' } as const
const anybody = { ...nobody, holder: () => 'anybody' } as const

it('serves the page with its policy: what is named by its content for ever, and the rest anew each time', async () => {
  using folder = scratch()
  const server = await serve(pageIn(folder.dir, { 'a-1.js': Buffer.alloc(200_000, 'a') }), { authority: nobody })
  try {
    const index = await ask(server.port, '/?invitation=1')
    expect(index).toMatchObject({ status: 200, text: '<!doctype html>' })
    expect(index.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': '15',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining(`sha256-${'A'.repeat(43)}=`) as string,
    })
    const script = await ask(server.port, '/assets/a-1.js')
    expect([script.status, script.text.length, script.headers['cache-control']]).toEqual([
      200,
      200_000,
      'private, max-age=31536000, immutable',
    ])
    const head = await ask(server.port, '/', { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '15', ''])
    const none = await ask(server.port, '/nothing')
    expect([none.status, none.headers['cache-control'], none.headers['x-frame-options']]).toEqual([
      404,
      'no-store',
      'DENY',
    ])
    const posted = await ask(server.port, '/', { method: 'POST', headers: fromPage(server.port) })
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD'])
  } finally {
    await server.close()
  }
})

it('answers only to its own names, and of other pages only to a link to the page itself', async () => {
  using folder = scratch()
  const server = await serve(pageIn(folder.dir), { authority: anybody })
  const host = `127.0.0.1:${server.port}`
  const navigate = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  const statusOf = async (target: string, headers: http.OutgoingHttpHeaders): Promise<number> =>
    (await ask(server.port, target, { headers })).status
  try {
    for (const other of [`evil.example:${server.port}`, '127.0.0.1', `localhost:${server.port}`])
      expect(await statusOf('/', { host: other }), other).toBe(421)
    expect(await statusOf('/', { host, ...navigate })).toBe(200)
    expect(await statusOf('/', { host, ...navigate, 'sec-fetch-mode': 'no-cors' })).toBe(403)
    expect(await statusOf('/index.html', { host, ...navigate })).toBe(403)
    expect(await statusOf('/session', { host, ...navigate })).toBe(403)
    expect(await statusOf('/', { host, ...navigate, origin: 'http://evil.example' })).toBe(403)
    expect(await statusOf('/', { host, origin: 'http://evil.example' })).toBe(403)
    expect(await statusOf('/', { host, 'sec-fetch-site': 'none' })).toBe(200)
  } finally {
    await server.close()
  }
})

it('says whether a session is signed in and how people sign in', async () => {
  using folder = scratch()
  for (const authMethod of ['link', 'account'] as const) {
    const server = await serve(pageIn(folder.dir), {
      authority: { ...nobody, holder: (session) => (session.startsWith('x') ? 'mei' : undefined), authMethod },
    })
    try {
      const unknown = await ask(server.port, '/session', { headers: signedInAs(server.port, 'y') })
      expect([unknown.status, unknown.headers['sidestage-door']]).toEqual([401, authMethod])
      const known = await ask(server.port, '/session', { headers: signedInAs(server.port) })
      expect([known.status, known.headers['sidestage-door'], known.headers['cache-control']]).toEqual([
        204,
        authMethod,
        'no-store',
      ])
      // Of several cookies of its name any may be the one.
      const both = `${cookieOf(server.port, 'y')}; ${cookieOf(server.port, 'x')}`
      expect((await ask(server.port, '/session', { headers: { cookie: both } })).status).toBe(204)
    } finally {
      await server.close()
    }
  }
})

it('exchanges what its own page posts for a cookie, with the sender and its device', async () => {
  using folder = scratch()
  const trades: unknown[][] = []
  const server = await serve(pageIn(folder.dir), {
    authority: {
      ...nobody,
      trade: (...given) => {
        trades.push(given)
        return Promise.resolve('s'.repeat(43))
      },
    },
  })
  const post = (headers: http.OutgoingHttpHeaders, body: string, method = 'POST'): Promise<Answered> =>
    ask(server.port, '/session', { method, headers, body })
  try {
    const made = await post(fromPage(server.port, { 'user-agent': 'd'.repeat(300) }), '{"key":"k"}')
    expect([made.status, made.headers['set-cookie']]).toEqual([
      204,
      [`sidestage_${server.port}=${'s'.repeat(43)}; Path=/; HttpOnly; SameSite=Strict`],
    ])
    expect(trades).toEqual([[{ key: 'k' }, '127.0.0.1', 'd'.repeat(200)]])
    const { origin: _origin, ...without } = fromPage(server.port)
    expect((await post(without, '{}')).status).toBe(403)
    expect((await post(fromPage(server.port, { 'content-type': 'text/plain' }), '{}')).status).toBe(415)
    const put = await post(fromPage(server.port), '{}', 'PUT')
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, POST'])
    const left = await post(fromPage(server.port), '', 'DELETE')
    expect([left.status, left.headers.allow]).toEqual([405, 'GET, POST'])
    expect(trades).toHaveLength(1)
    // A body that is no JSON, or is over 1 KiB, is refused by whoever judges it.
    await post(fromPage(server.port, { 'content-type': 'application/json; charset=utf-8' }), 'no json')
    await post(fromPage(server.port), JSON.stringify('x'.repeat(1_023)))
    await post(fromPage(server.port), JSON.stringify('x'.repeat(1_022)))
    expect(trades.slice(1).map(([body]) => body)).toEqual([undefined, undefined, 'x'.repeat(1_022)])
  } finally {
    await server.close()
  }
})

it('refuses a sign-in with the whole seconds for which further ones are refused', async () => {
  using folder = scratch()
  let wait = 0
  const asked: unknown[][] = []
  const server = await serve(pageIn(folder.dir), {
    authority: {
      ...nobody,
      wait: (...given) => {
        asked.push(given)
        return wait
      },
    },
  })
  const post = (): Promise<Answered> =>
    ask(server.port, '/session', { method: 'POST', headers: fromPage(server.port), body: '7' })
  try {
    const first = await post()
    expect([first.status, first.headers['retry-after'], first.headers.connection]).toEqual([401, undefined, 'close'])
    wait = 1_001
    const second = await post()
    expect([second.status, second.headers['retry-after'], second.headers['set-cookie']]).toEqual([401, '2', undefined])
    expect(asked).toEqual([
      [7, '127.0.0.1'],
      [7, '127.0.0.1'],
    ])
  } finally {
    await server.close()
  }
})

it('clears the cookie of who signs out, also of an ended session, and names DELETE where one can', async () => {
  using folder = scratch()
  const left: string[] = []
  const server = await serve(pageIn(folder.dir), {
    authority: {
      ...nobody,
      leave: (session) => {
        left.push(session)
        return Promise.resolve()
      },
    },
  })
  try {
    const headers = fromPage(server.port, signedInAs(server.port))
    const away = await ask(server.port, '/session', { method: 'DELETE', headers })
    expect([away.status, away.headers['set-cookie']?.[0]]).toEqual([
      204,
      expect.stringContaining('Max-Age=0') as string,
    ])
    expect(left).toEqual([])
    const put = await ask(server.port, '/session', { method: 'PUT', headers })
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, POST, DELETE'])
    const { origin: _origin, ...without } = headers
    expect((await ask(server.port, '/session', { method: 'DELETE', headers: without })).status).toBe(403)
  } finally {
    await server.close()
  }
})

it('gives media to signed-in pages only, as the relay answers, and ends the relay when the page goes', async () => {
  using folder = scratch()
  const asked: Parameters<Parameters<typeof createPageServer>[0]['relay']['fetch']>[0][] = []
  let isOpen = true
  let body: Readable | undefined
  const server = await serve(pageIn(folder.dir), {
    authority: { ...anybody, holder: () => (isOpen ? 'anybody' : undefined) },
    relay: {
      fetch: (request) => {
        asked.push(request)
        body = new Readable({ read: () => undefined })
        body.push('part')
        if (!request.path.endsWith('endless')) body.push(null)
        return Promise.resolve({ status: 206, headers: { 'content-type': 'video/mp4' }, body })
      },
    },
  })
  try {
    const headers = { ...signedInAs(server.port), range: 'bytes=0-3' }
    const got = await ask(server.port, '/media/ticket/x.mp4?query', { headers })
    expect([got.status, got.headers['content-type'], got.text]).toEqual([206, 'video/mp4', 'part'])
    expect(asked[0]).toMatchObject({ method: 'GET', path: '/media/ticket/x.mp4', range: 'bytes=0-3' })
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `GET /media/endless HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nCookie: ${cookieOf(server.port, 'x')}\r\n\r\n`,
    )
    await once(socket, 'readable')
    expect(asked[1]!.signal.aborted).toBe(false)
    socket.destroy()
    await until('the end of the relay', () => asked[1]!.signal.aborted && body!.destroyed)
    isOpen = false
    expect((await ask(server.port, '/media/ticket/x.mp4', { headers })).status).toBe(401)
    expect(asked).toHaveLength(2)
  } finally {
    await server.close()
  }
})

it('passes what a page posts to a room elsewhere only from the page itself and as JSON', async () => {
  using folder = scratch()
  const asked: unknown[] = []
  const server = await serve(pageIn(folder.dir), {
    authority: anybody,
    joined: {
      fetch: (request) => {
        asked.push([request.method, request.path, 'body' in request ? request.body : null])
        return Promise.resolve({ status: 201, headers: {}, body: undefined })
      },
      attach: () => ({ end: () => undefined }),
    },
  })
  const target = '/joined/0123456789abcdef/session'
  const statusOf = async (method: string, headers: http.OutgoingHttpHeaders): Promise<number> =>
    (await ask(server.port, target, { method, headers, body: method === 'POST' ? '{"a":1}' : undefined })).status
  const ours = fromPage(server.port, signedInAs(server.port))
  try {
    expect(await statusOf('POST', ours)).toBe(201)
    expect(await statusOf('GET', signedInAs(server.port))).toBe(201)
    expect(await statusOf('DELETE', ours)).toBe(201)
    expect(asked).toEqual([
      ['POST', target, { a: 1 }],
      ['GET', target, null],
      ['DELETE', target, null],
    ])
    expect(await statusOf('POST', signedInAs(server.port))).toBe(403)
    expect(await statusOf('DELETE', signedInAs(server.port))).toBe(403)
    expect(await statusOf('POST', { ...ours, 'content-type': 'text/plain' })).toBe(415)
    const { cookie: _cookie, ...stranger } = ours
    expect(await statusOf('POST', stranger)).toBe(401)
    expect(asked).toHaveLength(3)
  } finally {
    await server.close()
  }
})

it('opens the RPC for its own page with a session, at its path', async () => {
  using folder = scratch()
  const attached: string[] = []
  const elsewhere: string[] = []
  const authority = { ...nobody, holder: (session: string) => (session.startsWith('x') ? 'mei' : undefined) }
  const server = await serve(pageIn(folder.dir), {
    authority,
    attach: (_line, session) => void attached.push(session),
    joined: {
      fetch: () => Promise.reject(new Error('not asked')),
      attach: (_line, id) => {
        elsewhere.push(id)
        return { end: () => undefined }
      },
    },
  })
  const plain = await serve(pageIn(folder.dir), { authority })
  const open = async (port: number, target: string, headers: http.OutgoingHttpHeaders): Promise<number> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${target}`, { headers: headers as Record<string, string> })
    socket.on('error', () => undefined)
    return new Promise((resolve) => {
      socket.once('open', () => {
        socket.close()
        resolve(101)
      })
      socket.once('unexpected-response', (_request, response) => {
        socket.terminate()
        resolve(response.statusCode ?? 0)
      })
    })
  }
  const room = '/joined/0123456789abcdef/rpc'
  try {
    const ours = { origin: `http://127.0.0.1:${server.port}`, ...signedInAs(server.port) }
    expect(await open(server.port, '/rpc', ours)).toBe(101)
    expect(await open(server.port, room, ours)).toBe(101)
    expect([attached, elsewhere]).toEqual([['x'.padEnd(43, '_')], ['0123456789abcdef']])
    expect(await open(server.port, '/rpc', { ...ours, origin: 'http://evil.example' })).toBe(403)
    expect(await open(server.port, '/rpc', { ...ours, host: `evil.example:${server.port}` })).toBe(421)
    expect(await open(server.port, '/rpc', { ...ours, ...signedInAs(server.port, 'y') })).toBe(401)
    for (const target of ['/', '/rpc/', '/rpc?x', '/joined/0123456789abcdeg/rpc'])
      expect(await open(server.port, target, ours), target).toBe(404)
    const there = { origin: `http://127.0.0.1:${plain.port}`, ...signedInAs(plain.port) }
    expect(await open(plain.port, room, there)).toBe(404)
    for (let pages = 0; pages < 2; pages++) expect(await open(plain.port, '/rpc', there)).toBe(101)
    expect([attached.length, elsewhere.length]).toEqual([1, 1])
  } finally {
    await server.close()
    await plain.close()
  }
})

it('says 503 to a page for which there is no place, and has one again when another page is closed', async () => {
  using folder = scratch()
  const server = await serve(pageIn(folder.dir), { maxPages: 2 })
  const headers = { origin: `http://127.0.0.1:${server.port}`, cookie: cookieOf(server.port, 'x') }
  const open = (): WebSocket => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, { headers })
    socket.on('error', () => undefined)
    return socket
  }
  try {
    const pages = [open(), open()]
    await Promise.all(pages.map((page) => once(page, 'open')))
    const [, response] = (await once(open(), 'unexpected-response')) as [unknown, http.IncomingMessage]
    expect(response.statusCode).toBe(503)
    response.destroy()
    pages[0]!.close()
    await once(pages[0]!, 'close')
    await until('a place', async () => {
      const next = open()
      const answer = await Promise.race([
        once(next, 'open').then(() => true),
        once(next, 'unexpected-response').then(() => false),
      ])
      if (!answer) next.terminate()
      return answer
    })
    // All are ended with the listener.
    await server.close()
    await until('its end', () => pages[1]!.readyState === WebSocket.CLOSED)
  } finally {
    await server.close().catch(() => undefined)
  }
})

it('ends the pages of one session when it is told to', async () => {
  using folder = scratch()
  const server = await serve(pageIn(folder.dir), { authority: anybody })
  const origin = `http://127.0.0.1:${server.port}`
  const pages = ['a', 'b'].map(
    (session) =>
      new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, {
        headers: { origin, cookie: cookieOf(server.port, session) },
      }),
  )
  try {
    await Promise.all(pages.map((page) => once(page, 'open')))
    server.end('a'.padEnd(43, '_'))
    await once(pages[0]!, 'close')
    expect(pages[1]!.readyState).toBe(WebSocket.OPEN)
  } finally {
    await server.close()
  }
})

it('says 507 where a full disk keeps a session from being stored, and 500 for any other fault', async () => {
  using folder = scratch()
  let fault: Error = Object.assign(new Error('full'), { code: 'ENOSPC' })
  const server = await serve(pageIn(folder.dir), {
    authority: { ...nobody, trade: () => Promise.reject(fault) },
  })
  const post = async (): Promise<number> =>
    (await ask(server.port, '/session', { method: 'POST', headers: fromPage(server.port), body: '{}' })).status
  try {
    expect(await post()).toBe(507)
    fault = new Error('another')
    expect(await post()).toBe(500)
  } finally {
    await server.close()
  }
})

it('asks each page every 15 s for a sign of life', async () => {
  using folder = scratch()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const server = await serve(pageIn(folder.dir))
    try {
      const headers = { origin: `http://127.0.0.1:${server.port}`, cookie: cookieOf(server.port, 'x') }
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, { headers })
      let pings = 0
      socket.on('error', () => undefined).on('ping', () => (pings += 1))
      await once(socket, 'open')
      vi.advanceTimersByTime(14_999)
      // What was sent before it has come once there is an answer.
      expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200)
      expect(pings).toBe(0)
      vi.advanceTimersByTime(1)
      await until('the question', () => pings === 1)
    } finally {
      await server.close()
    }
  } finally {
    vi.useRealTimers()
  }
})
