import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { type ManualClock, manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import { createHost, type Host } from './host.ts'
import { JoinError } from './join-error.ts'
import { startHostileHost } from './testing/hostile-host.ts'

let server: http.Server
let asked: http.IncomingMessage[]
let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void
let clock: ManualClock
let host: Host
let at: string
beforeEach(async () => {
  asked = []
  answer = (_request, response) => response.writeHead(204).end()
  server = http.createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  at = `127.0.0.1:${(server.address() as AddressInfo).port}`
  clock = manualClock()
  host = createHost({ place: { host: at, secured: false, fingerprint: null }, clock, agent: 'Sidestage (Linux)' })
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
const troubleOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof JoinError ? error.what : error),
  )
const get = (more: object = {}) => host.ask({ method: 'GET', path: '/session', ...more })

it('asks as itself from its own origin, with the headers given, and no body unless there is one', async () => {
  ;(await get({ headers: { cookie: 'a=b' } })).destroy()
  expect(asked[0]).toMatchObject({
    method: 'GET',
    url: '/session',
    headers: { host: at, origin: `http://${at}`, 'user-agent': 'Sidestage (Linux)', accept: '*/*', cookie: 'a=b' },
  })
  expect(asked[0]!.headers).not.toHaveProperty('content-type')
  ;(await host.ask({ method: 'POST', path: '/session', body: '{"name":"é"}' })).destroy()
  expect(asked[1]!.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '13' })
})

it('names its origin with https where it is secured', async () => {
  const secured = await startHostileHost()
  try {
    const over = createHost({ place: secured.place, clock, agent: 'x' })
    ;(await over.ask({ method: 'GET', path: '/session' })).destroy()
    expect(secured.asked[0]!.headers).toMatchObject({
      host: secured.place.host,
      origin: `https://${secured.place.host}`,
    })
  } finally {
    await secured.close()
  }
})

it('waits 10 s for the headers of an answer and no longer', async () => {
  answer = () => undefined
  let over: unknown
  const waiting = troubleOf(get()).then((trouble) => (over = trouble))
  await until('the request', () => asked.length === 1)
  clock.advance(9_999)
  await new Promise((resolve) => setImmediate(resolve))
  expect(over).toBeUndefined()
  clock.advance(1)
  await waiting
  expect([over, clock.waiting()]).toEqual(['offline', 0])
})

it('waits 30 s for the next part of a body', async () => {
  answer = (_request, response) => response.writeHead(200).write('part')
  const found = await get()
  expect([found.socket.timeout, clock.waiting()]).toEqual([30_000, 0])
  found.socket.emit('timeout')
  await until('its end', () => found.destroyed)
})

it('follows no redirect', async () => {
  answer = (_request, response) => response.writeHead(302, { location: '/other' }).end()
  const found = await get()
  found.destroy()
  expect([found.statusCode, asked.length]).toEqual([302, 1])
})

it.each([
  [
    'more than 16 KiB of headers',
    (response: http.ServerResponse) => response.writeHead(200, { x: 'x'.repeat(17_000) }).end(),
    'notOurs',
  ],
  ['what is no HTTP', (response: http.ServerResponse) => response.socket!.end('220 mail\r\n'), 'notOurs'],
  ['the end of the connection', (response: http.ServerResponse) => response.socket!.destroy(), 'offline'],
] as const)('says what it makes of %s in place of an answer', async (_what, does, trouble) => {
  answer = (_request, response) => {
    does(response)
  }
  expect(await troubleOf(get())).toBe(trouble)
})

it('ends a request with the signal of its page', async () => {
  answer = () => undefined
  const page = new AbortController()
  const waiting = troubleOf(get({ signal: page.signal }))
  await until('the request', () => asked.length === 1)
  page.abort()
  expect(await waiting).toBe('offline')
  await until('the end there', () => asked[0]!.destroyed)
})

it('says why there is no connection by its own reason', async () => {
  const far = createHost({ place: { host: 'far.example:80', secured: false, fingerprint: null }, clock, agent: 'x' })
  expect([await troubleOf(far.ask({ method: 'GET', path: '/' })), await troubleOf(far.line('a=b'))]).toEqual([
    'plain',
    'plain',
  ])
})

it('opens a line with the session, unpacked, and paused until somebody listens', async () => {
  const sockets = new WebSocketServer({ server, perMessageDeflate: true })
  const came: http.IncomingMessage[] = []
  sockets.on('connection', (socket, request) => {
    came.push(request)
    socket.send('said at once')
  })
  const line = await host.line('sidestage_1=abc')
  expect(came[0]).toMatchObject({
    url: '/rpc',
    headers: { host: at, origin: `http://${at}`, 'user-agent': 'Sidestage (Linux)', cookie: 'sidestage_1=abc' },
  })
  expect([line.isPaused, line.extensions, clock.waiting()]).toEqual([true, '', 0])
  const heard = new Promise((resolve) => line.once('message', (data: Buffer) => resolve(data.toString())))
  line.resume()
  expect(await heard).toBe('said at once')
  line.terminate()
  sockets.close()
})

it.each([
  [401, 'refused'],
  [421, 'elsewhere'],
  [302, 'offline'],
  [403, 'offline'],
  [503, 'offline'],
])('takes an answer %s to the opening of a line for %s', async (status, trouble) => {
  server.on('upgrade', (_request, socket) =>
    socket.end(`HTTP/1.1 ${status} Not now\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n`),
  )
  expect(await troubleOf(host.line('a=b'))).toBe(trouble)
  expect(clock.waiting()).toBe(0)
})

it('waits 10 s for a line and no longer, and ends what was begun', async () => {
  let isOpen = false
  server.on('upgrade', (_request, socket) => {
    isOpen = true
    socket
      .on('error', () => undefined)
      .on('end', () => {
        isOpen = false
        socket.destroy()
      })
    socket.resume()
  })
  let over: unknown
  const waiting = troubleOf(host.line('a=b')).then((trouble) => (over = trouble))
  await until('the request', () => isOpen)
  clock.advance(9_999)
  await new Promise((resolve) => setImmediate(resolve))
  expect(over).toBeUndefined()
  clock.advance(1)
  await waiting
  expect(over).toBe('offline')
  await until('the end there', () => !isOpen)
})
