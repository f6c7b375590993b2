import { connect, createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { portHolder } from './port-holder.ts'

it.skipIf(process.platform !== 'linux')(
  'who listens on a port is named with its process, over IPv4 and IPv6',
  async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const server = createServer().listen(0, host)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      expect(await portHolder(port)).toMatch(new RegExp(`^\\S.* \\(process ${process.pid}\\)$`))
      server.close()
      await once(server, 'close')
      expect(await portHolder(port)).toBeUndefined()
    }
  },
)

it('who only has a connection from a port does not hold it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  expect(await portHolder(socket.localPort!)).toBeUndefined()
  socket.destroy()
  server.close()
})
