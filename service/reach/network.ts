import { isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Addresses of this computer that are read here; tests pass their own. */
export type Interfaces = typeof networkInterfaces

const rangeOf = (address: string): string => {
  try {
    return ipaddr.process(address.split('%', 1)[0]!).range()
  } catch {
    return 'invalid'
  }
}

/** Whether an address is of a home network: private IPv4, or a unique local one of IPv6. */
const isHome = (address: string): boolean => ['private', 'uniqueLocal'].includes(rangeOf(address))

/** Addresses of this computer in its home network, IPv4 first. */
export function homeAddresses(interfaces: Interfaces = networkInterfaces): string[] {
  const found = Object.values(interfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, address }) => !internal && isHome(address))
    .map(({ address }) => address)
  return [...new Set([...found.filter(isIPv4), ...found.filter(isIPv6)])]
}

/** Of several doors that of the home address that is told; else the first one. */
export const doorAt = <T extends { readonly host: string }>(
  doors: readonly T[],
  home: string | undefined,
): T | undefined => doors.find(({ host }) => host === home) ?? doors[0]

/** Host that stands for all addresses of this computer. */
export const everyAddress = (interfaces: Interfaces = networkInterfaces): string =>
  Object.values(interfaces()).some((each) => each?.some(({ family }) => family === 'IPv6')) ? '::' : '0.0.0.0'

/** Whether a client came from neither this computer nor its network. `own`: further addresses of its own. */
export function isOutside(
  address: string,
  own: readonly string[] = [],
  interfaces: Interfaces = networkInterfaces,
): boolean {
  if (rangeOf(address) !== 'unicast' || own.includes(address)) return false
  const here = ipaddr.process(address)
  // Devices of a home network have global addresses of IPv6, with the prefix of this computer.
  const isNear = (cidr: string | null): boolean => {
    if (cidr === null || here.kind() !== 'ipv6') return false
    const [network, length] = ipaddr.parseCIDR(cidr)
    return network.kind() === here.kind() && here.match(network, length)
  }
  return !Object.values(interfaces()).some((each) => each?.some((one) => one.address === address || isNear(one.cidr)))
}

/** A host as in a URL. */
export const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host)
