import net, { type AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { beganWithProxyHeader, cameThroughTls, hearProxy } from './proxied-socket.ts'

interface Heard {
  readonly socket: net.Socket
  done: number
  failed: number
  said: string
}
let server: net.Server
let peer: net.Socket
let heard: Heard
const patience = 1_000

beforeEach(async () => {
  const came = Promise.withResolvers<Heard>()
  server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const one: Heard = { socket, done: 0, failed: 0, said: '' }
    socket.on('error', () => undefined)
    hearProxy(socket, {
      patience,
      done: () => {
        one.done++
        socket.on('data', (part: Buffer) => (one.said += part.toString('latin1')))
      },
      failed: () => {
        one.failed++
        socket.destroy()
      },
    })
    came.resolve(one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  peer = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
  peer.on('error', () => undefined)
  heard = await came.promise
})
afterEach(async () => {
  vi.useRealTimers()
  peer.destroy()
  heard.socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})
const turnedTo = async (look: () => boolean): Promise<void> => {
  while (!look()) await new Promise((resolve) => setImmediate(resolve))
}

it('leaves what a peer without a header says unread, and its address as it is', async () => {
  peer.write('GET / HTTP/1.1\r\n')
  await turnedTo(() => heard.said !== '')
  expect([heard.said, heard.done, heard.failed]).toEqual(['GET / HTTP/1.1\r\n', 1, 0])
  expect([beganWithProxyHeader(heard.socket), cameThroughTls(heard.socket)]).toEqual([false, false])
  expect(heard.socket.remoteAddress).toBe('127.0.0.1')
})

it('takes the addresses of a header, which may come in parts, and leaves what is behind it', async () => {
  const header = 'PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n'
  peer.write(header.slice(0, 10))
  await turnedTo(() => heard.socket.bytesRead === 10)
  expect(heard.done).toBe(0)
  peer.write(`${header.slice(10)}hello`)
  await turnedTo(() => heard.said !== '')
  const { remoteAddress, remotePort, localAddress } = heard.socket
  expect([remoteAddress, remotePort, localAddress]).toEqual(['203.0.113.7', 4711, '192.0.2.1'])
  expect([heard.said, heard.done, beganWithProxyHeader(heard.socket), cameThroughTls(heard.socket)]).toEqual([
    'hello',
    1,
    true,
    false,
  ])
})

it('knows a header without an address as one, and leaves the address', async () => {
  peer.write('PROXY UNKNOWN\r\nhello')
  await turnedTo(() => heard.said !== '')
  expect([heard.said, beganWithProxyHeader(heard.socket), heard.socket.remoteAddress]).toEqual([
    'hello',
    true,
    '127.0.0.1',
  ])
})

it('knows by a header of version 2 that its peer came through TLS', async () => {
  const addresses = Buffer.from([203, 0, 113, 7, 192, 0, 2, 1, 0x12, 0x67, 0x01, 0xbb])
  const tls = Buffer.from([0x20, 0, 5, 1, 0, 0, 0, 0])
  const length = addresses.length + tls.length
  peer.write(
    Buffer.concat([Buffer.from('\r\n\r\n\0\r\nQUIT\n\x21\x11', 'latin1'), Buffer.from([0, length]), addresses, tls]),
  )
  await turnedTo(() => heard.done === 1)
  expect([heard.socket.remoteAddress, heard.socket.remotePort, cameThroughTls(heard.socket)]).toEqual([
    '203.0.113.7',
    4711,
    true,
  ])
})

it('fails once with a header that is none', async () => {
  peer.write('PROXY TCP4 203.0.113.7 192.0.2.1 99999 443\r\nhello')
  await turnedTo(() => heard.failed > 0)
  expect([heard.done, heard.failed]).toEqual([0, 1])
})

it('ends a peer that leaves before its first bytes, without a word', async () => {
  peer.end()
  await turnedTo(() => heard.socket.destroyed)
  expect([heard.done, heard.failed]).toEqual([0, 0])
})

it('fails with a peer that says nothing for its patience', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const socket = new net.Socket()
  const told: string[] = []
  hearProxy(socket, { patience, done: () => told.push('done'), failed: () => told.push('failed') })
  vi.advanceTimersByTime(patience - 1)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told).toEqual(['failed'])
  expect(socket.listenerCount('data')).toBe(0)
})

it('waits no longer once the first bytes are known', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const socket = new net.Socket()
  const told: string[] = []
  hearProxy(socket, { patience, done: () => told.push('done'), failed: () => told.push('failed') })
  socket.emit('data', Buffer.from('GET'))
  vi.advanceTimersByTime(10 * patience)
  expect(told).toEqual(['done'])
})
