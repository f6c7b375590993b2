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
import { bridgeLines } from '../joining/line-bridge.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { scratch } from '../testing/rig.ts'
import { type Line, refused } from './connection.ts'
import { createInflow, inflowBurst } from './inflow.ts'
import { portLine, type PortLike } from './lines.ts'

const folder = scratch()
let child: ChildProcess
let url = ''
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
const flood = async (socket: WebSocket, text: (n: number) => string, most: number): Promise<{ sent: number; code: number }> => {
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
  child = fork(fileURLToPath(new URL('testing/server-child.ts', import.meta.url)), [folder.dir], { execArgv: ['--expose-gc'] })
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
    'parts of a stream into a subscription': () => JSON.stringify({ i: 's', t: 3, p: { event: 'message', data: part } }),
    'calls with an id that is open': () => JSON.stringify({ i: 's', p: { u: '/app/events', b: { json: { part } } } }),
    'calls that are not known': (n) => JSON.stringify({ i: `c${n}`, p: { u: '/app/none', b: { json: { part } } } }),
  }
  it.each(Object.keys(floods))('is closed with a code, in bounded memory, while another page goes on: %s', async (kind) => {
    const other = await opened()
    const rpc = createORPCClient<ContractRouterClient<Rpc>>(new RPCLink({ websocket: other as unknown as globalThis.WebSocket }))
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
  })
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

it('gives what was not used back with time, and nothing for a clock that was set back', () => {
  const clock = manualClock()
  let set = 0
  const inflow = createInflow({ ...clock, now: () => clock.now() + set })
  for (let n = 0; n < inflowBurst.frames; n++) expect(inflow.take(1)).toBe(true)
  set = -3_600_000
  expect(inflow.take(1)).toBe(false)
  clock.move(1_000)
  expect(inflow.take(1)).toBe(true)
  expect(inflow.take(inflowBurst.characters + 1)).toBe(false)
})
