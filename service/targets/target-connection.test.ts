import { randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { readTargetAddress } from './target-address.ts'
import { connectTarget, type ConnectionOptions, type TargetFault } from './target-connection.ts'
import { startFaultyServer, type FaultyServer } from './testing/faulty-server.ts'
import { freePort } from './testing/nginx-target.ts'

let server: FaultyServer | undefined
let plain: Server | undefined
const sockets: Socket[] = []
afterEach(async () => {
  await server?.close()
  for (const socket of sockets.splice(0)) socket.destroy()
  plain?.close()
  server = plain = undefined
})

const options: ConnectionOptions = {
  resolve: async () => ['127.0.0.1'],
  ownPorts: () => [],
  ownAddresses: () => [],
  clock: systemClock,
  random: randomBytes,
  program: 'Test/1',
  patience: 2000,
}
/** How a connection that does not come to publish ends. */
const endOf = (url: string, more: Partial<ConnectionOptions> = {}): Promise<TargetFault | 'publishing'> =>
  new Promise((resolve) => {
    connectTarget(
      readTargetAddress(url)!,
      'some-key',
      { ...options, ...more },
      { publishing: () => resolve('publishing'), ended: resolve },
    )
  })

describe('a connection to a target', () => {
  it('to a server that never answers ends after a time, as no answer', async () => {
    server = await startFaultyServer()
    server.fault = 'silent'
    expect(await endOf(server.url, { patience: 200 })).toBe('noAnswer')
  })

  it('to a port where nobody listens is unreachable, and to a name without an address unresolved', async () => {
    expect(await endOf(`rtmp://127.0.0.1:${await freePort()}/app`)).toBe('unreachable')
    expect(await endOf(`rtmps://127.0.0.1:${await freePort()}/app`)).toBe('unreachable')
    expect(await endOf('rtmp://none.example/app', { resolve: async () => [] })).toBe('unresolved')
    const fails = { resolve: () => Promise.reject(new Error('no such name')) }
    expect(await endOf('rtmp://none.example/app', fails)).toBe('unresolved')
  })

  it('is never made to the service itself, nor to where a cloud tells its secrets, also by a name', async () => {
    server = await startFaultyServer()
    const port = Number(URL.parse(server.url)!.port)
    const own = { ownPorts: () => [port], ownAddresses: () => ['192.0.2.7'] }
    expect(await endOf(server.url, own)).toBe('unreachable')
    expect(await endOf(`rtmp://me.example:${port}/app`, own)).toBe('unreachable')
    expect(await endOf(`rtmp://192.0.2.7:${port}/app`, own)).toBe('unreachable')
    expect(await endOf('rtmp://169.254.169.254/app')).toBe('unreachable')
    expect(await endOf('rtmp://cloud.example/app', { resolve: async () => ['169.254.169.254'] })).toBe('unreachable')
    expect(server.connections).toBe(0)
  })

  it('to a server that asks without end and reads no answer ends, before the answers take memory', async () => {
    server = await startFaultyServer()
    server.fault = 'onlyAsks'
    let largest = 0
    const fault = await new Promise<TargetFault>((resolve) => {
      connectTarget(readTargetAddress(server!.url)!, 'some-key', options, {
        publishing: (socket) => socket.on('data', () => (largest = Math.max(largest, socket.writableLength))),
        ended: resolve,
      })
    })
    expect(fault).toBe('fault')
    expect(largest).toBeLessThan(1_000_000)
  })

  it('to a server that sends messages of no bytes without end ends before that takes others their time', async () => {
    server = await startFaultyServer()
    server.fault = 'sendsNothings'
    let read = 0
    const fault = await new Promise<TargetFault>((resolve) => {
      connectTarget(readTargetAddress(server!.url)!, 'some-key', options, {
        publishing: (socket) => socket.on('data', (bytes: Buffer) => (read += bytes.length)),
        ended: resolve,
      })
    })
    expect(fault).toBe('fault')
    expect(read).toBeLessThan(500_000)
  })

  it.each<[string, (socket: Socket) => unknown]>([
    ['says something else', (socket) => socket.end('this is no TLS at all')],
    ['closes', (socket) => socket.once('data', () => socket.destroy())],
    ['resets', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['says nothing', () => undefined],
  ])('by RTMPS to a server without TLS, which %s, has reached it', async (_what, answer) => {
    plain = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => undefined)
      answer(socket)
    })
    await new Promise<void>((resolve) => plain?.listen(0, '127.0.0.1', resolve))
    const address = plain.address()
    const port = typeof address === 'object' && address ? address.port : 0
    expect(await endOf(`rtmps://127.0.0.1:${port}/app`, { patience: 500 })).toBe('tls')
  })
})
