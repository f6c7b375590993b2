import type { IncomingMessage } from 'node:http'

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

/** The name in a Host header, without its port. */
const named = (host: string): string => host.replace(/:\d{1,5}$/, '')

/**
 * Makes the exact list of Host values for a listener: loopback names and the address that a connection came to, each with the port, and the
 * hosts of public addresses with any port or none, since a proxy or a port mapping in front decides which port people use.
 */
export function createHostCheck({
  publicHosts = [],
}: {
  readonly publicHosts?: readonly string[] | undefined
}): (request: IncomingMessage) => boolean {
  const names = ['localhost', '127.0.0.1', '[::1]']
  const open = new Set(publicHosts.map((host) => host.toLowerCase()))
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
    // On a wildcard bind the literal of our own address is as good as a name: rebinding needs a name.
    return (
      known.hosts.has(lower) ||
      open.has(named(lower)) ||
      lower === `${literal(request.socket.localAddress ?? '')}:${port}`
    )
  }
}
