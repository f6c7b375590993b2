import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { linkPath } from '../contract/link/frames.ts'
import type { ServiceChoices } from '../contract/service-process.ts'

const wildcards = new Set(['0.0.0.0', '::', ''])

/** Whether an address is of this computer only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Whether a host leads here from beyond this computer and its home network: a name, or an address of the internet. */
const isPublic = (host: string): boolean =>
  !isLoopback(host) &&
  (isIP(host) === 0 || !['private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.process(host).range()))

/** A host as in a URL. */
const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

/** Host in addresses: the public one, else the bound one; for a wildcard the computer's first network address. */
function addressHost(bound: string, publicHost: string | undefined): string {
  if (publicHost) return inUrl(publicHost)
  if (!wildcards.has(bound)) return inUrl(bound)
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)
  return outside?.address ?? '127.0.0.1'
}

/** The port of a URL, also where its scheme implies it. */
export const portOf = ({ port, protocol }: URL): number =>
  Number(port) || (protocol === 'https:' || protocol === 'wss:' ? 443 : 80)

/** Where each part of the service is reached. */
export interface Addresses {
  readonly api: string
  readonly media: string
  readonly rtmp: string
  /** Complete address of the client link. */
  readonly link: string
}

/** Addresses for callers, and what browsers send back of them. */
export type ToldAddresses = ReturnType<typeof toldAddresses>

/** Reads the chosen addresses. */
export function toldAddresses({
  api,
  media,
  rtmp,
  publicHost,
  publicAddresses: told = {},
  tls,
  isDirect = false,
}: Pick<ServiceChoices, 'api' | 'media' | 'rtmp' | 'publicHost' | 'publicAddresses' | 'tls'> & {
  /** The public address of the media side is that of its own listener. */
  readonly isDirect?: boolean
}) {
  const apiScheme = tls && !isLoopback(api.host) ? 'https' : 'http'
  const publicRoots = [told.media, told.api, told.link].flatMap((address) =>
    address === undefined ? [] : [new URL(address)],
  )
  const hostOfMedia = told.media === undefined ? publicHost : new URL(told.media).hostname.replace(/^\[|\]$/g, '')
  const named = publicHost === undefined ? [] : [inUrl(publicHost)]
  const hosts = [...new Set([...publicRoots.map(({ hostname }) => hostname), ...named])]
  return {
    hosts,
    /** Whether others have an address that is not the listener's: a proxy here may pass them on. */
    isPublic:
      hostOfMedia !== undefined &&
      (isPublic(hostOfMedia) || (told.media !== undefined && !isDirect && !isLoopback(hostOfMedia))),
    /** A separate public address of the link, with the hosts of public addresses. */
    publicLink: told.link === undefined ? undefined : { url: told.link, hosts },
    // A host alone does not tell whether TLS is in front.
    origins: [
      ...new Set([
        ...publicRoots.map(({ protocol, host }) => `${protocol.replace('ws', 'http')}//${host}`),
        ...named.flatMap((host) => [`http://${host}`, `https://${host}`]),
      ]),
    ],
    /** Composed per call with the current ports; public addresses exactly as given (behaviour.md#public-addresses). */
    addresses(port: (listener: 'api' | 'media' | 'rtmp') => number): Addresses {
      const mediaRoot = told.media ?? `http://${addressHost(media.host, publicHost)}:${port('media')}`
      return {
        // A public host does not lead to the api listener unless configured.
        api: told.api ?? `${apiScheme}://${addressHost(api.host, undefined)}:${port('api')}`,
        media: mediaRoot,
        rtmp:
          told.rtmp ?? `rtmp://${addressHost(rtmp.host, told.rtmp === null ? undefined : hostOfMedia)}:${port('rtmp')}`,
        link: told.link ?? `${mediaRoot.replace('http', 'ws')}${linkPath}`,
      }
    },
  }
}
