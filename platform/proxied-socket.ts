import type { Socket } from 'node:net'
import { readProxyHeader } from './proxy-header.ts'

const withHeader = new WeakSet<object>()
/** Whether it began with a PROXY header: such a proxy passes bytes on, so HTTP headers are the client's own. */
export const beganWithProxyHeader = (socket: object): boolean => withHeader.has(socket)
const throughTls = new WeakSet<object>()
/** Whether the trusted proxy reports TLS for the peer. */
export const cameThroughTls = (socket: object): boolean => throughTls.has(socket)

/**
 * Reads the PROXY header that a trusted proxy may send first; the socket then has the addresses in it. `done` is called
 * when the first bytes are known, which are left unread; `failed` for an invalid header or after `patience` ms. Neither
 * is called if the peer disconnects.
 */
export function hearProxy(
  socket: Socket,
  { patience, done, failed }: { readonly patience: number; readonly done: () => void; readonly failed: () => void },
): void {
  let bytes: Buffer = Buffer.alloc(0)
  const stop = (): void => {
    clearTimeout(timer)
    socket.off('data', take).off('end', leave).off('close', stop)
  }
  const fail = (): void => {
    stop()
    failed()
  }
  const take = (chunk: Buffer): void => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    const header = readProxyHeader(bytes)
    if (header.kind === 'more') return
    if (header.kind === 'fault') return fail()
    stop()
    socket.pause()
    let rest = bytes
    if (header.kind === 'header') {
      withHeader.add(socket)
      rest = bytes.subarray(header.length)
      if (header.peer) {
        const { address, port, reached, tls } = header.peer
        for (const [name, value] of Object.entries({ remoteAddress: address, remotePort: port, localAddress: reached }))
          Object.defineProperty(socket, name, { value })
        if (tls) throughTls.add(socket)
      }
    }
    if (rest.length > 0) socket.unshift(rest)
    done()
    socket.resume()
  }
  // A server with half-open connections would not end it.
  const leave = (): void => {
    stop()
    socket.destroy()
  }
  const timer = setTimeout(fail, patience)
  timer.unref()
  socket.on('data', take).on('end', leave).on('close', stop)
}
