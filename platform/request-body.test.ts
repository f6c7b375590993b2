import { once } from 'node:events'
import type http from 'node:http'
import net from 'node:net'
import tls from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { generate } from 'selfsigned'
import { createHttpListener, type HttpListenerOptions } from './bounded-listener.ts'
import { createDescriptorBudget } from './descriptors.ts'
import { maxAnnounced } from './request-body.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Peer {
  readonly socket: net.Socket
  /** The answer so far. */
  said(): string
  /** Resolves when the answer contains this text. */
  heard(text: string): Promise<void>
  /** Resolves when the connection has ended. */
  readonly gone: Promise<unknown>
}

async function listen(
  handler: http.RequestListener,
  options: HttpListenerOptions = {},
): Promise<{ readonly refusals: string[]; connect(): Promise<Peer> }> {
  const refusals: string[] = []
  const places = { all: 10, perAddress: 10, perLoopback: 10 }
  const bounds = {
    places,
    descriptors: createDescriptorBudget(4096).share(1),
    refused: (why: string) => void refusals.push(why),
  }
  const server = createHttpListener(bounds, handler, options)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  cleanups.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return {
    refusals,
    async connect() {
      const socket = options.tls
        ? tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
        : net.connect({ host: '127.0.0.1', port })
      cleanups.push(() => socket.destroy())
      socket.on('error', () => undefined)
      const gone = once(socket, 'close')
      let said = ''
      const waiting = new Set<() => void>()
      socket.on('data', (bytes: Buffer) => {
        said += bytes.toString('latin1')
        for (const look of waiting) look()
      })
      await once(socket, options.tls ? 'secureConnect' : 'connect')
      return {
        socket,
        said: () => said,
        gone,
        heard: (text) =>
          new Promise((resolve) => {
            const look = (): void => {
              if (!said.includes(text)) return
              waiting.delete(look)
              resolve()
            }
            waiting.add(look)
            look()
          }),
      }
    },
  }
}

const fine: http.RequestListener = ({ url }, response) => void response.end(`fine ${url}`)
/** Answers with the length of the body. */
const whole: http.RequestListener = (request, response) => {
  let bytes = 0
  request.on('data', (part: Buffer) => (bytes += part.length)).on('end', () => response.end(`bytes ${bytes}`))
}
const chunked = (path: string): string => `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
const small = '1\r\nx\r\n'
/** Writes until the connection ends, as fast as possible. */
async function writeOn({ socket, gone }: Peer, bytes: string): Promise<void> {
  let isGone = false
  const end = gone.then(() => (isGone = true))
  while (!isGone) {
    if (!socket.writable) await end
    else if (socket.write(bytes)) await new Promise((resolve) => setImmediate(resolve))
    else await Promise.race([end, once(socket, 'drain').catch(() => undefined)])
  }
}

describe('a body that goes on after its answer', () => {
  it.each(['plain', 'TLS'])('in chunks ends the connection, after the answer (%s)', async (how) => {
    const keys =
      how === 'TLS' ? await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256' }) : undefined
    const one = await listen(fine, keys && { tls: { cert: keys.cert, key: keys.private } })
    const peer = await one.connect()
    peer.socket.write(chunked('/a'))
    await peer.heard('fine /a')
    await writeOn(peer, small.repeat(2000))
    expect(one.refusals).toEqual(['body'])
  })

  it('and was announced as longer than a listener takes ends the connection, after the answer', async () => {
    const one = await listen(fine, { maxAnnounced: 100_000 })
    const peer = await one.connect()
    let ended = false
    peer.socket.once('end', () => (ended = true))
    peer.socket.write(`POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 400000\r\n\r\n`)
    // The client sends its whole body before it reads.
    peer.socket.pause().write(Buffer.alloc(399_999))
    peer.socket.resume()
    await peer.heard('fine /a')
    await peer.gone
    expect([ended, one.refusals]).toEqual([true, ['body']])
  })

  it('but ends within the bounds leaves the connection usable', async () => {
    const one = await listen(fine)
    const peer = await one.connect()
    peer.socket.write(chunked('/a'))
    await peer.heard('fine /a')
    peer.socket.write(`${small.repeat(40)}0\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n`)
    await peer.heard('fine /b')
    peer.socket.write(`POST /c HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 900000\r\n\r\n`)
    await peer.heard('fine /c')
    expect(peer.said()).toContain('100 Continue')
    peer.socket.write(Buffer.alloc(900_000))
    peer.socket.write('GET /d HTTP/1.1\r\nHost: x\r\n\r\n')
    await peer.heard('fine /d')
    expect(one.refusals).toEqual([])
  })
})

describe('a body in chunks', () => {
  it('of one byte ends the connection before it is whole, read or not', async () => {
    for (const handler of [whole, () => undefined]) {
      const one = await listen(handler)
      const peer = await one.connect()
      peer.socket.write(chunked('/a'))
      await writeOn(peer, small.repeat(2000))
      expect([one.refusals, peer.said()]).toEqual([['body'], ''])
    }
  })

  it('is whole when they are of the usual size, or few', async () => {
    const one = await listen(whole)
    const peer = await one.connect()
    const piece = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    peer.socket.write(`${chunked('/a')}${piece.repeat(200)}0\r\n\r\n`)
    await peer.heard(`bytes ${200 * 0x4000}`)
    peer.socket.write(`${chunked('/b')}${small.repeat(500)}0\r\n\r\n`)
    await peer.heard('bytes 500')
    expect(one.refusals).toEqual([])
  })
})

it('a body of 1 MiB may be announced where no other bound is given', () => {
  expect(maxAnnounced).toBe(1_048_576)
})
