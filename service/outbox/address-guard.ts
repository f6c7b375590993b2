import { isIP } from 'node:net'
import { reasonOf, type ReasonOf } from '../../contract/catalogue/reasons.ts'
import { ipPlace } from '../../platform/ip-place.ts'

/** Resolves a host name; rejects when it has no address. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** A target that may be connected to. */
export interface Admitted {
  readonly ok: true
  readonly url: URL
  /** All checked addresses of the host; the connection uses these without another look-up. */
  readonly addresses: readonly string[]
}

/** Why a target is refused. */
export interface Rejected {
  readonly ok: false
  /** `shape`: not an acceptable URL; `nowhere`: does not resolve now; `place`: resolves to a refused address. */
  readonly why: 'shape' | 'nowhere' | 'place'
  readonly reason: ReasonOf<'delivery'>
}

/** Decides on delivery targets (behaviour.md#recording-callbacks). */
export type AddressGuard = ReturnType<typeof createAddressGuard>

const bare = (host: string): string => host.replace(/^\[|\]$/g, '')

const rejected = (why: Rejected['why'], reason: ReasonOf<'delivery'>): Rejected => ({ ok: false, why, reason })

/** What is wrong with a URL; undefined for nothing. */
export function addressFault(address: string): ReasonOf<'delivery'> | undefined {
  const url = readAddress(address)
  return 'ok' in url ? url.reason : undefined
}

function readAddress(address: string): URL | Rejected {
  // URL parsers silently drop or convert these; the checked URL would not be the written one.
  if (/[\s\p{Cc}\\]/u.test(address)) return rejected('shape', reasonOf('delivery', 'whiteSpace'))
  const url = /^https?:\/\//i.test(address) ? URL.parse(address) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '')
    return rejected('shape', reasonOf('delivery', 'notUrl'))
  const authority = /^https?:\/\/([^/?#]*)/i.exec(address)?.[1] ?? ''
  if (url.username || url.password || authority.includes('@'))
    return rejected('shape', reasonOf('delivery', 'credentials'))
  if (address.includes('#')) return rejected('shape', reasonOf('delivery', 'fragment'))
  if (url.port === '0') return rejected('shape', reasonOf('delivery', 'badPort'))
  if (isIP(url.hostname) === 4 && authority.replace(/:[0-9]*$/, '') !== url.hostname)
    return rejected('shape', reasonOf('delivery', 'ipv4'))
  return url
}

type PlaceFault = 'metadata' | 'mapped' | 'reserved' | 'ownPort' | 'thisComputer' | 'localNetwork'

/** Makes the guard. Every address of a name must be allowed: a mix suggests an attack. */
export function createAddressGuard(options: {
  readonly resolve: Resolve
  /** Ports of the service itself, refused on this computer. */
  readonly ownPorts: () => readonly number[]
  readonly ownAddresses: () => readonly string[]
}) {
  const { resolve, ownPorts, ownAddresses } = options
  const fault = (address: string, port: number, local: boolean): PlaceFault | undefined => {
    const place = ipPlace(address)
    if (place === 'metadata' || place === 'mapped') return place
    if (place === 'refused') return 'reserved'
    if (ownPorts().includes(port) && (place === 'loopback' || ownAddresses().includes(address))) return 'ownPort'
    if (place !== 'public' && !local) return place === 'loopback' ? 'thisComputer' : 'localNetwork'
    return undefined
  }

  return {
    /** Resolves and checks a target; `local` allows this computer and its network. Never rejects. */
    async check(address: string, local: boolean): Promise<Admitted | Rejected> {
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
        if (addresses.length === 0) return rejected('nowhere', reasonOf('delivery', 'nowhere', { host }))
      }
      const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
      for (const one of addresses) {
        const why = fault(one, port, local)
        if (why !== undefined) return rejected('place', reasonOf('delivery', why, { host }))
      }
      return { ok: true, url, addresses }
    },
  }
}
