import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { linkPath } from '../contract/link/frames.ts'
import type { ServiceChoices } from '../contract/service-process.ts'

const wildcards = new Set(['0.0.0.0', '::', ''])

/** Whether an address is of this computer only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** A host as it stands in an URL. */
const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** The host that addresses name: the public one where given, else the bound one, else, for a wildcard, the first address of this computer on a network. */
function addressHost(bound: string, publicHost: string | undefined): string {
  if (publicHost) return inUrl(publicHost)
  if (!wildcards.has(bound)) return inUrl(bound)
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)
  return outside?.address ?? '127.0.0.1'
}

/** Where each part of the service is reached. */
export interface Addresses {
  readonly api: string
  readonly media: string
  readonly rtmp: string
  /** The client link whole. */
  readonly link: string
}

/** Addresses as they are told to callers, and what of them browsers send back. */
export interface ToldAddresses {
  /** Composed when asked, with the port that a listener has then; public addresses exactly as they were given (behaviour.md#public-addresses). */
  addresses(port: (listener: 'api' | 'media' | 'rtmp') => number): Addresses
  /** Hosts of public addresses, as they stand in an URL, without ports. */
  readonly hosts: readonly string[]
  /** Origins of pages at public addresses. */
  readonly origins: readonly string[]
  /** The client link where it was given an address of its own, with the hosts of public addresses. */
  readonly publicLink: { readonly url: string; readonly hosts: readonly string[] } | undefined
}

/** Reads what was chosen about addresses. */
export function toldAddresses({
  api,
  media,
  rtmp,
  publicHost,
  publicAddresses: told = {},
}: Pick<ServiceChoices, 'api' | 'media' | 'rtmp' | 'publicHost' | 'publicAddresses'>): ToldAddresses {
  const publicRoots = [told.media, told.api, told.link].flatMap((address) =>
    address === undefined ? [] : [new URL(address)],
  )
  const hostOfMedia = told.media === undefined ? publicHost : new URL(told.media).hostname.replace(/^\[|\]$/g, '')
  const named = publicHost === undefined ? [] : [inUrl(publicHost)]
  const hosts = [...new Set([...publicRoots.map(({ hostname }) => hostname), ...named])]
  return {
    hosts,
    publicLink: told.link === undefined ? undefined : { url: told.link, hosts },
    // A name alone does not say whether TLS is in front of it.
    origins: [
      ...new Set([
        ...publicRoots.map(({ protocol, host }) => `${protocol.replace('ws', 'http')}//${host}`),
        ...named.flatMap((host) => [`http://${host}`, `https://${host}`]),
      ]),
    ],
    addresses(port) {
      const mediaRoot = told.media ?? `http://${addressHost(media.host, publicHost)}:${port('media')}`
      return {
        // A name for the outside does not lead to the api listener, unless somebody said where it does.
        api: told.api ?? `http://${addressHost(api.host, undefined)}:${port('api')}`,
        media: mediaRoot,
        rtmp:
          told.rtmp ?? `rtmp://${addressHost(rtmp.host, told.rtmp === null ? undefined : hostOfMedia)}:${port('rtmp')}`,
        link: told.link ?? `${mediaRoot.replace('http', 'ws')}${linkPath}`,
      }
    },
  }
}
