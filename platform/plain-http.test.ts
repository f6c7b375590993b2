import net, { type AddressInfo } from 'node:net'
import tls from 'node:tls'
import { once } from 'node:events'
import { generate } from 'selfsigned'
import { expect, it, onTestFinished } from 'vitest'
import { createHttpListener } from './bounded-listener.ts'
import { createDescriptorBudget } from './descriptors.ts'

/** A listener of HTTPS; what a peer is told that says these parts in the clear. */
async function listen() {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { algorithm: 'sha256' })
  const bounds = {
    places: { all: 100, perAddress: 100, perLoopback: 100 },
    descriptors: createDescriptorBudget(4096).share(1),
    refused: () => undefined,
  }
  const server = createHttpListener(bounds, (_request, response) => void response.end('fine'), { tls: { cert, key } })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    held: () => new Promise<number>((resolve) => server.getConnections((_fault, count) => resolve(count))),
    async say(...parts: readonly string[]): Promise<string> {
      const socket = net.connect({ host: '127.0.0.1', port, allowHalfOpen: true })
      let told = ''
      socket.on('error', () => undefined).on('data', (part: Buffer) => (told += part.toString()))
      for (const part of parts) socket.write(part)
      await once(socket, 'end').catch(() => undefined)
      socket.destroy()
      return told
    },
  }
}

it('who speaks HTTP to a port of HTTPS is told so, and holds no connection after', async () => {
  const { port, say, held } = await listen()
  for (const parts of [
    ['GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'],
    ['POST /app/channel/create HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n', '{}'],
    ['HEAD / HTTP/1.0\r\n\r\n'],
  ]) {
    const told = await say(...parts)
    expect(told).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(JSON.parse(told.split('\r\n\r\n')[1]!)).toEqual({
      code: 400,
      msg: 'this port speaks HTTPS: begin the address with https://',
    })
  }
  await expect.poll(held).toBe(0)
  const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  socket.write('GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  socket.destroy()
})

it('who speaks neither is told nothing', async () => {
  const { say } = await listen()
  expect(await say('\x03' + 'x'.repeat(1536))).not.toContain('HTTP/1.1')
})
