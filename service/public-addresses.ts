import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

const wildcards = new Set(['0.0.0.0', '::', ''])

/** Whether a bind address is reachable from this computer only. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** A host as it stands in an URL. */
const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** The host that addresses name: the public one where given, else the bound one, else, for a wildcard, the first address of this computer on a network. */
export function addressHost(bound: string, publicHost: string | undefined): string {
  if (publicHost) return inUrl(publicHost)
  if (!wildcards.has(bound)) return inUrl(bound)
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)
  return outside?.address ?? '127.0.0.1'
}
