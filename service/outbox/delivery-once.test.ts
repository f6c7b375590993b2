import { Agent } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deliverOnce, type Attempt } from './delivery-request.ts'
import { startReceiver, type Receiver } from './testing/receiver.ts'

let receiver: Receiver
let servers: Server[]
let sockets: Socket[]
beforeEach(async () => {
  receiver = await startReceiver()
  servers = []
  sockets = []
})
afterEach(async () => {
  await receiver.close()
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
})

const to = (address: string, addresses = ['127.0.0.1']) => ({ ok: true as const, url: new URL(address), addresses })
const never = (): AbortSignal => new AbortController().signal
const post = (address = receiver.url, more: Partial<Parameters<typeof deliverOnce>[0]> = {}): Promise<Attempt> =>
  deliverOnce({ target: to(address), body: '{"a":"b"}', headers: {}, signal: never(), ...more })
/** A receiver that answers each request with raw text; returns its address. */
async function raw(answer: (socket: Socket, count: number) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    let count = 0
    socket.on('data', () => answer(socket, ++count))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

it('posts the body as JSON with its length in bytes and headers of its kind, to path and query', async () => {
  const body = '{"a":"录像"}'
  expect(await post(`${receiver.url}?b=c`, { body, headers: { sign: 's' } })).toEqual({
    delivered: true,
    result: { code: 'status', params: { status: '200' } },
  })
  expect(receiver.received).toMatchObject([
    {
      path: '/recorded?b=c',
      body,
      headers: {
        'content-type': 'application/json;charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        sign: 's',
        host: `127.0.0.1:${receiver.port}`,
      },
    },
  ])
})

it('connects to the checked address, whatever the name of the host leads to', async () => {
  const address = `http://receiver.invalid:${receiver.port}/x`
  expect(await deliverOnce({ target: to(address), body: '{}', headers: {}, signal: never() })).toMatchObject({
    delivered: true,
  })
  expect(receiver.received[0]!.headers.host).toBe(`receiver.invalid:${receiver.port}`)
})

it('tells another status, and a redirect as one, from 300 to 399', async () => {
  for (const [status, code] of [
    [201, 'status'],
    [299, 'status'],
    [300, 'redirect'],
    [399, 'redirect'],
    [400, 'status'],
    [503, 'status'],
  ] as const) {
    receiver.answer = (_request, response) => void response.writeHead(status).end()
    expect(await post()).toEqual({ delivered: false, result: { code, params: { status: String(status) } } })
  }
})

it('does not wait for the rest of an answer of more than 4 KiB', async () => {
  receiver.answer = (_request, response) => {
    response.writeHead(200)
    response.write('x'.repeat(4096))
  }
  expect(await post()).toMatchObject({ delivered: true })
})

it('waits for the end of a shorter answer until it is told to stop, and keeps its status then', async () => {
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  receiver.answer = (_request, response) => {
    response.writeHead(200)
    response.write('x'.repeat(4095), () => resolve())
  }
  const ending = new AbortController()
  let isOver = false
  const running = post(receiver.url, { signal: ending.signal })
  const over = running.then(() => (isOver = true))
  await answered
  // One more request on another connection takes longer than what was written before it.
  receiver.answer = (_request, response) => void response.end()
  await post()
  expect(isOver).toBe(false)
  ending.abort()
  await over
  expect(await running).toMatchObject({ delivered: true, result: { code: 'status' } })
})

it('is late where it is told to stop before a status, also before it begins', async () => {
  expect(await post(receiver.url, { signal: AbortSignal.abort() })).toEqual({
    delivered: false,
    result: { code: 'late', params: {} },
  })
  expect(receiver.received).toEqual([])
  receiver.answer = () => undefined
  const ending = new AbortController()
  const running = post(receiver.url, { signal: ending.signal })
  await expect.poll(() => receiver.received.length).toBe(1)
  ending.abort()
  expect(await running).toEqual({ delivered: false, result: { code: 'late', params: {} } })
})

it('names what became of a connection, and nothing that a receiver says', async () => {
  const codeOf = async (address: string): Promise<string> => (await post(address)).result.code
  const closed = await raw(() => undefined)
  await new Promise((resolve) => servers.pop()!.close(resolve))
  expect(await codeOf(closed)).toBe('refused')
  expect(await codeOf(await raw((socket) => void socket.end()))).toBe('ended')
  expect(await codeOf(await raw((socket) => void socket.resetAndDestroy()))).toBe('ended')
  expect(await codeOf(await raw((socket) => void socket.end('hello\r\n\r\n')))).toBe('notHttp')
  const headersOf = (length: number) => (socket: Socket) =>
    void socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(length)}\r\ncontent-length: 0\r\n\r\n`)
  expect(await codeOf(await raw(headersOf(7000)))).toBe('status')
  expect(await codeOf(await raw(headersOf(8192)))).toBe('headers')
  const upgrade = 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
  expect((await post(await raw((socket) => void socket.write(upgrade)))).delivered).toBe(false)
})

it('is not delivered with headers that no request can have', async () => {
  expect(await post(receiver.url, { headers: { sign: 'a\nb' } })).toEqual({
    delivered: false,
    result: { code: 'failedWith', params: { system: 'ERR_INVALID_CHAR' } },
  })
  expect(receiver.received).toEqual([])
})

it('sends again over a new connection where a kept one gives no answer, and only there', async () => {
  const counts: number[] = []
  const address = await raw((socket, count) => {
    counts.push(count)
    if (count > 1) socket.destroy()
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect(await post(address, { agent })).toMatchObject({ delivered: true })
  expect(await post(address, { agent })).toMatchObject({ delivered: true })
  expect([counts, sockets.length]).toEqual([[1, 2, 1], 2])
  agent.destroy()
  // The first one of a new agent is not tried again.
  const silent = new Agent({ keepAlive: true })
  const cuts = await raw((socket) => void socket.destroy())
  expect(await post(cuts, { agent: silent })).toMatchObject({ delivered: false, result: { code: 'ended' } })
  expect(sockets).toHaveLength(3)
  silent.destroy()
})

it('ends the connection of an answer that is not delivered, and keeps that of one that is', async () => {
  const agent = new Agent({ keepAlive: true })
  let ended = 0
  const address = await raw((socket, count) => {
    socket.once('close', () => void ended++)
    socket.write(`HTTP/1.1 ${count === 1 ? 200 : 500} X\r\ncontent-length: 0\r\n\r\n`)
  })
  await post(address, { agent })
  await expect.poll(() => Object.keys(agent.freeSockets).length).toBe(1)
  expect(ended).toBe(0)
  expect(await post(address, { agent })).toMatchObject({ delivered: false })
  await expect.poll(() => ended).toBeGreaterThan(0)
  agent.destroy()
})
