import net from 'node:net'

/** Connections that send nothing. */
export interface SilentFlood {
  /** Connections that the other side has not closed. */
  readonly held: () => number
  end(): void
}

/**
 * Opens silent TCP connections to each port, from several local addresses. Resolves when each was opened or refused.
 */
export async function silentFlood(ports: readonly number[], each: number, addresses = 4): Promise<SilentFlood> {
  const sockets = new Set<net.Socket>()
  const open = (port: number, index: number): Promise<void> =>
    new Promise((resolve) => {
      const socket = net.connect({ host: '127.0.0.1', port, localAddress: `127.0.7.${1 + (index % addresses)}` })
      sockets.add(socket)
      socket.resume().on('error', () => undefined)
      socket.once('connect', () => resolve())
      socket.once('close', () => {
        sockets.delete(socket)
        resolve()
      })
    })
  await Promise.all(ports.flatMap((port) => Array.from({ length: each }, (_, index) => open(port, index))))
  return {
    held: () => sockets.size,
    end() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
