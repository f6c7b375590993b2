import http from 'node:http'
import net from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { signHeader } from '../../contract/callbacks/recording.ts'
import type { ListenerBounds } from '../../platform/bounded-listener.ts'
import { until } from '../testing/rig.ts'
import { type CallbackListener, type Incoming, listenForCallbacks, postMessage } from './callback-listener.ts'

const most = 100
let came: Incoming[]
let refused: string[]
let status: () => Promise<number>
let listener: CallbackListener
beforeEach(async () => {
  came = []
  refused = []
  status = () => Promise.resolve(200)
  const bounds: ListenerBounds = {
    places: { all: 64, perAddress: 32, perLoopback: 48 },
    descriptors: { take: () => true, give: () => undefined },
    refused: (why) => refused.push(why),
  }
  const receive = (incoming: Incoming) => {
    came.push(incoming)
    return status()
  }
  listener = await listenForCallbacks('127.0.0.1', 0, receive, { path: '/callback', most, bounds })
})
afterEach(() => listener.close())

interface Answered {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}
const ask = (
  body: string | Buffer = '',
  { path = '/callback', method = 'POST', headers = {} }: { path?: string; method?: string; headers?: object } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port: listener.port, path, method, agent: false, headers: { ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      },
    )
    request.on('error', reject)
    request.end(body)
  })

it('hands on the body, the sender, the headers, the signature and the mark of a test', async () => {
  const headers = { [signHeader]: 'abc', 'x-sidestage-test': 'token', 'x-more': 'y' }
  expect((await ask('{"a":1}', { headers })).status).toBe(200)
  expect(came).toHaveLength(1)
  const [{ body, sign, from, test, headers: told }] = came as [Incoming]
  expect([body.toString(), sign, from, test, told['x-more']]).toEqual(['{"a":1}', 'abc', '127.0.0.1', 'token', 'y'])
})

it('knows neither signature nor test where there is none', async () => {
  await ask('x')
  expect([came[0]!.sign, came[0]!.test]).toEqual([undefined, undefined])
})

it('answers in JSON with the status that it was told, on a connection that it closes', async () => {
  status = () => Promise.resolve(403)
  const answer = await ask('x')
  expect([answer.status, answer.text]).toEqual([403, '{"code":403}'])
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': '12',
    connection: 'close',
  })
})

it('answers 500 where a message could not be taken', async () => {
  status = () => Promise.reject(new Error('why'))
  const answer = await ask('x')
  expect([answer.status, answer.text]).toEqual([500, '{"code":500}'])
})

it('takes POSTs to its path, whatever their query, and nothing else', async () => {
  expect((await ask('x', { path: '/callback?a=1' })).status).toBe(200)
  expect((await ask('x', { path: '/callback/' })).status).toBe(404)
  expect((await ask('x', { path: '/' })).status).toBe(404)
  expect((await ask('', { method: 'GET' })).status).toBe(405)
  expect((await ask('x', { method: 'PUT' })).status).toBe(405)
  // Where there is nothing, no method is right.
  expect((await ask('', { path: '/other', method: 'GET' })).status).toBe(404)
  expect(came).toHaveLength(1)
})

it('takes a body of its bound, and none of a byte more, announced or not', async () => {
  expect((await ask('x'.repeat(most))).status).toBe(200)
  expect((await ask('x'.repeat(most + 1), { headers: { 'content-length': most + 1 } })).status).toBe(413)
  expect((await ask('x'.repeat(most + 1), { headers: { 'transfer-encoding': 'chunked' } })).status).toBe(413)
  expect(came).toHaveLength(1)
  expect(refused).toEqual([])
})

it('holds the bytes of 16 bodies of its bound and no more, and takes them again when they are gone', async () => {
  const slow = Promise.withResolvers<number>()
  status = () => slow.promise
  const held = Array.from({ length: 16 }, () => ask('x'.repeat(most)))
  await until('all of them', () => came.length === 16)
  expect((await ask('x')).status).toBe(503)
  expect(refused).toEqual(['bodies'])
  slow.resolve(200)
  expect((await Promise.all(held)).map((answer) => answer.status)).toEqual(Array(16).fill(200))
  await until('room', async () => (await ask('x')).status === 200)
})

it('hands on nothing of who goes away before the end of a body', async () => {
  const socket = net.connect(listener.port, '127.0.0.1')
  socket.write('POST /callback HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf')
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.destroy()
  expect((await ask('x')).status).toBe(200)
  expect(came).toHaveLength(1)
})

it('closes the connection of who speaks no HTTP', async () => {
  const socket = net.connect(listener.port, '127.0.0.1', () => socket.write('hello\r\n\r\n'))
  socket.on('error', () => undefined)
  let said = ''
  socket.on('data', (part: Buffer) => (said += part.toString()))
  await new Promise((resolve) => socket.once('close', resolve))
  expect([said, came]).toEqual(['', []])
})

it('ends its connections when it is closed, and listens no longer', async () => {
  status = () => new Promise(() => undefined)
  const waiting = ask('x').catch((error: NodeJS.ErrnoException) => error.code)
  await until('the message', () => came.length === 1)
  await listener.close()
  expect(await waiting).toBe('ECONNRESET')
  await expect(ask('x')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

it('rejects where its port is taken', async () => {
  const bounds: ListenerBounds = {
    places: { all: 1, perAddress: 1, perLoopback: 1 },
    descriptors: { take: () => true, give: () => undefined },
    refused: () => undefined,
  }
  await expect(
    listenForCallbacks('127.0.0.1', listener.port, () => Promise.resolve(200), { path: '/', most, bounds }),
  ).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

it('posts a message with its own headers and the mark of a test, and gives the status', async () => {
  const target = { host: '127.0.0.1', port: listener.port, path: '/callback' }
  status = () => Promise.resolve(418)
  expect(await postMessage(target, { body: '{"é":1}', headers: { [signHeader]: 'abc' }, test: 'mine' })).toBe(418)
  expect([came[0]!.body.toString(), came[0]!.sign, came[0]!.test, came[0]!.headers['content-type']]).toEqual([
    '{"é":1}',
    'abc',
    'mine',
    'application/json;charset=utf-8',
  ])
})

it('waits 10 s for the answer to a message of its own', async () => {
  const asking = vi.spyOn(http, 'request')
  status = () => new Promise(() => undefined)
  const target = { host: '127.0.0.1', port: listener.port, path: '/callback' }
  const posting = postMessage(target, { body: 'x', headers: {}, test: 'mine' })
  await until('the message', () => came.length === 1)
  const request = asking.mock.results[0]!.value as http.ClientRequest
  asking.mockRestore()
  expect(request.socket?.timeout).toBe(10_000)
  request.socket?.emit('timeout')
  await expect(posting).rejects.toThrow('no answer in time')
})

it('rejects a message of its own to a port that nobody listens at', async () => {
  const { port } = listener
  await listener.close()
  await expect(
    postMessage({ host: '127.0.0.1', port, path: '/callback' }, { body: 'x', headers: {}, test: 'mine' }),
  ).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
