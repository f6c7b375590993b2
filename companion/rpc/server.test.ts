import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/websocket'
import type { ContractRouterClient } from '@orpc/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Rpc } from '../../contract/rpc/index.ts'
import { bridgeLines } from '../remote-rooms/line-bridge.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { scratch } from '../testing/rig.ts'
import { type Line, refused } from '../lines/connection.ts'
import { createInflow, inflowBurst } from '../lines/inflow.ts'
import { portLine, type PortLike } from '../lines/lines.ts'
import type { RouterPorts } from './ports.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'
import { createRpcServer } from './server.ts'

const folder = scratch()
let child: ChildProcess
let url = ''
/** What it wrote to its standard error. */
let printed = ''
const asked = async <T>(): Promise<T> => {
  child.send({})
  const [answer] = (await once(child, 'message')) as [T]
  return answer
}
const memory = async (): Promise<number> => (await asked<{ memory: number }>()).memory
const opened = async (): Promise<WebSocket> => {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  socket.on('error', () => undefined)
  await once(socket, 'open')
  return socket
}
const call = (i: string, path: string): string => JSON.stringify({ i, p: { u: `/${path}`, b: { json: {} } } })
/** Sends a text until the connection is closed, `most` characters at most; resolves with what was sent and the code. */
const flood = async (
  socket: WebSocket,
  text: (n: number) => string,
  most: number,
): Promise<{ sent: number; code: number }> => {
  const closed = once(socket, 'close')
  let sent = 0
  for (let n = 0; sent < most && socket.readyState === socket.OPEN; n++) {
    const frame = text(n)
    sent += frame.length
    await new Promise<void>((resolve) => {
      socket.send(frame, () => resolve())
    })
    if (n % 16 === 0) await new Promise<void>((resolve) => void setImmediate(resolve))
  }
  if (socket.readyState === socket.OPEN) socket.close(1000)
  const [code] = (await closed) as [number]
  return { sent, code }
}

beforeAll(async () => {
  child = fork(fileURLToPath(new URL('testing/server-child.ts', import.meta.url)), [folder.dir], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  child.stderr!.on('data', (bytes: Buffer) => (printed += bytes.toString('utf8')))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  url = `ws://127.0.0.1:${port}`
})
afterAll(async () => {
  child.kill('SIGKILL')
  await once(child, 'exit')
  folder[Symbol.dispose]()
})

describe('a page that sends without an end', () => {
  const part = 'x'.repeat(200_000)
  const floods: Readonly<Record<string, (n: number) => string>> = {
    'parts of a stream into a subscription': () =>
      JSON.stringify({ i: 's', t: 3, p: { event: 'message', data: part } }),
    'calls with an id that is open': () => JSON.stringify({ i: 's', p: { u: '/app/events', b: { json: { part } } } }),
    'calls that are not known': (n) => JSON.stringify({ i: `c${n}`, p: { u: '/app/none', b: { json: { part } } } }),
  }
  it.each(Object.keys(floods))(
    'is closed with a code, in bounded memory, while another page goes on: %s',
    async (kind) => {
      const other = await opened()
      const rpc = createORPCClient<ContractRouterClient<Rpc>>(
        new RPCLink({ websocket: other as unknown as globalThis.WebSocket }),
      )
      expect((await rpc.app.about()).version).toBe('0.0.0')
      const socket = await opened()
      socket.send(call('s', 'app/events'))
      await once(socket, 'message')
      const before = await memory()
      const { sent, code } = await flood(socket, floods[kind]!, 400_000_000)
      expect(code).toBe(refused)
      expect(sent).toBeLessThan(400_000_000)
      expect((await memory()) - before).toBeLessThan(100_000_000)
      expect((await rpc.app.about()).version).toBe('0.0.0')
      other.close()
    },
  )
})

it.each<[string, object]>([
  ['headers, which no page has', { u: '/app/about', h: { 'content-type': 'multipart/form-data' }, b: 'x' }],
  ['another method', { u: '/app/about', m: 'GET', b: {} }],
  ['an address for a path', { u: 'http://[', b: {} }],
  ['a path that is no text', { u: 7, b: {} }],
  ['no path', { b: {} }],
  [
    'thousands of lists within each other',
    { u: '/app/about', b: { json: JSON.parse('['.repeat(4_000) + ']'.repeat(4_000)) as unknown } },
  ],
])('a page that sends %s is closed at the first, and nothing is printed', async (_what, content) => {
  const before = printed
  const socket = await opened()
  const closed = once(socket, 'close')
  socket.send(JSON.stringify({ i: '1', p: content }))
  expect((await closed)[0]).toBe(refused)
  // What was printed would have come before this answer.
  await memory()
  expect(printed).toBe(before)
})

it('a call may hold brackets in its texts, as many as they have room for', async () => {
  const socket = await opened()
  const answered = once(socket, 'message')
  socket.send(JSON.stringify({ i: '1', p: { u: '/app/about', b: { json: { text: `\\"${'[{'.repeat(1_000)}` } } } }))
  expect(JSON.parse(String((await answered)[0]))).toMatchObject({ i: '1' })
  socket.close()
})

it('a page that sends a part of a stream is closed at the first: slowly, it would fill the memory as well', async () => {
  const socket = await opened()
  socket.send(call('s', 'app/events'))
  await once(socket, 'message')
  const closed = once(socket, 'close')
  socket.send(JSON.stringify({ i: 's', t: 3, p: { event: 'message', data: 'x' } }))
  expect((await closed)[0]).toBe(refused)
})

const endless = (line: Line, attach: (line: Line) => void): { closed: () => number | undefined } => {
  let closed: number | undefined
  attach({
    ...line,
    close: (code) => {
      closed = code ?? 0
      line.close(code)
    },
  })
  return { closed: () => closed }
}

it('the bridge to a room elsewhere closes a page that sends without an end, over a port as well', async () => {
  const { port1, port2 } = new MessageChannel()
  const ended = once(port2, 'close')
  let passed = 0
  const host = {
    bufferedAmount: 0,
    readyState: 1,
    OPEN: 1,
    isPaused: false,
    on: () => undefined,
    ping: () => undefined,
    resume: () => undefined,
    pause: () => undefined,
    terminate: () => undefined,
    send: () => void passed++,
  }
  const line = endless(
    portLine(port1 as unknown as PortLike),
    (page) => void bridgeLines(page, () => Promise.resolve(host as unknown as WebSocket), manualClock()),
  )
  await Promise.resolve()
  for (let n = 0; n < inflowBurst.frames * 2; n++) port2.postMessage('{"i":1,"t":4}')
  await ended
  expect(line.closed()).toBe(refused)
  expect(passed).toBeLessThanOrEqual(inflowBurst.frames)
})

it('gives what was not used back with time, and nothing for a clock that was set', () => {
  const clock = manualClock()
  const inflow = createInflow(clock)
  for (let n = 0; n < inflowBurst.frames; n++) expect(inflow.take(1)).toBe(true)
  for (const set of [3_600_000, -7_200_000]) {
    clock.set(set)
    expect(inflow.take(1)).toBe(false)
  }
  clock.advance(1_000)
  expect(inflow.take(1)).toBe(true)
  expect(inflow.take(inflowBurst.characters + 1)).toBe(false)
})

it('counts what comes of a seat over all its pages, opened anew or side by side, and nothing of it against others', () => {
  const clock = manualClock()
  const server = createRpcServer({ clock, log: () => undefined } as unknown as RouterPorts)
  const page = (id: string) => {
    let hear = (_text: string): void => undefined
    const line = endless(
      {
        send: () => undefined,
        onMessage: (listener) => (hear = listener),
        onClose: () => undefined,
        backlog: () => 0,
        close: () => undefined,
      },
      (each) => void server.attach(each, { id } as ConnectedSeat),
    )
    return { ...line, say: (frames: number) => Array.from({ length: frames }, () => hear('{"i":1,"t":4}')) }
  }
  const [one, two, other] = [page('rob'), page('rob'), page('mei')]
  one.say(inflowBurst.frames / 2)
  two.say(inflowBurst.frames / 2)
  expect([one.closed(), two.closed()]).toEqual([undefined, undefined])
  one.say(1)
  expect(one.closed()).toBe(refused)
  const again = page('rob')
  again.say(1)
  other.say(inflowBurst.frames)
  expect([again.closed(), other.closed()]).toEqual([refused, undefined])
  clock.advance(60_000)
  // Rob's share is whole again, and no larger for a third who comes.
  page('kim').say(1)
  two.say(inflowBurst.frames)
  expect(two.closed()).toBeUndefined()
  two.say(1)
  expect(two.closed()).toBe(refused)
})
