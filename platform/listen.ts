import type { AddressInfo, Server } from 'node:net'

/**
 * Listen backlog. Node's default is 511, fewer than may arrive in one event-loop turn under load; clients beyond it
 * retry after 1 s, 3 s and 7 s. The system's limit applies if lower.
 */
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
