import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { homeAddresses, type Interfaces } from './network.ts'

/** Ranges of IPv4 that nobody on the internet can reach. */
const unreachable: ReadonlySet<string> = new Set([
  'unspecified',
  'broadcast',
  'multicast',
  'linkLocal',
  'loopback',
  'carrierGradeNat',
  'private',
])
const ofTheFuture = ipaddr.IPv4.parseCIDR('240.0.0.0/4')

/** Whether a router may call this its public address: addresses for viewers are written with it. */
export function isPublicIPv4(address: string): boolean {
  if (!isIPv4(address)) return false
  const read = ipaddr.IPv4.parse(address)
  return !unreachable.has(read.range()) && !read.match(ofTheFuture)
}

/** The routers of the default route, as Linux knows them; elsewhere the first address of each home network. */
export async function defaultRouters(): Promise<string[]> {
  const table = await readFile('/proc/net/route', 'utf8').catch(() => '')
  const found = table.split('\n').flatMap((line) => {
    const [, target, gateway] = line.split('\t')
    if (target !== '00000000' || gateway === undefined || gateway === '00000000') return []
    return [
      (gateway.match(/../g) ?? [])
        .map((byte) => parseInt(byte, 16))
        .reverse()
        .join('.'),
    ]
  })
  if (found.length > 0) return found
  return homeAddresses()
    .filter(isIPv4)
    .map((address) => address.replace(/\d+$/, '1'))
}

/**
 * Whether a device may be asked as a router: the default one, or one in a private network of this computer. Never this
 * computer itself, of whose programs nothing is asked.
 */
export function mayBeRouter(
  address: string,
  routers: readonly string[],
  interfaces: Interfaces = networkInterfaces,
): boolean {
  if (!isIPv4(address)) return false
  const here = Object.values(interfaces()).flatMap((each) => each ?? [])
  const read = ipaddr.IPv4.parse(address)
  if (read.range() === 'loopback' || here.some((own) => own.address === address)) return false
  const isNear = (cidr: string | null): boolean =>
    cidr !== null && !cidr.includes(':') && read.match(ipaddr.IPv4.parseCIDR(cidr))
  return (
    routers.includes(address) ||
    (read.range() === 'private' && here.some(({ internal, cidr }) => !internal && isNear(cidr)))
  )
}
