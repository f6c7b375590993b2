import { BlockList, isIP } from 'node:net'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'

/** Turns a host name into its addresses; rejects when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** An address that may be connected to. */
export interface Admitted {
  readonly ok: true
  readonly url: URL
  /** Every address of the host, each checked: a connection uses these and asks nobody again. */
  readonly addresses: readonly string[]
}

/** Why an address is not delivered to. */
export interface Turned {
  readonly ok: false
  /** `shape`: it is not an acceptable address at all; `nowhere`: its name has no address now; `place`: what it resolves to is refused. */
  readonly why: 'shape' | 'nowhere' | 'place'
  readonly reason: ReasonOf<'delivery'>
}

/** Decides where the service may deliver to (behaviour.md#recording-callbacks). */
export interface AddressGuard {
  /** Resolves and checks an address; `local` allows this computer and its network. Never rejects. */
  check(address: string, local: boolean): Promise<Admitted | Turned>
}

/** What the guard needs to know. */
export interface GuardOptions {
  readonly resolve: Resolve
  /** Ports of the service's own listeners: never delivered to on this computer. */
  readonly ownPorts: () => readonly number[]
  /** Addresses of this computer's interfaces. */
  readonly ownAddresses: () => readonly string[]
}

type Subnet = readonly [net: string, prefix: number]
const block = (ipv4: readonly Subnet[], ipv6: readonly Subnet[]): BlockList => {
  const list = new BlockList()
  for (const [net, prefix] of ipv4) list.addSubnet(net, prefix, 'ipv4')
  for (const [net, prefix] of ipv6) list.addSubnet(net, prefix, 'ipv6')
  return list
}
const loopback = block([['127.0.0.0', 8]], [['::1', 128]])
const inside = block(
  [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
  ],
  [['fc00::', 7]],
)
/** Metadata services by address, also where they lie in a range that is otherwise allowed. */
const metadata = block(
  [
    ['169.254.169.254', 32],
    ['100.100.100.200', 32],
    ['192.0.0.192', 32],
  ],
  [
    ['fd00:ec2::254', 128],
    ['fd20:ce::254', 128],
  ],
)
/** Unspecified, link-local, multicast, broadcast, documentation, translated and reserved ranges (IANA special-purpose registries). */
const refused = block(
  [
    ['0.0.0.0', 8],
    ['169.254.0.0', 16],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ],
  [
    // Unspecified, and the old form of an IPv4 address in its last bits; loopback is looked at before.
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
    ['5f00::', 16],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
)
/** An IPv4 address written as an IPv6 one; a list of its own, for a BlockList would match it against the IPv4 rules. */
const mapped = /^::ffff:/i

/** Where an IP address lies: everybody's network, the network around this computer, this computer, or a place that is never delivered to. */
export function placeOf(address: string): 'public' | 'inside' | 'loopback' | 'metadata' | 'mapped' | 'refused' {
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return 'refused'
  if (version === 6 && mapped.test(canonical(address))) return 'mapped'
  const family = version === 4 ? 'ipv4' : 'ipv6'
  if (metadata.check(address, family)) return 'metadata'
  if (loopback.check(address, family)) return 'loopback'
  if (refused.check(address, family)) return 'refused'
  return inside.check(address, family) ? 'inside' : 'public'
}

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')
/** The shortest form of an IPv6 address, as an URL writes it. */
const canonical = (address: string): string => bare(new URL(`http://[${address}]/`).hostname)

const turned = (why: Turned['why'], reason: ReasonOf<'delivery'>): Turned => ({ ok: false, why, reason })

/** What is wrong with the shape of an address; undefined when nothing is. */
export function addressFault(address: string): ReasonOf<'delivery'> | undefined {
  const url = readAddress(address)
  return 'ok' in url ? url.reason : undefined
}

function readAddress(address: string): URL | Turned {
  // URL parsers drop or turn these silently, so that what is checked would not be what was written.
  if (/[\s\p{Cc}\\]/u.test(address)) return turned('shape', reasonOf('delivery', 'whiteSpace'))
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    return turned('shape', reasonOf('delivery', 'notUrl'))
  const authority = /^https?:\/\/([^/?#]*)/i.exec(address)?.[1] ?? ''
  if (url.username || url.password || authority.includes('@'))
    return turned('shape', reasonOf('delivery', 'credentials'))
  if (address.includes('#')) return turned('shape', reasonOf('delivery', 'fragment'))
  if (url.port === '0') return turned('shape', reasonOf('delivery', 'badPort'))
  if (isIP(url.hostname) === 4 && authority.replace(/:[0-9]*$/, '') !== url.hostname)
    return turned('shape', reasonOf('delivery', 'ipv4'))
  return url
}

type PlaceFault = 'metadata' | 'mapped' | 'reserved' | 'ownPort' | 'thisComputer' | 'localNetwork'

/** Makes the guard. A name is acceptable only when every one of its addresses is: one good beside one bad is an attempt, not an accident. */
export function createAddressGuard({ resolve, ownPorts, ownAddresses }: GuardOptions): AddressGuard {
  const fault = (address: string, port: number, local: boolean): PlaceFault | undefined => {
    const place = placeOf(address)
    if (place === 'metadata' || place === 'mapped') return place
    if (place === 'refused') return 'reserved'
    if (ownPorts().includes(port) && (place === 'loopback' || ownAddresses().includes(address))) return 'ownPort'
    if (place !== 'public' && !local) return place === 'loopback' ? 'thisComputer' : 'localNetwork'
    return undefined
  }

  return {
    async check(address, local) {
      const url = readAddress(address)
      if ('ok' in url) return url
      const host = bare(url.hostname)
      let addresses: readonly string[]
      if (isIP(host) !== 0) addresses = [host]
      else {
        try {
          addresses = await resolve(host)
        } catch {
          addresses = []
        }
        if (addresses.length === 0) return turned('nowhere', reasonOf('delivery', 'nowhere', { host }))
      }
      const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
      for (const one of addresses) {
        const why = fault(one, port, local)
        if (why !== undefined) return turned('place', reasonOf('delivery', why, { host }))
      }
      return { ok: true, url, addresses }
    },
  }
}
