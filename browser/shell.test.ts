import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { openAssets } from '../companion/page/assets.ts'
import type { JoinedRequest } from '../companion/remote-rooms/remote-rooms.ts'
import type { Line } from '../companion/lines/connection.ts'
import { scratch, until } from '../companion/testing/rig.ts'
import { type BrowserShell, createBrowserShell } from './shell.ts'
import { createCompanionBounds } from '../companion/listener-bounds.ts'

const folder = scratch()
const lines: Line[] = []
const media: JoinedRequest[] = []
const joined: string[] = []
let now = 1_000
let shell: BrowserShell

beforeAll(async () => {
  const page = path.join(folder.dir, 'page')
  mkdirSync(path.join(page, 'assets'), { recursive: true })
  writeFileSync(path.join(page, 'index.html'), '<!doctype html><title>Sidestage</title>')
  writeFileSync(path.join(page, 'assets', 'index-1.js'), 'void 0')
  writeFileSync(path.join(page, 'csp.json'), JSON.stringify({ styles: [`sha256-${'A'.repeat(43)}=`] }))
  writeFileSync(path.join(folder.dir, 'secret.html'), 'secret')
  shell = await createBrowserShell({
    assets: await openAssets(page),
    clock: { monotonic: () => now },
    random: randomBytes,
    bounds: createCompanionBounds({ log: () => undefined }).page,
    port: 0,
    rpc: {
      attach: (line) => {
        lines.push(line)
        line.onMessage((text) => {
          if (text === undefined) line.close()
          else line.send(`echo ${text}`)
        })
        return {
          end: () => {
            line.close()
          },
        }
      },
    },
    joined: {
      fetch: (request) => {
        media.push(request)
        return Promise.resolve({ status: 204, headers: { 'cache-control': 'no-store' }, body: undefined })
      },
      attach: (line, id) => {
        joined.push(id)
        line.close()
        return { end: () => undefined }
      },
    },
    relay: {
      fetch: (request) => {
        media.push(request)
        return Promise.resolve({
          status: 200,
          headers: { 'content-type': 'video/x-flv' },
          body: Readable.from([Buffer.from('FLV')]),
        })
      },
    },
  })
})
afterAll(async () => {
  await shell.close()
  folder[Symbol.dispose]()
})

const token = (): string => new URL(shell.address()).hash.slice('#token='.length)
interface Asked {
  status: number
  headers: http.IncomingHttpHeaders
  body: string
}
const ask = (method: string, target: string, headers: http.OutgoingHttpHeaders = {}, body?: string): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const sent = http.request(
      { host: '127.0.0.1', port: shell.port, method, path: target, headers, agent: false },
      (answer) => {
        let said = ''
        answer
          .setEncoding('utf8')
          .on('data', (text: string) => {
            said += text
          })
          .on('end', () => {
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: said })
          })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
const origin = (): string => `http://127.0.0.1:${shell.port}`
const signIn = (given: unknown, headers: http.OutgoingHttpHeaders = {}): Promise<Asked> =>
  ask(
    'POST',
    '/session',
    { 'content-type': 'application/json', origin: origin(), ...headers },
    JSON.stringify({ token: given }),
  )
const cookie = async (): Promise<string> => (await signIn(token())).headers['set-cookie']?.[0]?.split(';')[0] ?? ''
const upgrade = (headers: Record<string, string>, target = '/rpc'): Promise<number> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${shell.port}${target}`, { headers })
    socket.on('unexpected-response', (_request, answer) => {
      resolve(answer.statusCode ?? 0)
    })
    socket.on('open', () => {
      socket.close()
      resolve(101)
    })
    socket.on('error', () => undefined)
  })

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('another user of this computer', () => {
  const nobody = 65_534
  /** What the shell answers to a connection of a user. */
  const answerTo = async (user: number, host: string, request: string): Promise<string> => {
    process.seteuid!(user)
    const socket = net.connect(shell.port, host)
    let said = ''
    try {
      await once(socket, 'connect')
    } finally {
      process.seteuid!(0)
    }
    socket.on('data', (bytes: Buffer) => (said += bytes.toString('latin1')))
    socket.write(request)
    await until('an answer', () => said.includes('\r\n\r\n'))
    socket.destroy()
    return said.slice(9, 12)
  }
  const post = (text: string): string =>
    `POST /session HTTP/1.1\r\nHost: 127.0.0.1:${shell.port}\r\nOrigin: ${origin()}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`

  it.each(['127.0.0.1', '::ffff:127.0.0.1'])(
    'gets nothing with a token or a session that it saw, from %s',
    async (host) => {
      const seen = post(JSON.stringify({ token: token() }))
      expect(await answerTo(nobody, host, seen)).toBe('403')
      // Nor was the token taken by it.
      expect(await answerTo(0, host, seen)).toBe('204')
      const session = `Host: 127.0.0.1:${shell.port}\r\nOrigin: ${origin()}\r\nCookie: ${await cookie()}\r\n`
      const page = `GET / HTTP/1.1\r\n${session}\r\n`
      const line = `GET /rpc HTTP/1.1\r\n${session}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
      expect([await answerTo(nobody, host, page), await answerTo(nobody, host, line)]).toEqual(['403', '403'])
      expect([await answerTo(0, host, page), await answerTo(0, host, line)]).toEqual(['200', '101'])
    },
  )
})

describe('signing in', () => {
  it('trades a token once for a cookie that scripts and other sites cannot use', async () => {
    const one = token()
    const first = await signIn(one)
    expect(first.status).toBe(204)
    expect(first.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^sidestage_${shell.port}=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
      ),
    ])
    expect((await signIn(one)).status).toBe(401)
    expect((await ask('GET', '/session')).status).toBe(401)
    expect((await ask('GET', '/session', { cookie: await cookie() })).status).toBe(204)
    expect((await ask('GET', '/session', { cookie: `sidestage_${shell.port}=${'A'.repeat(43)}` })).status).toBe(401)
  })

  it('finds its cookie among those that other programs of the computer have set, under its own name as well', async () => {
    const others = Array.from({ length: 60 }, (_, index) => `other${index}=x`)
    const sameName = `sidestage_${shell.port}=${'A'.repeat(43)}`
    expect((await ask('GET', '/session', { cookie: [...others, sameName, await cookie()].join('; ') })).status).toBe(
      204,
    )
    expect((await ask('GET', '/session', { cookie: [...others, sameName].join('; ') })).status).toBe(401)
  })

  it('refuses wrong, old and malformed tokens', async () => {
    const old = token()
    now += 60 * 60_000 + 1
    for (const given of [old, '', 'x', 7, null, {}, 'y'.repeat(200)]) expect((await signIn(given)).status).toBe(401)
    expect((await ask('POST', '/session', { origin: origin(), 'content-type': 'application/json' }, '{')).status).toBe(
      401,
    )
    expect(
      (
        await ask(
          'POST',
          '/session',
          { origin: origin(), 'content-type': 'application/json' },
          `{"token":"${'x'.repeat(5_000)}"}`,
        )
      ).status,
    ).toBe(401)
    expect(
      (
        await ask(
          'POST',
          '/session',
          { origin: origin(), 'content-type': 'text/plain' },
          JSON.stringify({ token: token() }),
        )
      ).status,
    ).toBe(415)
    expect((await ask('DELETE', '/session')).status).toBe(405)
  })

  it('is for our own page only', async () => {
    for (const foreign of [
      'http://evil.example',
      'null',
      'http://127.0.0.1',
      `https://127.0.0.1:${shell.port}`,
      `http://localhost:${shell.port}`,
    ])
      expect((await signIn(token(), { origin: foreign })).status, foreign).toBe(403)
    expect(
      (await ask('POST', '/session', { 'content-type': 'application/json' }, JSON.stringify({ token: token() })))
        .status,
    ).toBe(403)
  })
})

describe('every request', () => {
  it('must name this host, letter by letter', async () => {
    const port = shell.port
    for (const host of [
      '127.evil.example',
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `evil.example:${port}`,
      `127.0.0.1:${port}.`,
      `2130706433:${port}`,
    ]) {
      expect((await ask('GET', '/', { host })).status, host).toBe(421)
      expect(await upgrade({ host, origin: `http://${host}`, cookie: await cookie() }), host).toBe(421)
    }
    expect((await ask('GET', '/', { host: `localhost:${port}` })).status).toBe(200)
    const socket = net.connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nConnection: close\r\n\r\n')
    const [said] = (await once(socket, 'data')) as [Buffer]
    expect(said.toString()).toMatch(/^HTTP\/1\.1 4/)
  })

  it('from another site is refused, but for opening the page', async () => {
    expect((await ask('GET', '/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).toBe(200)
    expect((await ask('GET', '/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
    expect((await ask('GET', '/assets/index-1.js', { 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await ask('GET', '/session', { origin: 'http://evil.example', cookie: await cookie() })).status).toBe(403)
  })

  it('is answered under the whole policy', async () => {
    for (const target of ['/', '/assets/index-1.js', '/nothing', '/session']) {
      const { headers } = await ask('GET', target)
      expect(headers['content-security-policy'], target).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${'A'.repeat(43)}='; img-src 'self' data:; font-src 'self'; connect-src 'self'; media-src 'self' blob:; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
      )
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  it('gets files of the page and nothing beside it', async () => {
    expect((await ask('GET', '/')).body).toContain('<title>Sidestage')
    expect((await ask('HEAD', '/')).body).toBe('')
    for (const target of [
      '/../secret.html',
      '/..%2fsecret.html',
      '/%2e%2e/secret.html',
      '/assets/../../secret.html',
      '/..\\secret.html',
      '/csp.json',
      '//secret.html',
      '/assets',
      '/index.html/',
      '/index.html%00.js',
      '/__proto__',
      '/constructor',
    ])
      expect((await ask('GET', target)).status, target).toBe(404)
    expect((await ask('POST', '/', { origin: origin() })).status).toBe(405)
  })
})

describe('the RPC', () => {
  it('needs the cookie and our origin', async () => {
    expect(await upgrade({ origin: origin() })).toBe(401)
    expect(await upgrade({ origin: origin(), cookie: `sidestage_${shell.port}=wrong` })).toBe(401)
    expect(await upgrade({ cookie: await cookie() })).toBe(403)
    expect(await upgrade({ origin: 'http://evil.example', cookie: await cookie() })).toBe(403)
    expect(await upgrade({ origin: origin(), cookie: await cookie() }, '/other')).toBe(404)
    expect(await upgrade({ origin: origin(), cookie: await cookie() })).toBe(101)
  })

  it('serves several tabs at once, and ends one that sends too much or no text', async () => {
    const session = await cookie()
    const open = async (): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://127.0.0.1:${shell.port}/rpc`, {
        headers: { origin: origin(), cookie: session },
      })
      await once(socket, 'open')
      return socket
    }
    const tabs = await Promise.all([open(), open(), open()])
    for (const tab of tabs) {
      tab.send('hello')
      const [data] = (await once(tab, 'message')) as [Buffer]
      expect(data.toString()).toBe('echo hello')
    }
    const [first, second, third] = tabs as [WebSocket, WebSocket, WebSocket]
    const ended = Promise.all([once(first, 'close'), once(second, 'close')])
    first.on('error', () => undefined)
    first.send('x'.repeat(2 * 1024 * 1024))
    second.send(Buffer.from('binary'))
    await ended
    third.send('still here')
    await once(third, 'message')
    third.close()
  })
})

describe('media', () => {
  it('needs the cookie, and hands the path on without its query', async () => {
    expect((await ask('GET', '/media/t/x.flv')).status).toBe(401)
    const answer = await ask('GET', '/media/t/x.flv?_=1', { cookie: await cookie(), range: 'bytes=0-' })
    expect(answer).toMatchObject({ status: 200, body: 'FLV' })
    expect(media.at(-1)).toMatchObject({ method: 'GET', path: '/media/t/x.flv', range: 'bytes=0-' })
    await until('the end of the transfer', () => media.at(-1)?.signal.aborted)
  })
})

describe('pages of joined rooms', () => {
  const at = `/joined/${'ab'.repeat(8)}`
  it('need the cookie of this shell, and our own page to change anything', async () => {
    const before = media.length
    for (const target of [`${at}/session`, `${at}/media/t/x.flv`]) expect((await ask('GET', target)).status).toBe(401)
    const mine = { cookie: await cookie() }
    const json = { 'content-type': 'application/json' }
    expect((await ask('POST', `${at}/session`, { ...mine, ...json }, '{}')).status).toBe(403)
    expect((await ask('POST', `${at}/session`, { ...mine, ...json, origin: 'http://evil.example' }, '{}')).status).toBe(
      403,
    )
    expect((await ask('DELETE', `${at}/session`, mine)).status).toBe(403)
    expect(
      (await ask('POST', `${at}/session`, { ...mine, origin: origin(), 'content-type': 'text/plain' }, '{}')).status,
    ).toBe(415)
    expect((await ask('GET', `${at}/session`, { ...mine, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(media).toHaveLength(before)
    expect((await ask('POST', `${at}/session`, { ...mine, ...json, origin: origin() }, '{"token":"t"}')).status).toBe(
      204,
    )
    expect(media.at(-1)).toMatchObject({ method: 'POST', path: `${at}/session`, body: { token: 't' } })
    expect(
      (await ask('POST', `${at}/session`, { ...mine, ...json, origin: origin() }, `{"token":"${'x'.repeat(2_000)}"}`))
        .status,
    ).toBe(204)
    expect(media.at(-1)?.body).toBeUndefined()
    expect((await ask('GET', `${at}/media/t/x.flv?_=1`, mine)).status).toBe(204)
    expect(media.at(-1)).toMatchObject({ method: 'GET', path: `${at}/media/t/x.flv` })
  })

  it('have a line that goes nowhere else', async () => {
    const [mine, before] = [await cookie(), lines.length]
    expect(await upgrade({ origin: origin() }, `${at}/rpc`)).toBe(401)
    expect(await upgrade({ origin: 'http://evil.example', cookie: mine }, `${at}/rpc`)).toBe(403)
    for (const target of [`${at}/rpc?x`, `${at}/other`, '/joined/x/rpc', '/joined/rpc'])
      expect(await upgrade({ origin: origin(), cookie: mine }, target)).toBe(404)
    expect(joined).toEqual([])
    expect(await upgrade({ origin: origin(), cookie: mine }, `${at}/rpc`)).toBe(101)
    expect([joined, lines.length]).toEqual([['ab'.repeat(8)], before])
  })
})
