import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { isOfAnotherUser, peerUser, sharedRead } from './peer-user.ts'

it.runIf(process.platform === 'linux')(
  'names the user of a peer while its process holds the connection, and believes nothing of one that has closed it',
  async () => {
    const server = createServer({ allowHalfOpen: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [socket] = (await once(server, 'connection')) as [Socket]
    socket.on('error', () => undefined)
    try {
      expect(await peerUser(socket)).toBe(process.getuid!())
      expect([await isOfAnotherUser(socket), await isOfAnotherUser(socket, 1)]).toEqual([
        false,
        process.getuid!() !== 0,
      ])
      client.destroy()
      socket.resume()
      await once(socket, 'end')
      expect(await peerUser(socket)).toBe('gone')
      expect(await isOfAnotherUser(socket)).toBe(true)
    } finally {
      socket.destroy()
      server.close()
    }
  },
)

it('reads a table once at a time, and for who asks meanwhile once more after that', async () => {
  const reads: ((text: string) => void)[] = []
  const read = sharedRead(() => new Promise((resolve) => void reads.push(resolve)))
  const first = read()
  const meanwhile = Array.from({ length: 300 }, () => read())
  expect(reads).toHaveLength(1)
  reads[0]!('before')
  expect(await first).toBe('before')
  await expect.poll(() => reads.length).toBe(2)
  const later = read()
  reads[1]!('after')
  expect(new Set(await Promise.all(meanwhile))).toEqual(new Set(['after']))
  await expect.poll(() => reads.length).toBe(3)
  reads[2]!('last')
  expect(await later).toBe('last')
})

it.runIf(process.platform === 'linux')('names the user of a peer that came over an IPv6 socket', async () => {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '::ffff:127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  try {
    expect(await peerUser(socket)).toBe(process.getuid!())
  } finally {
    client.destroy()
    socket.destroy()
    server.close()
  }
})

it('knows no user where the addresses of a connection are not known or nobody has them', async () => {
  const known = { remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 2 }
  expect(await peerUser({ ...known, remoteAddress: undefined })).toBeUndefined()
  const { localAddress: _localAddress, ...without } = known
  expect(await peerUser(without)).toBeUndefined()
  expect(await peerUser(known)).toBeUndefined()
  expect(await isOfAnotherUser(known as Socket)).toBe(false)
})
