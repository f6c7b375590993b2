import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { forwardByNatPmp } from './nat-pmp.ts'
import { NoPublicAddress } from './port-mapping.ts'

const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.close()
})
const at = async (address: string): Promise<Socket> => {
  const socket = createSocket('udp4')
  open.push(socket)
  socket.bind(0, address)
  await once(socket, 'listening')
  return socket
}
const named = (address: string, code = 0): Buffer =>
  Buffer.from([0, 128, 0, code, 0, 0, 0, 1, ...address.split('.').map(Number)])
interface Mapped {
  readonly internal: number
  readonly external: number
  readonly seconds?: number
}
function mapped({ internal, external, seconds = 3600 }: Mapped): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt8(130, 1)
  bytes.writeUInt16BE(internal, 8)
  bytes.writeUInt16BE(external, 10)
  bytes.writeUInt32BE(seconds, 12)
  return bytes
}

/** A router that names its address, and what it was asked to map. */
async function router(
  address: string,
  { code = 0, before = (_port: number): void => undefined, given = {} as Partial<Mapped> } = {},
) {
  const socket = await at('127.0.0.2')
  const asked: { port: number; external: number; seconds: number }[] = []
  socket.on('message', (bytes, { port, address: from }) => {
    before(port)
    if (bytes[1] === 0) return socket.send(named(address, code), port, from)
    const internal = bytes.readUInt16BE(4)
    asked.push({ port: internal, external: bytes.readUInt16BE(6), seconds: bytes.readUInt32BE(8) })
    socket.send(mapped({ internal, external: internal + 1, ...given }), port, from)
  })
  return { at: socket.address().port, asked }
}
const forward = (port: number) =>
  forwardByNatPmp('127.0.0.2', 8443, { signal: AbortSignal.timeout(2_000), patience: 2_000, at: port })

it('a port is forwarded, renewed and given back', async () => {
  const { at: port, asked } = await router('203.0.113.7')
  const made = await forward(port)
  expect(made).toMatchObject({ protocol: 'natpmp', address: '203.0.113.7', port: 8444 })
  await made.renew()
  await made.remove()
  expect(asked).toEqual([
    { port: 8443, external: 8443, seconds: 3600 },
    { port: 8443, external: 8444, seconds: 3600 },
    { port: 8443, external: 0, seconds: 0 },
  ])
})

it.each([
  { external: 0, seconds: 0 },
  { external: 0, seconds: 3600 },
  { external: 8443, seconds: 0 },
])('a mapping to port $external for $seconds s is none', async (given) => {
  const { at: port } = await router('203.0.113.7', { given })
  await expect(forward(port)).rejects.toThrow('forwards no port')
})

it('answers from another address, or another port of the router, are not heard', async () => {
  const strangers = [await at('127.0.0.3'), await at('127.0.0.2')]
  const { at: port } = await router('203.0.113.7', {
    before(client) {
      for (const socket of strangers) {
        socket.send(named('45.76.77.78'), client, '127.0.0.1')
        socket.send(mapped({ internal: 8443, external: 666 }), client, '127.0.0.1')
      }
    },
  })
  expect(await forward(port)).toMatchObject({ address: '203.0.113.7', port: 8444 })
})

it.each([
  '192.168.1.2',
  '10.0.0.1',
  '100.64.3.4',
  '127.0.0.1',
  '0.0.0.0',
  '169.254.1.1',
  '224.0.0.1',
  '255.255.255.255',
])('a router with the address %s leads nobody here', async (address) => {
  const { at: port, asked } = await router(address)
  await expect(forward(port)).rejects.toThrow('no public address')
  await expect(forward(port)).rejects.toThrow(NoPublicAddress)
  expect(asked).toEqual([])
})

it('a refusal is told, and a short or other answer is not heard', async () => {
  const { at: port } = await router('203.0.113.7', { code: 2 })
  await expect(forward(port)).rejects.toThrow('the router does not allow it')
  const odd = await at('127.0.0.2')
  odd.on('message', (_, from) => {
    for (const bytes of [[], [0], [0, 128, 0, 0], [1, 128, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1], [0, 130, 0, 0]])
      odd.send(Buffer.from(bytes), from.port, from.address)
  })
  await expect(forward(odd.address().port)).rejects.toThrow('does not answer')
})
