import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Class of an IP address; `refused`: not globally reachable. The last three are never connected to. */
export type IpPlace = 'public' | 'inside' | 'loopback' | 'metadata' | 'mapped' | 'refused'

/** Cloud metadata addresses, also within allowed ranges. */
const metadata = new Set(['169.254.169.254', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'])
/** The only IPv6 block of global unicast addresses (IANA); special ranges within it are named separately. */
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

/** Classifies an address by IANA's special-purpose registries; `refused` for an invalid address or one with a zone. */
export function ipPlace(address: string): IpPlace {
  if (isIP(address) === 0 || address.includes('%')) return 'refused'
  const parsed = ipaddr.parse(address)
  if (metadata.has(parsed.toString())) return 'metadata'
  const place = places[parsed.range()] ?? 'refused'
  return place === 'public' && parsed instanceof ipaddr.IPv6 && !parsed.match(globalUnicast) ? 'refused' : place
}

/** An IPv4-mapped address (RFC 4291, 2.5.5) as IPv4; other text without brackets and zone. */
export function plainIp(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (isIP(bare) !== 6) return bare
  const parsed = ipaddr.IPv6.parse(bare)
  const isWithin = ['ipv4Mapped', 'rfc6145'].includes(parsed.range())
  return isWithin ? ipaddr.fromByteArray(parsed.toByteArray().slice(-4)).toString() : bare
}
