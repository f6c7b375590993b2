import type { AddressInfo, Server } from 'node:net'

/**
 * Connections that the system keeps for a listener until they are taken. Node asks for 511: of thousands that come in a second more than that come while
 * one turn of the event loop lasts, and whoever is not kept tries again after 1 s, 3 s and 7 s. The system's own limit holds where it is lower.
 */
const backlog = 4096

/** Binds a Node server to a host and port, 0 for any; resolves with the port, rejects when it cannot. */
export const listenOn = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true, backlog }, () => {
      server.removeListener('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
