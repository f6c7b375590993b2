import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { Failure } from '../failure.ts'

/** Which part of the network an address lies in. */
export type Reach = 'public' | 'private' | 'loopback' | 'forbidden'

const block = (...subnets: [string, number, 'ipv4' | 'ipv6'][]): BlockList => {
  const list = new BlockList()
  for (const [net, prefix, family] of subnets) list.addSubnet(net, prefix, family)
  return list
}
const loopback = block(['127.0.0.0', 8, 'ipv4'], ['::1', 128, 'ipv6'])
const inside = block(
  ['10.0.0.0', 8, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
)
/** Unspecified, link-local with the metadata services, multicast, documentation, translation and reserved ranges: never a media server. */
const forbidden = block(
  ['0.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['fec0::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
)

/** Unwraps an IPv4 address written as an IPv6 one. */
function plainAddress(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  if (isIP(bare) !== 6) return bare
  const dotted = /^::(?:ffff:(?:0:)?)?(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)
  if (dotted?.[1]) return dotted[1]
  const hex = /^::ffff:(?:0:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(bare)
  if (!hex?.[1] || !hex[2]) return bare
  const [high, low] = [Number.parseInt(hex[1], 16), Number.parseInt(hex[2], 16)]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** Classifies an IP address; anything that is none is forbidden. */
export function reachOf(address: string): Reach {
  const bare = plainAddress(address)
  const version = isIP(bare)
  if (version === 0) return 'forbidden'
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (loopback.check(bare, family)) return 'loopback'
  if (forbidden.check(bare, family)) return 'forbidden'
  return inside.check(bare, family) ? 'private' : 'public'
}

/** Turns a host name into its addresses. */
export type Resolve = (host: string) => Promise<string[]>

/** The system's resolver. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((one) => one.address)

/** The addresses of a URL's host, literals as they are. Throws Failure when there is none. */
export async function addressesOf(url: URL, resolve: Resolve): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return [host]
  try {
    const found = await resolve(host)
    if (found.length > 0) return found
  } catch {
    /* Named below, with the host. */
  }
  throw new Failure('unreachable', `${url.host}: the name is not known`)
}

/**
 * What media of a service may lie on: the public network always, the local network only for a service that is itself local, and
 * this computer only for a service on this computer.
 */
export async function allowedReach(service: URL, resolve: Resolve): Promise<ReadonlySet<Reach>> {
  const own = (await addressesOf(service, resolve)).map(reachOf)
  const allowed = new Set<Reach>(['public'])
  if (own.every((reach) => reach === 'loopback')) allowed.add('loopback').add('private')
  if (own.every((reach) => reach === 'private')) allowed.add('private')
  return allowed
}

/** Resolves a target once and gives the address to connect to, so that a second answer of the resolver cannot change it. Throws Failure. */
export async function pinned(url: URL, allowed: ReadonlySet<Reach>, resolve: Resolve): Promise<string> {
  const addresses = await addressesOf(url, resolve)
  // All of them must be allowed: a name with one good and one bad address is an attempt, not an accident.
  for (const address of addresses) {
    if (!allowed.has(reachOf(address)))
      throw new Failure('unreachable', `${url.host}: media at this address is not relayed`)
  }
  return addresses[0] as string
}
