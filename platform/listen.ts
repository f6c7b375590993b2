import type { AddressInfo, Server } from 'node:net'

/** Listen backlog: Node's 511 are fewer than may arrive in one turn under load, and clients beyond it wait a second. */
const backlog = 4096

/** Binds a server to host and port, 0 for any; resolves with the port. */
export const listenOn = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true, backlog }, () => {
      server.removeListener('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
