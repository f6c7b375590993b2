import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Where an IP address lies: everybody's network, the network around this computer, this computer, or nowhere that anything is fetched from or
 * sent to: metadata services of clouds, IPv4 addresses written as IPv6 ones, and every range that is not for global use.
 */
export type IpPlace = 'public' | 'inside' | 'loopback' | 'metadata' | 'mapped' | 'refused'

/** Metadata services, also where they lie in a range that is otherwise allowed. */
const metadata = new Set(['169.254.169.254', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'])
/** The only IPv6 block that global unicast addresses are given from (IANA); the ranges within it that are no such addresses have names of their own. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const places: Readonly<Record<string, IpPlace>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'inside',
  carrierGradeNat: 'inside',
  uniqueLocal: 'inside',
  ipv4Mapped: 'mapped',
  rfc6145: 'mapped',
}

/** The place of an address, by the special-purpose registries of IANA; `refused` for anything that is no address, or has a zone. */
export function ipPlace(address: string): IpPlace {
  if (isIP(address) === 0 || address.includes('%')) return 'refused'
  const parsed = ipaddr.parse(address)
  if (metadata.has(parsed.toString())) return 'metadata'
  const place = places[parsed.range()] ?? 'refused'
  return place === 'public' && parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast) ? 'refused' : place
}

/** An IPv4 address that is written as an IPv6 one (RFC 4291, 2.5.5), as it is; any other text without brackets and zone. */
export function plainIp(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (isIP(bare) !== 6) return bare
  const parsed = ipaddr.IPv6.parse(bare)
  const isWithin = ['ipv4Mapped', 'rfc6145'].includes(parsed.range())
  return isWithin ? ipaddr.fromByteArray(parsed.toByteArray().slice(-4)).toString() : bare
}
