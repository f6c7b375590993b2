import type { Socket } from 'node:net'
import { readProxyHeader } from './proxy-header.ts'

const withHeader = new WeakSet<object>()
/**
 * Whether a connection began with a PROXY header, also with one that names nobody. What sends that passes on bytes and reads no HTTP, so
 * headers of a request come from the client itself.
 */
export const beganWithProxyHeader = (socket: object): boolean => withHeader.has(socket)
const throughTls = new WeakSet<object>()
/** Whether a trusted proxy said that the peer of this socket came to it through TLS. */
export const cameThroughTls = (socket: object): boolean => throughTls.has(socket)

/**
 * Reads the PROXY header that the connection of a trusted proxy may begin with, before anybody else reads. The addresses of the socket are
 * then those that it names. `done` is called once the first bytes are known, and they are left for whoever reads next; `failed` when they
 * are no header though they begin as one, or when they do not come within `patience` ms. Nothing is called when the peer goes before.
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
  // A server that keeps half-open connections would not end it.
  const leave = (): void => {
    stop()
    socket.destroy()
  }
  const timer = setTimeout(fail, patience)
  timer.unref()
  socket.on('data', take).on('end', leave).on('close', stop)
}
