import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'

const counts = (rawHeaders: readonly string[], name: string): number => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]!
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count
}

const literal = (address: string): string => {
  const plain = address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
  return plain.includes(':') ? `[${plain}]` : plain
}

/** A host in lower case, without the dot that ends the full form of a name: `live.example.com.` is the same host. */
const canonical = (host: string): string =>
  host.toLowerCase().replace(/^((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*)\.(?=:\d{1,5}$|$)/, '$1')

/** Host header without port. */
const named = (host: string): string => host.replace(/:\d{1,5}$/, '')

/**
 * Makes the list of accepted Host values: loopback names and the connection's own address with the port, and hosts of
 * public addresses with any port or none, as a proxy or port mapping may change it.
 */
export function createHostCheck(publicHosts: readonly string[] = []): (request: IncomingMessage) => boolean {
  const names = ['localhost', '127.0.0.1', '[::1]']
  // The list may change while it is used.
  const isOpen = (host: string): boolean => publicHosts.some((one) => canonical(one) === host)
  let known: { readonly port: number; readonly hosts: ReadonlySet<string> } | undefined

  return (request) => {
    const { host } = request.headers
    if (host === undefined || counts(request.rawHeaders, 'host') !== 1) return false
    const port = request.socket.localPort ?? 0
    if (known?.port !== port)
      known = {
        port,
        hosts: new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))),
      }
    if (known.hosts.has(host)) return true
    const lower = host.toLowerCase()
    // With a wildcard bind our own IP literal is safe: DNS rebinding needs a name.
    return (
      known.hosts.has(lower) ||
      isOpen(named(canonical(host))) ||
      (port === 443 && request.socket instanceof TLSSocket ? `${lower.replace(/:443$/, '')}:443` : lower) ===
        `${literal(request.socket.localAddress ?? '')}:${port}`
    )
  }
}
