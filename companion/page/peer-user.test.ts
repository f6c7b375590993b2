import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { isOfAnotherUser, peerUser } from './peer-user.ts'

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
      expect([await isOfAnotherUser(socket), await isOfAnotherUser(socket, 1)]).toEqual([false, process.getuid!() !== 0])
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
