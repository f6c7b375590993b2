import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { ipPlace, plainIp } from '../../platform/ip-place.ts'
import { Failure } from '../failure.ts'

/** Which part of the network an address lies in. */
export type Reach = 'public' | 'private' | 'loopback' | 'forbidden'

/** Classifies an IP address; anything that is none is forbidden. */
export function reachOf(address: string): Reach {
  const place = ipPlace(plainIp(address))
  if (place === 'inside') return 'private'
  return place === 'public' || place === 'loopback' ? place : 'forbidden'
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
