import type { ServiceChoices } from '../../contract/service-process.ts'
import { toldAddresses } from '../public-addresses.ts'

/** What the reach changes of the addresses that are answered. */
export interface ReachAddresses {
  /** Root of the media side; the listener's own or the command line's when undefined. */
  readonly media: string | undefined
  /** It is the address of the listener in the home network. */
  readonly isDirect: boolean
  /** Root of RTMP; null for the listener's own. */
  readonly rtmp: string | null
  /** Further hosts that requests may name. */
  readonly hosts: readonly string[]
}

/** Addresses for callers, with what browsers send back of them; they follow the reach. */
export type Told = ReturnType<typeof createTold>

/** Makes them as the command line says, until the reach says more. */
export function createTold(
  choices: Parameters<typeof toldAddresses>[0] &
    Pick<ServiceChoices, 'origins'> & {
      /** Root of the media side of this node alone. */
      readonly nodeMedia?: string | undefined
    },
) {
  const { origins: chosen = [], publicAddresses, nodeMedia } = choices
  const ownHosts = nodeMedia === undefined ? [] : [new URL(nodeMedia).hostname]
  const { publicLink } = toldAddresses(choices)
  let now = toldAddresses(choices)
  const hosts: string[] = []
  const publicOrigins: string[] = []
  const origins: string[] = []
  const put = (list: string[], values: readonly string[]): void => void list.splice(0, list.length, ...new Set(values))
  const read = (more: readonly string[]): void => {
    put(
      hosts,
      [...now.hosts, ...ownHosts, ...more].map((host) => host.toLowerCase()),
    )
    put(publicOrigins, now.origins)
    put(origins, [...chosen, ...now.origins])
  }
  read([])
  return {
    /** Hosts that requests may name, in lower case. The three lists change in place. */
    hosts: hosts as readonly string[],
    /** Of public addresses. */
    publicOrigins: publicOrigins as readonly string[],
    /** With those that were chosen. */
    origins: origins as readonly string[],
    publicLink: publicLink && { url: publicLink.url, hosts: hosts as readonly string[] },
    /** Whether others have an address that is not the listener's: a proxy here may pass them on. */
    isPublic: (): boolean => now.isPublic,
    addresses: (port: (listener: 'api' | 'media' | 'rtmp') => number) => now.addresses(port),
    follow({ media, isDirect, rtmp, hosts: more }: ReachAddresses) {
      now = toldAddresses(
        media === undefined || publicAddresses?.media !== undefined
          ? choices
          : {
              ...choices,
              isDirect,
              publicAddresses: { ...publicAddresses, media, ...(publicAddresses?.rtmp === undefined && { rtmp }) },
            },
      )
      read(more)
    },
  }
}

/** Encryption of viewers' connections in words. */
export type Encryption = 'vouched' | 'unvouched' | 'none' | 'unknown'
