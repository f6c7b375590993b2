import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../contract/operations/index.ts'
import { listenOn } from '../../platform/listen.ts'
import { eventually } from '../testing/eventually.ts'
import { testBounds } from '../testing/listener-bounds.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { createClients } from './clients.ts'
import { pathPrefix } from './dispatch.ts'
import { createListener, type Listener } from './listener.ts'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})
const kib = 1024
/** Headers of a body that never comes completely. */
const announced = { 'a length': 'Content-Length: 1000000', chunks: 'Transfer-Encoding: chunked' } as const
const part = (bytes: number, how: keyof typeof announced): string =>
  how === 'chunks' ? `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n` : 'x'.repeat(bytes)

/** Sends a request with part of its body; gives the answer so far. */
function begin(
  port: number,
  line: string,
  headers: readonly string[],
  body: string,
): { answer(): string; readonly socket: Socket } {
  let answer = ''
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined).on('data', (bytes: Buffer) => (answer += bytes.toString('latin1')))
  socket.write([`${line} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, '', body].join('\r\n'))
  return { answer: () => answer.slice(0, 12), socket }
}

describe('what strangers send', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.close())

  it.each(['a length', 'chunks'] as const)(
    'is answered before its body is there: every operation, unknown paths, wrong methods, by %s',
    async (how) => {
      const port = Number(new URL(service.service.ready.baseUrl).port)
      const lines = [
        ...operations
          .filter(({ startFlag }) => startFlag === undefined)
          .map((operation) => `POST ${pathPrefix(operation)}${operation.path}`),
        'POST /',
        'POST /nimserver/nothing',
        'PUT /app/channellist',
        'DELETE /app/channellist',
        'PATCH /nothing',
        'GET /app/channellist',
        'POST /playback/nothing',
      ]
      const talks = lines.map((line) => ({
        line,
        ...begin(port, line, [announced[how], 'Content-Type: application/json'], part(30 * kib, how)),
      }))
      await eventually(() => expect(talks.filter(({ answer }) => answer() === '').map(({ line }) => line)).toEqual([]))
      expect(new Set(talks.slice(-7).map(({ answer }) => answer()))).toEqual(new Set(['HTTP/1.1 404', 'HTTP/1.1 405']))
    },
  )

  it.each(['a length', 'chunks'] as const)(
    'is answered before its body is there: paths of the media listener, by %s',
    async (how) => {
      const port = Number(new URL(service.service.ready.mediaUrl).port)
      const lines = [
        ...['POST', 'PUT', 'DELETE', 'OPTIONS'].flatMap((method) =>
          ['/', '/live/x.flv', '/files/x', '/watch/x', '/watch/x/state'].map((path) => `${method} ${path}`),
        ),
        'GET /live/x.flv',
        'GET /nothing',
      ]
      const talks = lines.map((line) => ({ line, ...begin(port, line, [announced[how]], part(30 * kib, how)) }))
      // The only unauthenticated route with a body accepts a short one.
      talks.push({
        line: 'a guest',
        ...begin(port, 'POST /watch/x/guest', [announced[how], 'Content-Type: text/plain'], part(30 * kib, how)),
      })
      await eventually(() => expect(talks.filter(({ answer }) => answer() === '').map(({ line }) => line)).toEqual([]))
      // Not by timeout.
      expect(talks.filter(({ answer }) => answer() === 'HTTP/1.1 408').map(({ line }) => line)).toEqual([])
      expect(talks.at(-1)!.answer()).toBe('HTTP/1.1 413')
    },
  )
})

describe('bodies that are wanted', () => {
  let listener: Listener
  let port: number
  let refusals: string[]
  const start = async (all: number, perAddress: number): Promise<void> => {
    refusals = []
    listener = createListener({
      requestId: () => 'x',
      origin: () => true,
      allowed: () => undefined,
      clients: createClients(['127.0.0.1']),
      bounds: testBounds({ refusals }),
      bodyLimits: { all, perAddress },
    })
    listener.app.post('/', (request, reply) => reply.send(String((request.body as Buffer).length)))
    listener.app.get('/', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200).write('begun')
    })
    await listener.app.ready()
    port = await listenOn(listener.server, '127.0.0.1', 0)
  }
  afterEach(() => listener.close(100))
  const send = (from: string, body: string, how: keyof typeof announced = 'a length', line = 'POST /') =>
    begin(port, line, [announced[how], `X-Forwarded-For: ${from}`], body)

  it.each(['a length', 'chunks'] as const)(
    'are held within the bytes of an address and of all, and refused beyond, by %s',
    async (how) => {
      await start(100 * kib, 60 * kib)
      send('203.0.113.5', part(50 * kib, how), how)
      await eventually(() => expect(listener.bodies.held).toBe(50 * kib))
      const more = send('203.0.113.5', part(20 * kib, how), how)
      await eventually(() => expect(more.answer()).toBe('HTTP/1.1 429'))
      const other = send('203.0.113.6', part(45 * kib, how), how)
      await eventually(() => expect(listener.bodies.held).toBe(95 * kib))
      const third = send('203.0.113.7', part(10 * kib, how), how)
      await eventually(() => expect(third.answer()).toBe('HTTP/1.1 429'))
      expect([listener.bodies.held, refusals]).toEqual([95 * kib, ['bodies', 'bodies']])
      other.socket.destroy()
      await eventually(() => expect(listener.bodies.held).toBe(50 * kib))
    },
  )

  it('count for nothing when they were answered', async () => {
    await start(100 * kib, 60 * kib)
    const whole = begin(port, 'POST /', ['Content-Length: 40000', 'X-Forwarded-For: 203.0.113.5'], 'x'.repeat(40_000))
    await eventually(() => expect(whole.answer()).toBe('HTTP/1.1 200'))
    await eventually(() => expect(listener.bodies.held).toBe(0))
  })

  it('do not wait in the buffers of a connection while a stream is answered', async () => {
    await start(100 * kib, 60 * kib)
    const requests: { readonly readableLength: number }[] = []
    listener.server.on('request', (request) => requests.push(request))
    const { answer, socket } = send('203.0.113.5', part(30 * kib, 'a length'), 'a length', 'GET /')
    await eventually(() => expect(answer()).toBe('HTTP/1.1 200'))
    socket.write(part(30 * kib, 'a length'))
    await eventually(() => expect(socket.bytesWritten).toBeGreaterThan(60 * kib))
    await eventually(() => expect(requests.map(({ readableLength }) => readableLength)).toEqual([0]))
  })

  it('are 32 MiB of one address at once where nothing else is said, to the byte', async () => {
    refusals = []
    listener = createListener({
      requestId: () => 'x',
      origin: () => true,
      allowed: () => undefined,
      clients: createClients(['127.0.0.1']),
      bounds: testBounds({ refusals }),
    })
    listener.app.post('/', (request, reply) => reply.send(String((request.body as Buffer).length)))
    await listener.app.ready()
    port = await listenOn(listener.server, '127.0.0.1', 0)
    const most = 32 * 1024 * kib
    for (let each = 0; each < 33; each++) send('203.0.113.5', 'x'.repeat(999_000))
    await eventually(() => expect(listener.bodies.held).toBe(33 * 999_000))
    send('203.0.113.5', 'x'.repeat(most - 33 * 999_000))
    await eventually(() => expect(listener.bodies.held).toBe(most))
    const more = send('203.0.113.5', 'x')
    await eventually(() => expect(more.answer()).toBe('HTTP/1.1 429'))
    send('203.0.113.6', 'x')
    await eventually(() => expect(listener.bodies.held).toBe(most + 1))
    expect(refusals).toEqual(['bodies'])
  })
})
