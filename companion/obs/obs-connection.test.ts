import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { type ManualClock, manualClock } from '../../platform/testing/manual-clock.ts'
import { until } from '../testing/rig.ts'
import { maxFlood, maxPayload, obsConnections, patience } from './obs-connection.ts'
import { ConnectionFault, type ObsConnection, ObsRejection } from './obs-protocol.ts'

const hello = { obsWebSocketVersion: '5.1.0', rpcVersion: 1 }
/** An OBS whose every message a test writes; it logs in and answers each request with its name. */
let server: WebSocketServer
let socket: WebSocket | undefined
let identified: unknown
let answers: (type: string, requestId: string) => object | undefined
let greeting: object
let negotiated: number
let clock: ManualClock
let states: string[]
let closed: ConnectionFault['reason'][]

beforeEach(async () => {
  clock = manualClock()
  server = await serverAt('127.0.0.1')
  socket = undefined
  identified = undefined
  greeting = hello
  negotiated = 1
  answers = (type, requestId) => ({ requestId, requestStatus: { result: true, code: 100 }, responseData: { type } })
  states = []
  closed = []
})
afterEach(() => end(server))

async function serverAt(host: string): Promise<WebSocketServer> {
  const made = new WebSocketServer({ host, port: 0, handleProtocols: () => 'obswebsocket.json' })
  await new Promise((resolve) => made.once('listening', resolve))
  made.on('connection', (opened) => {
    socket = opened
    opened.on('error', () => undefined)
    opened.on('message', (data: Buffer) => {
      const { op, d } = JSON.parse(data.toString('utf8')) as {
        op: number
        d: { requestType: string; requestId: string }
      }
      if (op === 1) {
        identified = d
        return send(2, { negotiatedRpcVersion: negotiated })
      }
      const answer = answers(d.requestType, d.requestId)
      if (answer) send(7, answer)
    })
    send(0, greeting)
  })
  return made
}
async function end(made: WebSocketServer): Promise<void> {
  for (const each of made.clients) each.terminate()
  await new Promise((resolve) => {
    made.close(resolve)
  })
}
const send = (op: number, d: object): void => socket?.send(JSON.stringify({ op, d }))
const port = (): number => (server.address() as AddressInfo).port
const open = (password?: string, host = '127.0.0.1'): Promise<ObsConnection> => {
  // Of this test: the end of the line of another one comes late.
  const [told, ended] = [states, closed]
  return obsConnections(clock)(
    { host, port: port(), password },
    { stream: (state) => told.push(state), closed: ({ reason }) => ended.push(reason) },
  )
}
const event = (eventType: string, eventData?: object): void => send(5, { eventType, eventData })
const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof ConnectionFault ? error.reason : error),
  )

it('logs in with version 1 of the protocol and asks for the events of outputs only', async () => {
  const line = await open()
  expect(identified).toEqual({ rpcVersion: 1, eventSubscriptions: 64 })
  expect(await line.request('GetVersion')).toEqual({ type: 'GetVersion' })
})

it('hands an OBS that asks for no password none, though one is kept', async () => {
  await open('of the double')
  expect(identified).not.toHaveProperty('authentication')
})

it('sends nothing to an OBS that asks for a password where none is kept', async () => {
  greeting = { ...hello, authentication: { challenge: 'c', salt: 's' } }
  expect(await faultOf(open())).toBe('noPassword')
  expect([identified, closed]).toEqual([undefined, []])
})

it.each([
  ['version 0 of the protocol', { ...hello, rpcVersion: 0 }, 1],
  ['a challenge of 257 characters', { ...hello, authentication: { challenge: 'c'.repeat(257), salt: 's' } }, 1],
  ['a version of 65 characters', { ...hello, obsWebSocketVersion: '5'.repeat(65) }, 1],
  ['another version than was asked for', hello, 2],
])('takes an OBS that greets with %s for a foreign service', async (_what, greets, agrees) => {
  greeting = greets
  negotiated = agrees
  expect(await faultOf(open('a password'))).toBe('foreign')
})

it.each([
  [4009, 'password'],
  [4010, 'version'],
  [4011, 'absent'],
  [1000, 'absent'],
] as const)('says of a line that OBS closes with %s: %s', async (code, reason) => {
  const line = await open()
  socket!.close(code)
  await until('the end', () => closed.length > 0)
  expect(closed).toEqual([reason])
  expect(await faultOf(line.request('GetStats'))).toBe(reason)
})

it('tells of a line that was never usable nothing but that it did not come up', async () => {
  server.removeAllListeners('connection')
  server.on('connection', (opened) => opened.close(4010))
  expect(await faultOf(open())).toBe('version')
  expect(closed).toEqual([])
})

it('tells the state of the stream only, not that of a recording or of another output', async () => {
  const line = await open()
  for (const other of ['RecordStateChanged', 'ReplayBufferStateChanged', 'VirtualcamStateChanged'])
    event(other, { outputState: 'OBS_WEBSOCKET_OUTPUT_STARTED' })
  event('StreamStateChanged', { outputState: 7 })
  event('StreamStateChanged')
  event('StreamStateChanged', { outputState: 'OBS_WEBSOCKET_OUTPUT_STARTING' })
  await line.request('GetStats')
  expect(states).toEqual(['OBS_WEBSOCKET_OUTPUT_STARTING'])
})

it('takes 200 messages within 2 s, and ends a line with one more', async () => {
  const line = await open()
  // Two messages were the log-in, and one answers the request.
  for (let sent = 0; sent < maxFlood - 3; sent++) event('InputVolumeMeters', {})
  await line.request('GetStats')
  expect([maxFlood, closed]).toEqual([200, []])
  clock.advance(2_000)
  event('InputVolumeMeters', {})
  await until('the end', () => closed.length > 0)
  expect(closed).toEqual(['flood'])
})

it('counts the messages of a line anew after 2 s', async () => {
  const line = await open()
  for (let times = 0; times < 3; times++) {
    clock.advance(2_001)
    for (let sent = 0; sent < maxFlood - 1; sent++) event('InputVolumeMeters', {})
    await line.request('GetStats')
  }
  expect(closed).toEqual([])
})

it('waits 10 s for the answer to a request and no longer, and keeps the line', async () => {
  const line = await open()
  answers = () => undefined
  let over: unknown
  const asked = faultOf(line.request('GetStats')).then((reason) => (over = reason))
  clock.advance(patience - 1)
  await new Promise((resolve) => setImmediate(resolve))
  expect([patience, over]).toEqual([10_000, undefined])
  clock.advance(1)
  await asked
  expect([over, closed]).toEqual(['slow', []])
})

it('gives a request that waits the reason why its line ended', async () => {
  const line = await open()
  let asked = false
  answers = () => void (asked = true)
  const waiting = faultOf(line.request('GetStats'))
  await until('the request', () => asked)
  socket!.send('no message')
  expect(await waiting).toBe('foreign')
  expect(closed).toEqual(['foreign'])
})

it('tells a refusal by its code, and takes no answer to another request for its own', async () => {
  const line = await open()
  answers = (_type, requestId) => {
    send(7, { requestId: `${requestId}0`, requestStatus: { result: true, code: 100 }, responseData: { wrong: true } })
    return { requestId, requestStatus: { result: false, code: 604 } }
  }
  const refusal = await line.request('StartStream').catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ObsRejection)
  expect((refusal as ObsRejection).code).toBe(604)
  expect(closed).toEqual([])
})

it('tells once that it is dropped, with the first reason that was named', async () => {
  const line = await open()
  line.drop(new ConnectionFault('slow'))
  line.drop(new ConnectionFault('foreign'))
  await until('the end', () => closed.length > 0)
  expect(closed).toEqual(['slow'])
  const other = await open()
  other.drop()
  await until('the end', () => closed.length > 1)
  expect(closed).toEqual(['slow', 'absent'])
})

it('reaches an OBS by an address of version 6', async () => {
  await end(server)
  server = await serverAt('::1')
  const line = await open(undefined, '::1')
  expect(await line.request('GetVersion')).toEqual({ type: 'GetVersion' })
})

it('reads a message of 256 KiB, and calls a longer one a flood', async () => {
  for (const [length, reason] of [
    [262_144, 'foreign'],
    [262_145, 'flood'],
  ] as const) {
    closed = []
    await open()
    socket!.send('x'.repeat(length))
    await until('the end', () => closed.length > 0)
    expect(closed).toEqual([reason])
  }
  expect(maxPayload).toBe(262_144)
})
