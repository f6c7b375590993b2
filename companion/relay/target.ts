import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { ipPlace, plainIp } from '../../platform/ip-place.ts'
import { Failure } from '../failure.ts'

/** The network of an address. */
export type Reach = 'public' | 'private' | 'loopback' | 'forbidden'

/** Classifies an IP address; invalid ones are forbidden. */
export function reachOf(address: string): Reach {
  const place = ipPlace(plainIp(address))
  if (place === 'inside') return 'private'
  return place === 'public' || place === 'loopback' ? place : 'forbidden'
}

/** Resolves a host name. */
export type Resolve = (host: string) => Promise<string[]>

/** The system's resolver. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((one) => one.address)

/** Addresses of a URL's host. Throws Failure when there is none. */
async function addressesOf(url: URL, resolve: Resolve): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return [host]
  try {
    const found = await resolve(host)
    if (found.length > 0) return found
  } catch {
    // Thrown below, with the host.
  }
  throw new Failure('unreachable', `${url.host}: the name is not known`)
}

/** Networks that a service's media may be on: no nearer than the service itself. */
export async function allowedReach(service: URL, resolve: Resolve): Promise<ReadonlySet<Reach>> {
  const own = (await addressesOf(service, resolve)).map(reachOf)
  const allowed = new Set<Reach>(['public'])
  if (own.every((reach) => reach === 'loopback')) allowed.add('loopback').add('private')
  if (own.every((reach) => reach === 'private')) allowed.add('private')
  return allowed
}

/** Addresses without a log-in that can be asked for. */
const isWeb = ({ protocol, username, password }: URL): boolean =>
  (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''

/** Resolves a target to one address, so that a second DNS answer cannot change it. Throws Failure. */
export async function pinned(url: URL, allowed: ReadonlySet<Reach>, resolve: Resolve): Promise<string> {
  if (!isWeb(url)) throw new Failure('unreachable', `${url.host}: media at an address of this kind is not relayed`)
  const addresses = await addressesOf(url, resolve)
  // All must be allowed: a mixed answer is an attack.
  for (const address of addresses) {
    if (!allowed.has(reachOf(address)))
      throw new Failure('unreachable', `${url.host}: media at this address is not relayed`)
  }
  return addresses[0] as string
}

const lastOf = (url: URL): string => url.pathname.slice(url.pathname.lastIndexOf('/'))

/**
 * Where an answer leads: to a file of the same name, and never away from https. Undefined for no such redirect; the
 * address is still to be checked.
 */
export function ledTo(from: URL, status: number | undefined, location: string | undefined): URL | undefined {
  if ((status !== 302 && status !== 307) || location === undefined || !URL.canParse(location, from.href))
    return undefined
  const to = new URL(location, from)
  const isKept = to.protocol === from.protocol || (from.protocol === 'http:' && to.protocol === 'https:')
  return isKept && lastOf(to) === lastOf(from) && !to.username && !to.password ? to : undefined
}
