import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { listenOn } from '../port-binding.ts'
import { createListener, type Listener } from './listener.ts'
import { eventually } from '../testing/eventually.ts'
import { promised } from '../testing/machine-pace.ts'
import { testBounds } from '../testing/listener-bounds.ts'

let listener: Listener
let port: number
/** Requests of which the headers came. */
let asked = 0
const begin = async (times: { readonly headers: number; readonly request: number }): Promise<void> => {
  listener = createListener({
    requestId: () => 'x',
    origin: () => true,
    allowed: () => undefined,
    bounds: testBounds({ places: { all: 3, perAddress: 3, perLoopback: 3 } }),
    times: { ...times, check: 50 },
  })
  listener.app.addHook('onRequest', (_request, _reply, done) => {
    asked += 1
    done()
  })
  listener.app.post('/', (_request, reply) => reply.send('answered'))
  asked = 0
  await listener.app.ready()
  port = await listenOn(listener.server, '127.0.0.1', 0)
}
afterEach(() => listener.close(100))

/** Connects, sends, and tells what came until the other side closed, and after how many ms. */
const talk = (text: string, drip?: string): Promise<{ answer: string; took: number }> =>
  new Promise((resolve) => {
    const begun = performance.now()
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    const timer = setInterval(() => drip !== undefined && socket.writable && socket.write(drip), 50)
    socket.setEncoding('latin1').on('data', (part: string) => (answer += part))
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(timer)
      resolve({ answer, took: performance.now() - begun })
    })
  })
const connections = (): Promise<number> =>
  new Promise((resolve, reject) => listener.server.getConnections((fault, count) => (fault ? reject(fault) : resolve(count))))
const head = (): string => `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`

describe('a listener', () => {
  it.each<[string, () => string, string | undefined, number]>([
    ['says nothing', () => '', undefined, 300],
    ['sends its headers byte by byte', () => head(), 'X: y\r\n', 300],
    ['sends its body byte by byte', () => `${head()}Content-Length: 1000\r\n\r\n`, 'x', 600],
  ])('lets a peer go that %s', async (_what, text, drip, limit) => {
    await begin({ headers: 300, request: 600 })
    const { answer, took } = await promised(limit + 2000, () => talk(text(), drip))
    expect(took).toBeGreaterThan(limit * 0.9)
    if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*\{"code":408,/)
  })

  it('takes no more requests than it can hold connections, and takes new ones when others are gone', async () => {
    await begin({ headers: 60_000, request: 60_000 })
    const held = Array.from({ length: 3 }, () => connect(port, '127.0.0.1'))
    for (const socket of held) socket.write(`${head()}Content-Length: 10\r\n\r\n`)
    await eventually(() => expect(asked).toBe(3))
    expect((await talk(`${head()}Content-Length: 0\r\n\r\n`)).answer).toBe('')
    expect(held.every((socket) => socket.readable)).toBe(true)
    for (const socket of held) socket.destroy()
    await eventually(async () => expect(await connections()).toBe(0))
    expect((await talk(`${head()}Connection: close\r\nContent-Length: 0\r\n\r\n`)).answer).toMatch(/answered$/)
  })

  it('finishes what it began to answer before it closes', async () => {
    let release = (): void => {}
    const slow = (listener = createListener({ requestId: () => 'x', bounds: testBounds(), origin: () => true, allowed: () => undefined }))
    slow.app.post('/', async (_request, reply) => {
      await new Promise<void>((resolve) => (release = resolve))
      return reply.send('answered')
    })
    await slow.app.ready()
    port = await listenOn(slow.server, '127.0.0.1', 0)
    const answer = talk(`${head()}Content-Length: 0\r\n\r\n`)
    while (release.toString() === '() => {}') await new Promise((resolve) => setImmediate(resolve))
    await promised(1000, async () => {
      const closing = slow.close(5000)
      release()
      expect((await answer).answer).toMatch(/answered$/)
      await closing
    })
  })
})
