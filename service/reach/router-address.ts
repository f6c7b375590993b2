import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import ipaddr from 'ipaddr.js'
import { homeAddresses, type Interfaces } from './network.ts'
import { NoPublicAddress } from './port-mapping.ts'

const run = promisify(execFile)
/** How long a program that prints the routing table may take, in ms. */
const tablePatience = 1_000

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

/** Throws when nobody on the internet can reach the address that a router names. */
export function requirePublic(address: string): void {
  if (isPublicIPv4(address)) return
  if (!isIPv4(address)) throw new Error('the router names no public address')
  throw new NoPublicAddress(`the router names no public address: ${address}`)
}

/** Routers of the default route in a table as Linux has it in /proc/net/route. */
function routersOfLinux(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, target, gateway] = line.split('\t')
    if (target !== '00000000' || gateway === undefined || gateway === '00000000') return []
    return [
      (gateway.match(/../g) ?? [])
        .map((byte) => parseInt(byte, 16))
        .reverse()
        .join('.'),
    ]
  })
}
/** The same in a table as `route print` of Windows and `netstat -rn` of macOS write it. */
export const printedRouters = (table: string): string[] =>
  [...table.matchAll(/^\s*(?:default|0\.0\.0\.0\s+0\.0\.0\.0)\s+(\d+\.\d+\.\d+\.\d+)\s/gm)]
    .map(([, router]) => router!)
    .filter((router) => isIPv4(router))

/** The routing table of the system; undefined when it cannot be read. */
async function readRouters(): Promise<string[] | undefined> {
  const printed = async (program: string, words: string[]): Promise<string[]> =>
    printedRouters((await run(program, words, { timeout: tablePatience, windowsHide: true })).stdout)
  try {
    if (process.platform === 'darwin') return await printed('/usr/sbin/netstat', ['-rn', '-f', 'inet'])
    if (process.platform === 'win32') {
      const folder = path.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32')
      return await printed(path.join(folder, 'route.exe'), ['print', '-4', '0.0.0.0'])
    }
    return routersOfLinux(await readFile('/proc/net/route', 'utf8'))
  } catch {
    return undefined
  }
}

/** The routers of the default route; where no routing table can be read, the first address of each home network. */
export async function defaultRouters(): Promise<string[]> {
  const found = await readRouters()
  if (found) return [...new Set(found)]
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
