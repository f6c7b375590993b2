import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to another server that can fail. */
export interface FaultyProxy {
  readonly endpoint: string
  /** What becomes of bytes from now on, on connections that are there too. `reset` ends each with its first byte. */
  fault: 'none' | 'silent' | 'reset' | 'busy'
  /** Bytes that the server is still sent before it is silent. */
  left: number
  /** Connections that were accepted. */
  readonly accepted: () => number
  close(): Promise<void>
}

/** Starts one before `endpoint`, on a free port. */
export async function startFaultyProxy(endpoint: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(endpoint)
  const sockets = new Set<Socket>()
  let accepted = 0
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    accepted++
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) keep(socket)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.on('data', (bytes: Buffer) => {
      if (proxy.fault === 'reset') near.resetAndDestroy()
      else if (proxy.fault === 'busy')
        near.end('HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
      else if (proxy.fault === 'none' && (proxy.left -= bytes.length) < 0) proxy.fault = 'silent'
      else if (proxy.fault === 'none') far.write(bytes)
    })
    far.on('data', (bytes: Buffer) => {
      if (proxy.fault === 'none') near.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: FaultyProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: 'none',
    left: Infinity,
    accepted: () => accepted,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      if (server.listening) await once(server, 'close')
    },
  }
  return proxy
}
