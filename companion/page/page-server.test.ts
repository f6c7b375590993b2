import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { connect as connectTls } from 'node:tls'
import { generate } from 'selfsigned'
import { expect, it } from 'vitest'
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
    authority: { trade: () => Promise.resolve(undefined), holder: () => 'anybody', door: 'link' },
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
    authority: { trade: () => Promise.resolve(undefined), holder: () => 'anybody', door: 'account' },
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
    authority: { trade: () => Promise.resolve(undefined), holder: (session) => session.slice(0, 1), door: 'account' },
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
    authority: { trade: () => Promise.resolve(undefined), holder: () => void (asked += 1), door: 'account' },
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
    authority: { trade: () => Promise.resolve(undefined), holder: () => (isOurs ? 'mei' : undefined), door: 'account' },
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
      door: 'account',
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
