import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { TimedOut } from '../failure.ts'
import { createTransport, type Transport } from './transport.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})
async function urlOf(server: net.Server): Promise<URL> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.close()
    if (server instanceof http.Server) server.closeAllConnections()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`)
}
const transportOf = (limits = {}): Transport => {
  const transport = createTransport({ limits })
  closing.push(() => transport.close())
  return transport
}

it('takes an answer of exactly the bytes that it may have, and no more', async () => {
  let size = 100
  const url = await urlOf(http.createServer((_request, response) => response.end('x'.repeat(size))))
  const transport = transportOf({ answerBytes: 100 })
  expect((await transport.ask({ url, headers: {}, body: '' })).text).toHaveLength(100)
  size = 101
  await expect(transport.ask({ url, headers: {}, body: '' })).rejects.toMatchObject({
    data: { kind: 'notOurs', detail: `${url.host}: the answer is larger than 100 bytes` },
  })
})

it('sends the length of a body in bytes, and gives status and headers back', async () => {
  const seen: unknown[] = []
  const url = await urlOf(
    http.createServer((request, response) => {
      seen.push(request.method, request.headers['content-length'], request.headers['x-own'])
      request.resume()
      response.writeHead(418, { 'x-answer': 'y' }).end('é')
    }),
  )
  expect(await transportOf().ask({ url, headers: { 'x-own': 'z' }, body: '录像' })).toMatchObject({
    status: 418,
    headers: { 'x-answer': 'y' },
    text: 'é',
  })
  expect(seen).toEqual(['POST', '6', 'z'])
})

it('asks a second time only where a kept connection was closed, not where a new one is', async () => {
  let connections = 0
  const cut = net.createServer((socket) => {
    connections++
    socket.on('error', () => undefined)
    socket.once('data', () => socket.resetAndDestroy())
  })
  const url = await urlOf(cut)
  await expect(transportOf().ask({ url, headers: {}, body: '' })).rejects.toMatchObject({
    data: { kind: 'unreachable' },
  })
  expect(connections).toBe(1)
})

it('has at most 16 connections to a service, and the further requests wait for one of them', async () => {
  const waiting: http.ServerResponse[] = []
  let connections = 0
  const server = http.createServer((_request, response) => void waiting.push(response))
  server.on('connection', () => connections++)
  const url = await urlOf(server)
  const transport = transportOf()
  const answers = Array.from({ length: 20 }, () => transport.ask({ url, headers: {}, body: '' }))
  await expect.poll(() => waiting.length).toBe(16)
  for (const response of waiting.splice(0)) response.end('first')
  await expect.poll(() => waiting.length).toBe(4)
  for (const response of waiting) response.end('second')
  expect((await Promise.all(answers)).map(({ text }) => text).filter((text) => text === 'second')).toHaveLength(4)
  expect(connections).toBe(16)
})

it('gives up on an answer whose next part does not come in time', async () => {
  const url = await urlOf(http.createServer((_request, response) => response.write('part')))
  await expect(transportOf({ patience: 60 }).ask({ url, headers: {}, body: '' })).rejects.toMatchObject({
    data: { kind: 'unreachable', detail: `${url.host}: the answer stopped` },
  })
})

it('gives up on an answer that comes in parts without an end, also where a stream was asked for', async () => {
  const open = new Set<http.ServerResponse>()
  const server = http.createServer((_request, response) => {
    const timer = setInterval(() => response.write(' '), 5)
    open.add(response)
    response.on('close', () => {
      clearInterval(timer)
      open.delete(response)
    })
  })
  const url = await urlOf(server)
  const transport = transportOf({ whole: 100 })
  const late = { data: { kind: 'unreachable', detail: `${url.host}: the answer was not whole in 0.1 s` } }
  await expect(transport.ask({ url, headers: {}, body: '' })).rejects.toMatchObject(late)
  const { body } = await transport.open({ url, headers: {}, body: '' })
  const read = transport.readText(body, url, 100_000)
  await expect(read).rejects.toMatchObject(late)
  await expect(read).rejects.toBeInstanceOf(TimedOut)
  await expect.poll(() => open.size).toBe(0)
})

it('gives 30 s to a whole answer where no other time is given, and leaves no timer behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const turned = () => new Promise((resolve) => setImmediate(resolve))
    const given = new http.IncomingMessage(new net.Socket())
    const url = new URL('http://live.example/x')
    let failed: unknown
    const reading = transportOf()
      .readText(given, url, 100)
      .catch((error: unknown) => (failed = error))
    for (let second = 0; second < 29; second++) {
      given.push(' ')
      vi.advanceTimersByTime(1_000)
      await turned()
    }
    vi.advanceTimersByTime(999)
    await turned()
    expect(failed).toBeUndefined()
    vi.advanceTimersByTime(1)
    await reading
    expect(failed).toMatchObject({ data: { kind: 'unreachable' } })
    const whole = new http.IncomingMessage(new net.Socket())
    whole.push('whole')
    whole.push(null)
    expect(await transportOf().readText(whole, url, 100)).toBe('whole')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('opens a body without reading it, for which no time is set after the headers', async () => {
  const responses: http.ServerResponse[] = []
  const url = await urlOf(
    http.createServer((_request, response) => {
      responses.push(response)
      response.writeHead(201, { 'x-answer': 'y' })
      response.write('first')
    }),
  )
  const { status, headers, body } = await transportOf({ patience: 1_000, answerBytes: 3 }).open({
    url,
    headers: {},
    body: '',
  })
  expect([status, headers['x-answer']]).toEqual([201, 'y'])
  responses[0]!.end('second')
  let text = ''
  for await (const part of body as AsyncIterable<Buffer>) text += part.toString()
  expect(text).toBe('firstsecond')
})

it('takes an answer of 8 MiB where no other bound is given, and no more', async () => {
  let size = 8 * 1024 * 1024
  const url = await urlOf(http.createServer((_request, response) => response.end(Buffer.alloc(size, 120))))
  const transport = transportOf()
  expect((await transport.ask({ url, headers: {}, body: '' })).text).toHaveLength(8_388_608)
  size++
  await expect(transport.ask({ url, headers: {}, body: '' })).rejects.toMatchObject({ data: { kind: 'notOurs' } })
})

it('waits 10 s for the headers of an answer, and as long for its next part, where no other time is given', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    let asked = 0
    let answers = false
    const url = await urlOf(
      http.createServer((_request, response) => {
        asked++
        if (answers) response.writeHead(200).write('part')
      }),
    )
    const turned = () => new Promise((resolve) => setImmediate(resolve))
    const transport = transportOf()
    let failed: unknown
    const waiting = transport.ask({ url, headers: {}, body: '' }).catch((error: unknown) => (failed = error))
    while (asked === 0) await turned()
    vi.advanceTimersByTime(9_999)
    await turned()
    expect(failed).toBeUndefined()
    vi.advanceTimersByTime(1)
    await waiting
    expect(failed).toMatchObject({ data: { kind: 'unreachable', detail: `${url.host}: no answer in 10 s` } })
    expect(failed).toBeInstanceOf(TimedOut)
    answers = true
    const { body } = await transport.open({ url, headers: {}, body: '' })
    // Nothing of the time for the headers is left.
    expect(vi.getTimerCount()).toBe(0)
    body.on('error', () => undefined).destroy()
  } finally {
    vi.useRealTimers()
  }
})

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
  ['CERT_HAS_EXPIRED', 'certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
  ['HOSTNAME_MISMATCH', 'certificate'],
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'unreachable'],
  ['ECONNRESET', 'unreachable'],
  ['EPROTO', 'unreachable'],
])('says of %s that a service is: %s', async (code, kind) => {
  const transport = transportOf()
  const asking = vi.spyOn(http, 'request')
  try {
    asking.mockImplementation(() => {
      const sent = new EventEmitter()
      return Object.assign(sent, {
        end: () => queueMicrotask(() => sent.emit('error', Object.assign(new Error('words'), { code }))),
      }) as unknown as http.ClientRequest
    })
    const url = new URL('http://live.example:8710/x')
    await expect(transport.ask({ url, headers: {}, body: '' })).rejects.toMatchObject({
      data: { kind, detail: `live.example:8710: ${code}` },
    })
  } finally {
    asking.mockRestore()
  }
})
